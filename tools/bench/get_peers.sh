#!/usr/bin/env bash
# Builds the peers that Debian does not package, from their registries' source packages, into build/peers/bin:
# HDiffPatch (PyPI hdiffpatch), Zucchini (crate zucchini, its example program) and qbsdiff (crate qbsdiff).
# usage: tools/bench/get_peers.sh [hdiffpatch|zucchini|qbsdiff]...     default: all three
# Needs a C++ compiler, make, zlib's headers, python3 with pip (hdiffpatch) and cargo 1.85 (the crates). What is there
# already is not built again. The others come from packages: apt-get install zstd xdelta3 bsdiff xz-utils
set -euo pipefail

cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
bin=$PWD/build/peers/bin
work=$PWD/build/peers/work
mkdir -p "$bin" "$work"
hdiffpatch_version=2.6.0  # of the Python package; it holds HDiffPatch 5.1.3
zucchini_version=0.1.1
qbsdiff_version=1.4.4
jobs=$(nproc)

need() {  # PROGRAM PACKAGE
  command -v "$1" >/dev/null || { echo "get_peers: $1 is missing; it comes with $2" >&2; return 1; }
}

get_hdiffpatch() {
  need python3 "Debian's python3 and python3-pip" && need make "Debian's make" && need g++ "Debian's g++" || return 1
  local sources=$work/hdiffpatch
  mkdir -p "$sources"
  python3 -m pip download --quiet --no-binary :all: --no-deps -d "$sources" "hdiffpatch==$hdiffpatch_version"
  tar -xzf "$sources/hdiffpatch-$hdiffpatch_version.tar.gz" -C "$sources"
  local tree=$sources/hdiffpatch-$hdiffpatch_version/hdiffpatch/_c_src/HDiffPatch
  # The archive leaves out libdeflate's and xxHash's sources: zlib of the system, and no XXH3 among the checksums.
  make -C "$tree" -j "$jobs" hdiffz hpatchz LDEF=0 ZLIB=2 LZMA=1 ZSTD=1 BZIP2=1 MD5=1 XXH=0 VCD=0 >"$sources/make.log" 2>&1
  cp "$tree/hdiffz" "$tree/hpatchz" "$bin/"
}

# A compiler before GCC 14 or clang 17 knows C++23 as c++2b alone.
write_compiler() {
  printf '%s\n' '#!/usr/bin/env bash' 'args=()' \
    'for word in "$@"; do [[ $word == -std=c++23 ]] && word=-std=c++2b; args+=("$word"); done' \
    'exec g++ "${args[@]}"' >"$1"
  chmod +x "$1"
}

get_zucchini() {
  need cargo "Rust 1.85 or later" || return 1
  write_compiler "$work/c++23"
  CXX=$work/c++23 cargo install --quiet --root "$work/rust" --version "$zucchini_version" --example zucc zucchini
  cp "$work/rust/bin/zucc" "$bin/"
  echo "$zucchini_version" >"$bin/zucc.version"
}

get_qbsdiff() {
  need cargo "Rust 1.85 or later" || return 1
  cargo install --quiet --root "$work/rust" --version "$qbsdiff_version" --features cmd qbsdiff
  cp "$work/rust/bin/qbsdiff" "$work/rust/bin/qbspatch" "$bin/"
}

declare -A result=([hdiffpatch]=hdiffz [zucchini]=zucc [qbsdiff]=qbsdiff)
failures=0
(($# > 0)) || set -- hdiffpatch zucchini qbsdiff
for name in "$@"; do
  [[ -n ${result[$name]:-} ]] || { echo "get_peers: unknown: $name" >&2; exit 1; }
  if [[ -x $bin/${result[$name]} ]]; then
    echo "get_peers: $name is there"
    continue
  fi
  # A subshell of its own, so that the first failing command ends this peer and not the others.
  code=0
  bash -euo pipefail -c "$(declare -p bin work jobs hdiffpatch_version zucchini_version qbsdiff_version)
    $(declare -f need write_compiler "get_$name"); get_$name" || code=$?
  if ((code == 0)) && [[ -x $bin/${result[$name]} ]]; then
    echo "get_peers: $name built"
  else
    echo "get_peers: $name could not be built" >&2
    failures=$((failures + 1))
  fi
done
((failures == 0))
