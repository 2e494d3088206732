#!/usr/bin/env bash
# Build the Debian packages, install them into a clean root, check what they bring, and remove them again.
#
#   packaging/test.sh [--profile NAME] [--features NAME] [--root DIR]
#
# DIR is a fresh Debian (`debootstrap --variant=minbase bookworm DIR`), which is changed. Without it, the packages are only
# unpacked into an empty folder, and their scripts do not run. Other arguments are those of packaging/deb.sh.
set -euo pipefail
cd "$(dirname "$0")/.."

arguments=() root=
while [ $# -gt 0 ]; do
    case $1 in
    --root) root=$(realpath -e "${2:?--root takes a folder}") && shift 2 ;;
    *) arguments+=("$1") && shift ;;
    esac
done

fail() { echo "error: $*" >&2 && exit 1; }

command -v man >/dev/null || fail "man is missing: apt install man-db"
rm -rf target/debian
packaging/deb.sh "${arguments[@]}"
packages=(target/debian/seamline_*.deb target/debian/seamline-host_*.deb)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -n "$root" ]; then
    cp "${packages[@]}" "$root/tmp/"
    chroot "$root" sh -c 'apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/seamline*.deb' >/dev/null
    in_root() { chroot "$root" "$@"; }
else
    root=$scratch/root
    mkdir -p "$root"/var/lib/dpkg/{info,updates,triggers}
    touch "$root/var/lib/dpkg/status"
    dpkg --root="$root" --force-not-root --force-depends --log=/dev/null --unpack "${packages[@]}" >/dev/null
    # What configuring does to settings.
    find "$root/etc" -name '*.dpkg-new' -exec sh -c 'mv "$1" "${1%.dpkg-new}"' _ {} ';'
    in_root() { local program=$1 && shift && "$root$program" "$@"; }
fi

version=$(cargo metadata --no-deps --offline --format-version 1 | grep -o '"name":"seamline","version":"[^"]*"' | cut -d'"' -f8)
for name in seamline seamline-host; do
    output=$(in_root "/usr/bin/$name" --version)
    [ "$output" = "$name $version" ] || fail "/usr/bin/$name says $output"
    pages=("$root/usr/share/man/man1/$name"*.1.gz)
    [ "${#pages[@]}" -ge 6 ] || fail "$name brings ${#pages[@]} manual pages"
    for page in "${pages[@]}"; do
        output=$(man --warnings -l "$page" 2>&1 >"$scratch/page") || fail "man does not read $page: $output"
        [ -z "$output" ] || fail "$page: $output"
        grep -q SYNOPSIS "$scratch/page" || fail "$page has no synopsis"
    done
    bash -c 'set -e; . "$1"; complete -p "$2"' _ "$root/usr/share/bash-completion/completions/$name" "$name" >/dev/null
    grep -q "^#compdef $name" "$root/usr/share/zsh/vendor-completions/_$name" || fail "no completions of $name for zsh"
    grep -q "^complete -c $name" "$root/usr/share/fish/vendor_completions.d/$name.fish" || fail "no completions of $name for fish"
    grep -q '^License: MIT or Apache-2.0' "$root/usr/share/doc/$name/copyright" || fail "$name brings no copyright"
done
in_root /usr/bin/seamline check - <"$root/usr/share/doc/seamline/examples/quickstart.toml" >/dev/null || fail "an example is refused"

for unit in seamline-agent seamline-mobile seamline-sender seamline-split; do
    [ -f "$root/usr/lib/systemd/system/$unit.service" ] || fail "no unit $unit"
    if command -v systemd-analyze >/dev/null; then
        # Only what it says of a line: the root lacks the units of the system itself.
        output=$(systemd-analyze verify --man=no --root="$root" "$unit.service" 2>&1 | grep "$unit.service:[0-9]" || true)
        [ -z "$output" ] || fail "$unit: $output"
        # In tenths: at most 2.0 of 10.
        output=$(systemd-analyze security --no-pager --offline=true --threshold=20 "$root/usr/lib/systemd/system/$unit.service" 2>&1) ||
            fail "$unit is exposed: $(tail -1 <<<"$output")"
    fi
