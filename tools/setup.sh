#!/usr/bin/env bash
# Installs what building bdelta needs, from Debian's packages. Does nothing where everything is there.
# usage: tools/setup.sh [--build | --ci | --foreign ARCH]      default: for building and for the tests
#   --build         for building alone, as README's first lines say
#   --ci            also clang and the tools that tests compare with
#   --foreign ARCH  also the compiler for Debian's architecture ARCH and what runs its programs, see tools/foreign.sh
set -euo pipefail

packages=(g++ cmake make pkg-config libxxhash-dev nettle-dev libzstd-dev liblzma-dev libcli11-dev nlohmann-json3-dev
          python3)
[[ ${1:-} == --build ]] ||
  packages+=(ninja-build libgtest-dev libgmock-dev libbenchmark-dev zlib1g-dev python3-zstandard python3-xxhash)
usage() {
  echo "usage: tools/setup.sh [--build | --ci | --foreign arm64|armhf|s390x]" >&2
  exit 1
}
case "${1:-}" in
  '' | --build) ;;
  --ci) packages+=(libmd-dev clang libclang-rt-14-dev lld xdelta3 zstd bsdiff xz-utils strace python3-matplotlib groff-base
                   zsh fish dpkg-dev lintian mkdocs jq python3-dev python3-venv) ;;
  --foreign)
    case "${2:-}" in
      arm64) packages+=(g++-aarch64-linux-gnu) ;;
      armhf) packages+=(g++-arm-linux-gnueabihf) ;;
      s390x) packages+=(g++-s390x-linux-gnu) ;;
      *) usage ;;
    esac
    packages+=(qemu-user) ;;
  *) usage ;;
esac

stop() {
  echo "setup: $*" >&2
  exit 1
}

command -v dpkg-query >/dev/null && command -v apt-get >/dev/null ||
  stop "this is no Debian-like system (no apt-get); please install by hand what these packages hold: ${packages[*]}"

installed() {
  [[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

missing=()
for package in "${packages[@]}"; do
  # pkgconf stands in for pkg-config where that package is only a name.
  installed "$package" || { [[ $package == pkg-config ]] && installed pkgconf; } || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "setup: all ${#packages[@]} packages are there, nothing to install"
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || stop "needs root or sudo to install: ${missing[*]}"
  as_root=(sudo)
fi
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
}

echo "setup: installing ${missing[*]}"
apt update || { echo "setup: apt-get update failed, trying once more"; sleep 5; apt update; } ||
  stop "apt-get update failed twice; is the network there?"
apt install -y --no-install-recommends "${missing[@]}" >/dev/null ||
  stop "apt-get could not install: ${missing[*]}"
echo "setup: done"
