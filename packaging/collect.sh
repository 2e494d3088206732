#!/usr/bin/env bash
# Collect what a release offers in target/release-files: the Debian packages, an archive of the programs with their manual pages and
# completions, a bill of materials for each program (CycloneDX), and SHA256SUMS. Run packaging/deb.sh first. It takes cargo-cyclonedx.
#
#   packaging/collect.sh [--profile NAME]
set -euo pipefail
cd "$(dirname "$0")/.."

profile=dist
case ${1-} in
'') ;;
--profile) profile=${2:?--profile takes a name} ;;
*) echo "error: unknown argument $1; usage: packaging/collect.sh [--profile NAME]" >&2 && exit 2 ;;
esac
folder=$profile
[ "$profile" = dev ] && folder=debug
command -v cargo-cyclonedx >/dev/null || { echo "error: cargo-cyclonedx is missing: cargo install cargo-cyclonedx --locked" >&2 && exit 2; }
ls target/debian/*.deb >/dev/null 2>&1 || { echo "error: there are no Debian packages: run packaging/deb.sh" >&2 && exit 2; }

out=target/release-files
version=$(cargo metadata --no-deps --offline --format-version 1 | grep -o '"name":"seamline","version":"[^"]*"' | cut -d'"' -f8)
name=seamline-$version-$(uname -m)-linux
rm -rf "$out" && mkdir -p "$out/$name"
cp target/debian/*.deb "$out/"

for program in seamline seamline-host; do
    strip -o "$out/$name/$program" "${CARGO_TARGET_DIR:-target}/$folder/$program"
    cp -r "target/packaging/$program" "$out/$name/$program-pages"
done
cp README.md CHANGELOG.md LICENSE-* "$out/$name/"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$out" -czf "$out/$name.tar.gz" "$name"
rm -rf "${out:?}/$name"

# Written next to each manifest; those of the programs are kept. With all features, since releases have eBPF programs.
cargo cyclonedx --quiet --format json --spec-version 1.5 --all-features --target "$(rustc -vV | sed -n 's/^host: //p')"
mv seamline.cdx.json crates/seamline-host/seamline-host.cdx.json "$out/"
rm -f {crates,fuzz}/*/*.cdx.json xtask/*.cdx.json

(cd "$out" && sha256sum -- * >SHA256SUMS)
cat "$out/SHA256SUMS"
