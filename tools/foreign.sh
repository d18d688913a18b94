#!/usr/bin/env bash
# Builds bdelta for another processor, runs its tests there under qemu-user, and checks that patches made there are
# byte for byte those made here, and that each side's program applies them.
# usage: tools/foreign.sh ARCH
#   arm64   64 bits, NEON, plain char unsigned
#   armhf   32 bits, no SIMD
#   s390x   64 bits, big-endian, no SIMD
# Debian's cross compiler and qemu-user are installed where they miss. The libraries of ARCH are not: their packages are
# fetched with an apt of their own and unpacked below build/sysroot, so that the system's list of architectures and its
# packages stay as they are. Programs are in build/ARCH/bin afterwards. The exit code is 0 if all is the same.
set -euo pipefail

case ${1:-} in
  arm64) emulator=qemu-aarch64 ;;
  armhf) emulator=qemu-arm ;;
  s390x) emulator=qemu-s390x ;;
  *) emulator= ;;
esac
if (($# != 1)) || [[ -z $emulator ]]; then
  echo "usage: tools/foreign.sh arm64|armhf|s390x" >&2
  exit 1
fi
arch=$1
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
jobs=2
sysroot=$PWD/build/sysroot/$arch
native=$PWD/build/release/bin
foreign=$PWD/build/$arch/bin
libraries=(libzstd-dev liblzma-dev libxxhash-dev libmd-dev libgtest-dev zlib1g-dev)

stop() {
  echo "foreign: $*" >&2
  exit 1
}

# apt-get for ARCH alone, with lists and state of its own.
apt_there() {
  apt-get -qq -o Dir::State="$apt_state" -o Dir::State::status="$apt_state/status" -o Dir::Cache="$apt_state/cache" \
    -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o APT::Sandbox::User=root \
    -o Acquire::Languages=none "$@"
}

# Unpacks the libraries of ARCH. Only archives are linked, so the packages that are needed to run are left out.
make_sysroot() {
  [[ -e $sysroot/complete ]] && return
  echo "== Getting the libraries of $arch: ${libraries[*]}"
  local apt_state
  apt_state=$sysroot/apt
  rm -rf -- "$sysroot"
  mkdir -p "$apt_state"/{lists,cache/archives}/partial "$sysroot/packages"
  : > "$apt_state/status"
  # A list that cannot be had, such as that of a mirror being updated, is no matter if the others hold the packages.
  apt_there update || echo "foreign: apt-get update had errors; trying with the lists that are there"
  (cd "$sysroot/packages" && apt_there download "${libraries[@]}") ||
    stop "apt-get cannot fetch ${libraries[*]} for $arch from the sources of this system"
  local package
  for package in "$sysroot"/packages/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  rm -rf -- "$apt_state" "$sysroot/packages"
  touch "$sysroot/complete"
}

build() {
  echo "== Building here"
  cmake --preset release >/dev/null
  cmake --build --preset release --target bdelta bpatch make_pair -j "$jobs"
  echo "== Building for $arch"
  cmake --preset "$arch" >/dev/null
  cmake --build --preset "$arch" -j "$jobs"
}

passed=0
failed=0
there() { "$emulator" "$foreign/$1" "${@:2}"; }

check() {  # NAME COMMAND...
  if "${@:2}"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
  fi
}

# same A B: two files, or two directories.
same() { if [[ -d $1 ]]; then diff -r -- "$1" "$2" >/dev/null; else cmp -- "$1" "$2"; fi; }

# compare NAME OLD NEW OPTION...: the patch from both sides, and each side's result of the other's patch.
compare() {
  local name="$1: bdelta ${*:4}" old=$2 new=$3
  shift 3
  rm -rf -- "$work"/{here,there,rebuilt}*
  if ! "$native/bdelta" -q --no-sync "$@" "$old" "$new" "$work/here" ||
     ! there bdelta -q --no-sync --no-verify "$@" "$old" "$new" "$work/there"; then
    check "$name: no patch" false
    return
  fi
  check "$name: another patch" cmp -- "$work/here" "$work/there"
  if there bpatch -q --no-sync "$old" "$work/rebuilt-there" "$work/here"; then
    check "$name: applied there, another NEW" same "$new" "$work/rebuilt-there"
  else
    check "$name: not applied there" false
  fi
  cmp -s -- "$work/here" "$work/there" && return
  check "$name: not applied here" "$native/bpatch" -q --no-sync "$old" "$work/rebuilt-here" "$work/there"
}

# Two versions of some files of this tree as a directory, a zip, and a tar that is packed at two levels.
make_archives() {
  local side level
  for side in old new; do
    mkdir -p "$work/$side.dir/inner"
    cp -- "testdata/pairs/sources/$side" "$work/$side.dir/inner/sources"
    cp -- "testdata/pairs/bpatch-elf/$side" "$work/$side.dir/program"
    (cd "$work/$side.dir" && python3 -m zipfile -c "$work/$side.zip" program inner)
    tar -C "$work/$side.dir" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$work/$side.tar" program inner
    for level in 1 9; do gzip -n "-$level" <"$work/$side.tar" >"$work/$side.tar.$level.gz"; done
  done
}

compare_all() {
  local level pair kind
  "$native/make_pair" 2M 1 "$work/old" "$work/new" >/dev/null
  there make_pair 2M 1 "$work/old.there" "$work/new.there" >/dev/null
  check "make_pair: another OLD" cmp -- "$work/old" "$work/old.there"
  check "make_pair: another NEW" cmp -- "$work/new" "$work/new.there"
  for level in -1 -2 -3 -4 -5 -6; do compare "2 MB of make_pair" "$work/old" "$work/new" "$level"; done
  compare "2 MB of make_pair" "$work/old" "$work/new" -3 --memory 64M --io stdio
  for pair in testdata/pairs/bpatch-elf testdata/pairs/sources; do
    for level in -1 -3 -6 -9 --ultra; do compare "$pair" "$pair/old" "$pair/new" "$level" --digests; done
    compare "$pair" "$pair/old" "$pair/new" --format=bdt1
  done
  make_archives
  for kind in dir zip tar.1.gz tar.9.gz; do
    for level in -1 -3 -6 -9; do compare "$kind" "$work/old.$kind" "$work/new.$kind" "$level"; done
  done
}

tools/setup.sh --foreign "$arch"
make_sysroot
build
echo "== Tests of $arch, by $("$emulator" --version | head -n 1)"
tests_failed=0
ctest --test-dir "build/$arch" -R '^([A-Z]|capi\.(apply|create)$)' --output-on-failure --no-tests=error -j "$jobs" ||
  tests_failed=1

echo "== Patches of $arch and of this machine"
if [[ $("$native/bdelta" --version) != $(there bdelta --version) ]]; then
  "$native/bdelta" --version
  there bdelta --version
  stop "the codec libraries of both sides differ, so their patches may; upgrade the system, remove $sysroot, try again"
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/bdelta.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT TERM
compare_all
echo "$arch: $passed passed, $failed failed"
((failed == 0 && tests_failed == 0))