done

# Users and folders of the units, as systemd's own programs read them.
for kind in sysusers tmpfiles; do
    file=$root/usr/lib/$kind.d/seamline.conf
    [ -f "$file" ] || fail "no file for systemd-$kind"
    # Only root can give folders to a user.
    command -v "systemd-$kind" >/dev/null && [ "$(id -u)" = 0 ] || continue
    made=$scratch/$kind && mkdir -p "$made/etc"
    [ "$kind" = sysusers ] || cp "$scratch/sysusers/etc/passwd" "$scratch/sysusers/etc/group" "$made/etc/"
    command=("systemd-$kind" --root="$made")
    [ "$kind" = sysusers ] || command+=(--create)
    output=$("${command[@]}" - <"$file" 2>&1) || fail "systemd-$kind refuses $file: $output"
done
if [ -f "$scratch/sysusers/etc/passwd" ]; then
    grep -q '^seamline:' "$scratch/sysusers/etc/passwd" || fail "systemd-sysusers makes no user seamline"
fi
if [ -d "$scratch/tmpfiles/run" ]; then
    user=$(cut -d: -f3,4 <<<"$(grep '^seamline:' "$scratch/sysusers/etc/passwd")")
    for folder in 700:/run/seamline 755:/var/lib/seamline; do
        found=$(stat -c %a:%u:%g "$scratch/tmpfiles/${folder#*:}")
        [ "$found" = "${folder%%:*}:$user" ] || fail "${folder#*:} is $found, not ${folder%%:*}:$user"
    done
fi

# What Prometheus and Grafana read.
monitoring=$root/usr/share/doc/seamline-host/monitoring
for name in seamline-alerts.yml seamline-alerts.test.yml seamline-dashboard.json; do
    [ -f "$monitoring/$name" ] || fail "no $name"
done
if command -v promtool >/dev/null; then
    output=$(promtool check rules "$monitoring/seamline-alerts.yml" 2>&1) || fail "promtool: $output"
    output=$(promtool test rules "$monitoring/seamline-alerts.test.yml" 2>&1) || fail "promtool: $output"
fi

# The daemon accepts its settings, and ends in order when it is asked to.
if [ "$(id -u)" = 0 ] && unshare --net true 2>/dev/null; then
    unshare --net timeout --preserve-status 1 "$root/usr/bin/seamline-host" mobile --config "$root/etc/seamline-mobile.toml" --dry-run \
        >"$scratch/log" 2>&1 || fail "the daemon refuses its settings: $(cat "$scratch/log")"
fi

# So do the sender's programs, as a user with the capabilities of its unit, where the packages have them.
unit=$root/usr/lib/systemd/system/seamline-sender.service
capabilities=$(sed -n 's/^AmbientCapabilities=//p' "$unit" | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
if [ "$(id -u)" = 0 ] && "$root/usr/bin/seamline-host" sender --check >/dev/null 2>&1; then
    set -- --reuid 65534 --regid 65534 --clear-groups --no-new-privs --inh-caps "$capabilities" --ambient-caps "$capabilities"
    chmod 755 "$scratch"
    setpriv "$@" "$root/usr/bin/seamline-host" sender --check >/dev/null || fail "seamline-sender has too few capabilities: $capabilities"
    . "$root/etc/default/seamline-sender"
    [ -n "$CGROUP" ] && [ -n "$OPTIONS" ] || fail "/etc/default/seamline-sender lacks a setting"
fi

if [ "$root" != "$scratch/root" ]; then
    grep -q '^seamline:' "$root/etc/passwd" || fail "the user of the units is missing"
    [ -z "$(find "$root/etc/systemd/system" -name 'seamline*' 2>/dev/null)" ] || fail "a unit is enabled before it has its settings"
    chroot "$root" dpkg --purge seamline seamline-host >/dev/null
    left=$(find "$root/usr" "$root/etc" -name '*seamline*')
    # The user stays, as Debian's policy has it.
    [ -z "$left" ] || fail "left behind: $left"
fi
echo "the packages install, run and can be read"
