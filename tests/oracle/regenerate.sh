#!/bin/sh
# Make all reference data of this folder again with a plain ns-2.35 (`apt-get install ns2`); about two
# minutes. The result is the same on every machine, so `git diff` shows what changed.
set -eu
cd "$(dirname "$0")"
variants="Tahoe Reno Newreno Sack1 Vegas"
mkdir -p traces
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

# packets NAME CONFIG VARIANT DROPLIST [setting ...]
packets() {
    name=traces/$2_$3_$1.csv.gz config=$2 variant=$3 drops=$4
    shift 4
    ns ns2/listed_drops.tcl config="$config" variant="$variant" droplist="$drops" \
        scratch="$scratch/raw" "$@" | gzip -9n > "$name"
}

# Which arrival at the error model the first retransmission is, in the trace with one drop.
first_retransmission() {
    gzip -dc "traces/$1_$2_1drop.csv.gz" | awk -F, '$2 == "send" { n++ } $2 == "rexmit" { print n; exit }'
}

# Every N-th index on average, from a linear congruential generator (Lehmer, minimal standard).
scattered() {
    awk -v seed="$1" -v every="$2" -v last="$3" 'BEGIN {
        for (i = 0; i < last; i++) { seed = (seed * 16807) % 2147483647; if (seed % every == 0) printf "%d ", i }
    }' | sed 's/ $//'
}

for config in classic default; do
    for variant in $variants; do
        packets 1drop "$config" "$variant" "14"
        packets 2drop "$config" "$variant" "14 28"
        packets 3drop "$config" "$variant" "14 26 28"
        packets 4drop "$config" "$variant" "14 24 26 28"
        packets first "$config" "$variant" "0"
        packets first_twice "$config" "$variant" "0 1"
        packets second "$config" "$variant" "1"
        packets slow_start "$config" "$variant" "5 6"
        packets neighbours "$config" "$variant" "20 21"
        packets burst "$config" "$variant" "30 31 32 33 34 35"
        packets window "$config" "$variant" "$(seq -s ' ' 40 67)"
        packets late "$config" "$variant" "150 165"
        packets lost_again "$config" "$variant" "14 $(first_retransmission "$config" "$variant")" stop=12
        packets scattered20 "$config" "$variant" "$(scattered 7 20 2000)" seed=2 stop=15
        packets scattered6 "$config" "$variant" "$(scattered 11 6 2000)" seed=3 stop=30
    done
done
for variant in $variants; do
    packets scattered30 plain "$variant" "$(scattered 5 30 4000)" seed=4 stop=20 window=64
    packets small_buffer plain "$variant" "" seed=5 window=40 qlim=8 stop=10
    ns ns2/random_loss.tcl variant="$variant" per=0.05 seed=6 dur=30 packets=1 scratch="$scratch/raw" |
        gzip -9n > "traces/random_${variant}_005.csv.gz"
    ns ns2/random_loss.tcl variant="$variant" per=0.1 seed=1 dur=30 packets=1 scratch="$scratch/raw" |
        gzip -9n > "traces/random_${variant}_01.csv.gz"
    ns ns2/outage.tcl variant="$variant" out=0.1 mode=dual dur=12 packets=1 scratch="$scratch/raw" |
        gzip -9n > "traces/outage_${variant}_01.csv.gz"
done
# release NAME [setting ...]
release() {
    name=$1
    shift
    for variant in Tahoe Reno Newreno Sack1; do
        ns ns2/random_loss.tcl release="$name" variant="$variant" per=0.05 seed=6 dur=30 packets=1 scratch="$scratch/raw" "$@" |
            gzip -9n > "traces/release_${name}_${variant}.csv.gz"
    done
    ns ns2/listed_drops.tcl release="$name" config=plain variant=Reno droplist=0 stop=10 scratch="$scratch/raw" "$@" |
        gzip -9n > "traces/release_${name}_first.csv.gz"
}
release 2.1b7 tick=0.1 minrto=0 limtx=0
release 2.1b8 tick=0.1 minrto=1.0 limtx=0 iw=2 syn=true
release 2.26 minrto=1.0 iw=2 syn=true useheaders=true
release 2.27 minrto=1.0 iw=2 syn=true useheaders=true
# The other variants have no `eln_`.
for variant in Tahoe Reno Newreno; do
    ns ns2/snoop.tcl variant="$variant" up=1 eln=1 per=0 ackper=0.03 seed=3 dur=40 packets=1 scratch="$scratch/raw" \
        2>/dev/null | gzip -9n > "traces/uplink_${variant}_003.csv.gz"
