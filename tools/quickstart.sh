#!/usr/bin/env bash
# Builds bdelta, makes a patch, applies it and compares the result byte by byte.
# usage: tools/quickstart.sh [OLD NEW]
# With two files the patch is kept in the current directory, under NEW's name and .bdelta. Where a file of that name is
# there already, it is left as it is and nothing is done.
# Without files it takes a sample pair of 100 MB and keeps nothing; BDELTA_SAMPLE_SIZE=50M is another size.
# Temporary files go to the directory for them (TMPDIR): NEW once more; for the sample a bit over three times its size.
# With BDELTA_BIN_DIR=DIR it takes the programs in DIR and builds nothing.
set -euo pipefail

stop() {  # STATUS MESSAGE
  echo "quickstart: $2" >&2
  exit "$1"
}

if (($# != 0 && $# != 2)); then
  echo "usage: tools/quickstart.sh [OLD NEW]" >&2
  exit 1
fi
old='' new='' patch=''
if (($# == 2)); then
  for file in "$@"; do
    [[ -f $file && -r $file ]] || stop 2 "cannot read the file $file"
  done
  old=$(realpath -- "$1") new=$(realpath -- "$2") patch=$PWD/$(basename -- "$2").bdelta
  [[ ! -e $patch && ! -L $patch ]] || stop 1 "the patch would be $patch, which is there already; move it away first"
  [[ -w $PWD ]] || stop 2 "the patch would be $patch, but this directory may not be written to; call me from another"
fi
bin=${BDELTA_BIN_DIR:+$(realpath -- "$BDELTA_BIN_DIR")}
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."

if [[ -z $bin ]]; then
  tools/setup.sh --build
  echo "== Building"
  cmake -B build
  cmake --build build --parallel "$(nproc)" --target bdelta bpatch make_pair
  bin=$PWD/build/bin
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/bdelta.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT TERM

if [[ -z $old ]]; then
  size=${BDELTA_SAMPLE_SIZE:-100M}
  echo "== Making a sample pair of $size"
  old=$work/old new=$work/new patch=$work/patch
  "$bin/make_pair" "$size" 1 "$old" "$new"
fi

# timed COMMAND...: runs it; `took` are its seconds by the clock.
timed() {
  local start=${EPOCHREALTIME/[^0-9]/} microseconds
  "$@"
  microseconds=$((${EPOCHREALTIME/[^0-9]/} - start))
  took=$(printf '%d.%02d s' $((microseconds / 1000000)) $((microseconds / 10000 % 100)))
}

echo "== bdelta OLD NEW PATCH"
timed "$bin/bdelta" "$old" "$new" "$patch"
make_time=$took
echo "== bpatch OLD NEW PATCH"
timed "$bin/bpatch" "$old" "$work/rebuilt" "$patch"
apply_time=$took

echo "== Comparing"
if ! cmp -- "$new" "$work/rebuilt"; then
  rm -f -- "$patch"
  stop 5 "the rebuilt file is NOT the same as NEW; the patch is removed"
fi
bytes() { stat -L -c %s -- "$1"; }
new_bytes=$(bytes "$new") patch_bytes=$(bytes "$patch")
share=''
if ((new_bytes > 0)); then
  hundredths=$(((patch_bytes * 10000 + new_bytes / 2) / new_bytes))
  share=$(printf ', %d.%02d %% of NEW' $((hundredths / 100)) $((hundredths % 100)))
fi
printf '%-6s %15d bytes%s\n' OLD "$(bytes "$old")" '' NEW "$new_bytes" '' PATCH "$patch_bytes" "$share"
echo "Made in $make_time, applied in $apply_time, both with checks. The rebuilt file is the same as NEW in every byte."
if (($# == 2)); then
  echo "The patch is kept: $patch"
  echo "It is applied by: $bin/bpatch OLD NEW PATCH"
else
  echo "Nothing is kept. For two files of yours: tools/quickstart.sh OLD NEW"
fi
