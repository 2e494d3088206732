#!/usr/bin/env bash
# Build the Debian packages of `seamline` and `seamline-host` into target/debian. It takes Cargo, cargo-deb and dpkg-dev.
#
#   packaging/deb.sh [--profile NAME] [--features NAME]
#
# The profile is `dist` unless it is named. The feature is one of `seamline-host`: `ebpf` takes clang, libelf and zlib.
set -euo pipefail
cd "$(dirname "$0")/.."

profile=dist features=
while [ $# -gt 0 ]; do
    case $1 in
    --profile) profile=${2:?--profile takes a name} && shift 2 ;;
    --features) features=${2:?--features takes a name} && shift 2 ;;
    *) echo "error: unknown argument $1; usage: packaging/deb.sh [--profile NAME] [--features NAME]" >&2 && exit 2 ;;
    esac
done

need() { # what to run, and what installs it
    command -v "$1" >/dev/null || { echo "error: $1 is missing: $2" >&2 && exit 2; }
}
need cargo-deb "cargo install cargo-deb --locked"
need dpkg-shlibdeps "apt install dpkg-dev"

folder=$profile
[ "$profile" = dev ] && folder=debug
target=${CARGO_TARGET_DIR:-target}

cargo build --locked --profile "$profile" -p seamline -p seamline-host ${features:+--features "seamline-host/$features"}

# Manual pages and completions, as the programs themselves write them.
for name in seamline seamline-host; do
    program=$target/$folder/$name made=target/packaging/$name
    rm -rf "$made" && mkdir -p "$made"
    "$program" man "$made/man" >/dev/null
    "$program" completions bash >"$made/bash"
    "$program" completions zsh >"$made/zsh"
    "$program" completions fish >"$made/fish"
    cargo deb --quiet --locked --no-build --no-dbgsym --strip --profile "$profile" -p "$name" --output target/debian/
done
ls -l target/debian/*.deb