done

{
    ns ns2/random_loss.tcl header=1
    for variant in $variants; do
        ns ns2/random_loss.tcl variant="$variant" per=0 dur=60
        for per in 0.001 0.01 0.05 0.1; do
            for seed in 1 2 11; do
                ns ns2/random_loss.tcl variant="$variant" per="$per" seed="$seed" dur=300
            done
        done
        ns ns2/random_loss.tcl variant="$variant" per=0.02 seed=12 dur=300 lossat=head
        ns ns2/random_loss.tcl variant="$variant" per=0.001 seed=13 dur=100 window=100 qlim=20
    done
} > a_single_300s.csv
{
    ns ns2/random_loss.tcl header=1
    for variant in $variants; do
        for per in 0.001 0.01 0.05; do
            for seed in 1 2 14; do
                ns ns2/random_loss.tcl variant="$variant" per="$per" seed="$seed" dur=300 tick=0.1 minrto=1.0 limtx=0
            done
        done
    done
} > a_single_classic_300s.csv
{
    printf '['
    for seed in 1 2 3; do
        [ "$seed" = 1 ] || printf ', '
        ns ns2/loss_indices.tcl seed="$seed" n=10000 pers="0.001 0.01 0.05" | tr -d '\n'
    done
    echo ']'
} > a_loss_indices.json
{
    ns ns2/outage.tcl header=1
    for variant in $variants; do
        for out in 0.03 0.1 0.3 1.0 2.5; do
            for mode in err dual; do
                for seed in 1 2; do
                    ns ns2/outage.tcl variant="$variant" out="$out" mode="$mode" seed="$seed" dur=100
                done
            done
        done
    done
} > c_outage.csv
{
    ns ns2/vegas_buffers.tcl header=1
    for pkt in 500 1000 1500; do
        for bounds in "1 3 1" "2 4 1" "1 1 1" "3 6 2"; do
            set -- $bounds
            ns ns2/vegas_buffers.tcl pkt="$pkt" alpha="$1" beta="$2" gamma="$3" seed=1
        done
        ns ns2/vegas_buffers.tcl pkt="$pkt" seed=2 dur=100
    done
} > d_vegas.csv
{
    ns ns2/snoop.tcl header=1
    for variant in Tahoe Reno Newreno Sack1; do
        for loss in "per=0.001" "per=0.01" "per=0.02" "per=0.05" "per=0.1" "per=0.01 ackper=0.05"; do
            for snoop in 0 1; do
                for seed in 1 2 3 4 5; do
                    # shellcheck disable=SC2086
                    ns ns2/snoop.tcl variant="$variant" $loss snoop="$snoop" seed="$seed" dur=100
                done
            done
        done
    done
} 2>/dev/null > e_snoop.csv
{
    ns ns2/snoop.tcl header=1
    for variant in Tahoe Reno Newreno Sack1; do
        for ackper in 0.001 0.01 0.03 0.05; do
            for eln in 0 1; do
                for seed in 1 2 3; do
                    ns ns2/snoop.tcl variant="$variant" up=1 eln="$eln" per=0 ackper="$ackper" seed="$seed" dur=100
                done
            done
        done
    done
} 2>/dev/null > e_uplink.csv
{
    echo "config,variant,ndrops,droplist,acked_at_6s,sent,rexmit,timeouts,t_seq40_acked,trace"
    for trace in traces/*_[1-4]drop.csv.gz; do
        gzip -dc "$trace" | awk -F, -v name="$(basename "$trace" .csv.gz)" '
            NR == 1 {
                match($0, /{[^}]*}/); drops = substr($0, RSTART + 1, RLENGTH - 2)
                split(substr($0, RSTART + RLENGTH + 1), word, /[ =]/)
            }
            $2 == "ack" && $3 >= 40 && !found { found = $1 }
            END {
                split(name, part, "_")
                printf "%s,%s,%d,%s,%d,%d,%d,%d,%s,%s\n", part[1], part[2], split(drops, each, " "), drops,
                    word[2], word[4], word[6], word[8], found, "traces/" name ".csv"
            }'
    done
} > b_summary.csv
