#!/usr/bin/env bash
# Start the units of packaging/systemd under a systemd of their own, and look at what they are then: their rights, their watchdogs,
# and what comes after kill -9.
#
#   packaging/units.sh [--program PATH]
#
# PATH is the command under test, target/release/seamline-host unless it is named; seamline-sender takes one with its eBPF programs.
# Everything happens in a container (systemd-nspawn) with a network and an empty /etc of its own; of this host it has /usr,
# read-only. It takes root, systemd-container, iproute2 and nftables, and says so where they are missing.
set -euo pipefail
cd "$(dirname "$0")/.."

program=target/release/seamline-host
while [ $# -gt 0 ]; do
    case $1 in
    --program) program=${2:?--program takes a path} && shift 2 ;;
    *) echo "error: unknown argument $1; usage: packaging/units.sh [--program PATH]" >&2 && exit 2 ;;
    esac
done

skip() { echo "skipped: $*" && exit 0; }
fail() {
    echo "error: $*" >&2
    [ -z "${init-}" ] || inside journalctl --no-pager --quiet -n 20 >&2 || true
    exit 1
}

[ "$(id -u)" = 0 ] || skip "it takes root"
for needed in systemd-nspawn:systemd-container nsenter:util-linux ip:iproute2 nft:nftables capsh:libcap2-bin; do
    command -v "${needed%%:*}" >/dev/null || skip "${needed%%:*} is missing: apt install ${needed#*:}"
done
[ -x /usr/lib/systemd/systemd ] || skip "systemd is missing: apt install systemd"
[ -x "$program" ] || fail "$program is missing: cargo build --release -p seamline-host"

# What an installation from source copies. /usr belongs to the host, so the program is elsewhere.
folder=/opt/seamline
scratch=$(mktemp -d) && chmod 755 "$scratch"
cp "$program" "$scratch/seamline-host"
for unit in agent mobile sender split; do
    sed "s,/usr/bin/seamline-host,$folder/seamline-host," "packaging/systemd/seamline-host.seamline-$unit.service" \
        >"$scratch/seamline-$unit.service"
done
cp packaging/systemd/seamline{.sysusers,.tmpfiles} "$scratch/"
has_programs() { "$program" sender --check >/dev/null 2>&1; }
# What takes the most rights.
printf '[default]\nfreeze = %s\n' "$(has_programs && echo true || echo false)" >"$scratch/seamline-mobile.toml"

# Those of systemd-nspawn, the innermost first.
cgroups() { find /sys/fs/cgroup -depth -type d '(' -path '*/payload*' -o -path '*/supervisor*' ')'; }
had_cgroups=$(cgroups)

# Where systemd runs the host it gives the container a scope; elsewhere the container stays in our cgroup.
options=(--directory=/ --volatile=yes --register=no --console=pipe --private-network --capability=all
    --system-call-filter="bpf perf_event_open landlock_create_ruleset landlock_add_rule landlock_restrict_self" --bind-ro="$scratch:$folder"
    --bind-ro="$scratch/none.preset:/etc/systemd/system-preset/00-none.preset")
[ -d /run/systemd/system ] || options+=(--keep-unit)
# With an empty /etc, all units of the host would be enabled otherwise.
echo "disable *" >"$scratch/none.preset"
systemd-nspawn "${options[@]}" --boot -- --unit=basic.target >"$scratch/boot" 2>&1 &
nspawn=$!
init=
end() {
    kill "$nspawn" 2>/dev/null || true
    wait "$nspawn" || true
    rm -rf "$scratch"
    # Left where no systemd is there to remove them.
    [ -n "$had_cgroups" ] || cgroups | xargs -r rmdir
}
trap end EXIT

inside() { nsenter --target "$init" --mount --uts --ipc --net --pid --cgroup --root --wd -- "$@"; }

# `within 50 COMMAND`: whether it succeeds within so many tenths of a second.
within() {
    local left=$1 && shift
    while ! "$@" >/dev/null 2>&1; do
        [ $((left--)) -gt 0 ] || return 1
        sleep 0.1
    done
}

has_booted() {
    kill -0 "$nspawn" || skip "no container starts here: $(tail -3 "$scratch/boot")"
    init=$(pgrep --parent "$nspawn") && inside systemctl is-active basic.target
}
within 300 has_booted || skip "no systemd comes up here: $(tail -3 "$scratch/boot")"
echo "$(inside systemctl --version | head -1) runs in a container"

