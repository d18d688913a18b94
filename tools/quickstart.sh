#!/usr/bin/env bash
# Builds bdelta, makes a patch, applies it and compares the result byte by byte.
# usage: tools/quickstart.sh [OLD NEW]
# Without files it makes a sample pair of 300 MB (BDELTA_SAMPLE_SIZE=50M for another size). Needs about four times
# that in the directory for temporary files (TMPDIR); writes nothing beside your files.
set -euo pipefail

if (($# != 0 && $# != 2)); then
  echo "usage: tools/quickstart.sh [OLD NEW]" >&2
  exit 1
fi
old='' new=''
if (($# == 2)); then
  for file in "$@"; do
    [[ -f $file && -r $file ]] || { echo "quickstart: cannot read the file $file" >&2; exit 2; }
  done
  old=$(realpath -- "$1") new=$(realpath -- "$2")
fi
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."

tools/setup.sh
echo "== Building"
cmake --preset release
cmake --build --preset release --target bdelta bpatch make_pair
bin=$PWD/build/release/bin

work=$(mktemp -d "${TMPDIR:-/tmp}/bdelta.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
trap 'exit 130' INT TERM

if [[ -z $old ]]; then
  size=${BDELTA_SAMPLE_SIZE:-300M}
  echo "== Making a sample pair of $size"
  old=$work/old new=$work/new
  "$bin/make_pair" "$size" 1 "$old" "$new"
fi

echo "== bdelta OLD NEW PATCH"
"$bin/bdelta" --stats "$old" "$new" "$work/patch"
echo "== bpatch OLD NEW PATCH"
"$bin/bpatch" --stats "$old" "$work/rebuilt" "$work/patch"

echo "== Comparing"
if ! cmp -- "$new" "$work/rebuilt"; then
  echo "The rebuilt file is NOT the same as NEW." >&2
  exit 5
fi
bytes() { stat -L -c %s -- "$1"; }
old_bytes=$(bytes "$old") new_bytes=$(bytes "$new") patch_bytes=$(bytes "$work/patch")
share=-
((new_bytes == 0)) || share=$((patch_bytes * 10000 / new_bytes))
printf '%-6s %15d bytes\n' OLD "$old_bytes" NEW "$new_bytes" PATCH "$patch_bytes"
if [[ $share == - ]]; then
  echo "Verified: NEW was rebuilt from OLD and PATCH (all 0 bytes of it)."
else
  printf 'Verified: NEW was rebuilt from OLD and PATCH, all %d bytes are the same. The patch is %d.%02d %% of NEW.\n' \
    "$new_bytes" $((share / 100)) $((share % 100))
fi
