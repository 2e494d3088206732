#!/usr/bin/env bash
# Record where the simulator spends its time, and build `seamline` optimized for that (profile-guided optimization), into target/dist; and
# `xtask`, whose `speed` measures it.
# It takes llvm-profdata of this compiler: rustup component add llvm-tools.
#
#   packaging/profile.sh
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-$PWD/target}
folder=$target/profile
host=$(rustc -vV | sed -n 's/^host: //p')
merge=$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata
[ -x "$merge" ] || { echo "error: $merge is missing: rustup component add llvm-tools" >&2 && exit 2; }

# Apart from other builds, whose flags are others. One processor records, so that counts do not collide.
export CARGO_TARGET_DIR=$folder/build
rm -rf "$folder/runs" && mkdir -p "$folder/runs"
RUSTFLAGS="-Cprofile-generate=$folder/runs" cargo build --locked --profile dist -p seamline -p xtask
run() { "$CARGO_TARGET_DIR/dist/seamline" run --quiet --jobs 1 "$@" >/dev/null; }
for name in cubic fifty hops; do
    run "benches/speed/$name.toml" --set 'duration="60 s"'
done
run benches/speed/hops.toml --set 'flow.main.profile="linux-6.12"' --set 'grid.flow.main.variant=["cubic", "bbr", "bbr3"]' --set 'duration="60 s"'
for name in cubic fifty; do
    run "benches/speed/$name.toml" --set 'duration="60 s"' --parquet "$folder/out" --events "$folder/out" --pcapng "$folder/out"
done
for name in lossy-hop train handover mobile-ip starlink; do
    run "scenarios/$name.toml" --seeds 1
done
"$CARGO_TARGET_DIR/dist/xtask" bench-side cells 1
"$merge" merge -o "$folder/seamline.profdata" "$folder/runs"

RUSTFLAGS="-Cprofile-use=$folder/seamline.profdata -Cllvm-args=-no-pgo-warn-mismatch" cargo build --locked --profile dist -p seamline -p xtask
mkdir -p "$target/dist"
cp "$CARGO_TARGET_DIR"/dist/{seamline,xtask} "$target/dist/"
ls -l "$target"/dist/{seamline,xtask}