# Two interfaces with nothing on them for an agent, two of a router, and a link of a host that moves.
inside bash -euc '
    for link in eth0 eth1 wired air phone; do
        ip link add "$link" type veth peer name "far-$link"
        ip link set "$link" up && ip link set "far-$link" up
    done
    ip address add 10.0.1.1/24 dev wired && ip address add 10.0.2.1/24 dev air && ip address add 10.0.3.1/24 dev phone
    sysctl -qw net.ipv4.ip_forward=1
    cd '"$folder"'
    install -D -m 644 -t /etc/systemd/system seamline-*.service
    install -D -m 644 seamline.sysusers /etc/sysusers.d/seamline.conf && systemd-sysusers
    install -D -m 644 seamline.tmpfiles /etc/tmpfiles.d/seamline.conf && systemd-tmpfiles --create seamline.conf
    install -m 644 seamline-mobile.toml /etc/
    mkdir -p /etc/default
    printf "%s\n" AGENT=snoop IN=eth0 OUT=eth1 "OPTIONS=\"--metrics 127.0.0.1:9477 --control /run/seamline/agent.sock\"" >/etc/default/seamline-agent
    printf "%s\n" IN=wired OUT=air "OPTIONS=\"--metrics /var/lib/seamline/split.prom\"" >/etc/default/seamline-split
    cgroup=$(sed -n "s/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p" /proc/mounts)
    printf "%s\n" "CGROUP=$cgroup/system.slice" "OPTIONS=\"--interface phone\"" >/etc/default/seamline-sender
    systemctl daemon-reload
' || fail "the units cannot be installed"

show() { inside systemctl show --value --property "$2" "seamline-$1"; }
# Whether a unit works after it was started again so many times. It is counted before it works.
is_again() { [ "$(show "$1" NRestarts)" = "$2" ] && [ "$(show "$1" ActiveState)" = active ]; }

# Signal a unit; what it says then is how long it takes until it works again for the so manieth time.
revive() {
    local unit=$1 signal=$2 times=$3 tenths=$4 begun
    inside systemctl kill --kill-whom=main --signal="$signal" "seamline-$unit"
    begun=$(date +%s%3N)
    within "$tenths" is_again "$unit" "$times" || fail "$unit does not work again after SIG$signal"
    echo "$unit: works again $(($(date +%s%3N) - begun)) ms after SIG$signal"
}

# A bit mask of capabilities, as /proc has it, in the words of a unit.
capabilities() { capsh --decode="$1" | sed 's/.*=//; s/,/ /g' | tr a-z A-Z; }

check_rights() {
    local unit=$1 process=$2 status wanted found
    status=$(inside cat "/proc/$process/status")
    of() { sed -n "s/^$1:[[:space:]]*\([^[:space:]]*\).*/\1/p" <<<"$status"; }
    [ "$(of Uid)" = "$(inside id -u seamline)" ] || fail "$unit runs as the user $(of Uid)"
    [ "$(of NoNewPrivs)" = 1 ] || fail "$unit may get new privileges"
    [ "$(of Seccomp)" = 2 ] || fail "$unit has no filter of system calls"
    wanted=$(sed -n 's/^AmbientCapabilities=//p' "$scratch/seamline-$unit.service" | xargs -n1 | sort | xargs)
    for set in CapEff CapPrm CapBnd; do
        found=$(capabilities "$(of $set)" | xargs -n1 | sort | xargs)
        [ -z "$(comm -13 <(xargs -n1 <<<"$wanted" | sort) <(xargs -n1 <<<"$found" | sort))" ] ||
            fail "$unit has in $set: $found, not only: $wanted"
    done
    echo "$unit: CapEff $(capabilities "$(of CapEff)"), CapInh $(of CapInh), NoNewPrivs 1, Seccomp_filters $(of Seccomp_filters)"
}

check() {
    local unit=$1 process exposed
    inside systemctl start "seamline-$unit" || fail "seamline-$unit does not start"
    process=$(show "$unit" MainPID)
    check_rights "$unit" "$process"
    # A part that does not work here is a warning.
    ! inside journalctl --quiet --unit "seamline-$unit" --grep warning || fail "seamline-$unit works in part only"

    # Root asks, and the daemon answers as another user, who sees another /tmp.
    case $unit in
    agent)
        for order in pause resume; do
            inside "$folder/seamline-host" agent "$order" --control /run/seamline/agent.sock >/dev/null || fail "$unit does not $order"
        done
        inside "$folder/seamline-host" agent status | grep -q '^state: helping' || fail "$unit does not help"
        ;;
    mobile) inside "$folder/seamline-host" mobile --tell "down phone" >/dev/null || fail "$unit takes no notices" ;;
    esac

    exposed=$(inside systemd-analyze security --no-pager --threshold=20 "seamline-$unit" | tail -1) || fail "$unit: $exposed"
    echo "$unit: ${exposed#* }"

    revive "$unit" KILL 1 100
    # Nothing but the watchdog ends what is stopped.
    revive "$unit" STOP 2 $((10 * $(sed -n 's/^WatchdogSec=//p' "$scratch/seamline-$unit.service") + 50))
    [ "$(inside journalctl --quiet --unit "seamline-$unit" --grep 'Watchdog timeout' | wc -l)" = 1 ] ||
        fail "$unit was not ended by its watchdog"

    inside systemctl stop "seamline-$unit"
    [ "$(show "$unit" Result)" = success ] || fail "$unit ends with $(show "$unit" Result)"
}

check agent
check split
check mobile
if has_programs; then
    check sender
else
    echo "sender: skipped, as $("$program" sender --check 2>&1 | head -1)"
fi
echo "the units start with the rights that they name, and come back when they are killed or hang"
