#!/bin/sh
# Fetches the data of this comparison into a folder: sh data.sh FOLDER. Needs git and unzip; about 100 MB.
set -eu
mkdir -p "$1"
cd "$1"

# take REPOSITORY COMMIT: a clone without files, whose files are fetched as they are read.
take() {
    name=".repositories/$(basename "$1")"
    [ -d "$name" ] || git clone --quiet --filter=blob:none --no-checkout "https://github.com/$1" "$name"
    git -C "$name" cat-file -e "$2" 2>/dev/null || git -C "$name" fetch --quiet origin "$2"
    repository=$name commit=$2
}

# put FILE PATH: the file PATH of that commit.
put() {
    mkdir -p "$(dirname "$1")"
    git -C "$repository" show "$commit:$2" > "$1"
}

# Captures of CUBIC over LeoReplayer, MIT.
take erha12138/LeoCC b1d4c8e759f02979819475889e8b11d281dd2985
examples=leoreplayer/replayer/example
for file in bw_example.txt delay_example.txt; do
    put leoreplayer-cubic/no_PEP/$file $examples/no_PEP/$file
done
for file in inner.pcap outer.pcap; do
    put leoreplayer-cubic/no_PEP/$file $examples/no_PEP/data/$file
    put leoreplayer-cubic/A_3/$file $examples/1_no_PEP_withCCAlg/data/A_3/cubic_10/$file
done
for name in no_PEP Cubic 1_no_PEP_withCCAlg; do
    put leoreplayer-cubic/queue-logs/$name.txt $examples/$name/queue_log_bw_example.txt
done
put leoreplayer-cubic/A_3/delay_3.txt traces/A_uplink/3/delay_3.txt

# Runs in flent's test bed, GPL-3.
take tohojo/flent 688fc674d71605b212c345d5501b102b0eff61e4
for name in voip-1up http-1up rrul-icmp voip-rrul rtt-fair rrul; do
    put flent-lab/test-$name.flent.gz unittests/test_data/test-$name.flent.gz
done

# Starlink, CC BY 4.0 (https://doi.org/10.5281/zenodo.10020034), and WetLinks, CC BY-SA 4.0: parts, resampled.
take Pitchfork-and-Torch/leo-aware-transport 58b6e28021c22e1304e1fa0ca70e974fd7313168
for name in q00_20230913T004000Z q25_20230914T063000Z q50_20230915T122000Z q75_20230916T180000Z q100_20230917T235000Z; do
    put zhao_zenodo23/$name.csv traces/zhao_zenodo23/$name.csv
done
put wetlinks/windows.json traces/wetlinks/windows.json

# Drives and places with 5G, GPL-3.
take uccmisl/5Gdataset 306d92eba81cb4f1195d8b8eba625666a02a10ec
mkdir -p ucc-5g-download/Driving ucc-5g-download/Static
put ucc.zip 5G-production-dataset.zip
unzip -q -o -j ucc.zip '5G-production-dataset/Download/Driving/*.csv' -d ucc-5g-download/Driving
unzip -q -o -j ucc.zip '5G-production-dataset/Download/Static/*.csv' -d ucc-5g-download/Static

# Rounds of a drive from Los Angeles to Boston; no licence is stated.
name=conext2025-a-first-large-scale-study-of-operational-5g-standalone-networks
take NUWiNS/$name 5c724ae354fa5ab8654fcdf350c869915faf2de3
git -C "$repository" checkout --quiet "$commit" -- ':(glob)raw_data/data_2024/app_data/**/tcp_downlink_*.out'
mkdir -p nuwins-conext2025
rm -rf nuwins-conext2025/raw_data
mv "$repository/raw_data" nuwins-conext2025/
