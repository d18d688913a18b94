#!/usr/bin/env bash
# Builds the fuzz targets and runs them one after the other, with what earlier runs found as a start.
# usage: tools/fuzz.sh [TARGET...] [--seconds N] [--no-record]
#   TARGET       names as in testdata/fuzz; all of them by default
#   --seconds    of each target; 600 by default
#   --no-record  leave tests/fuzz/RESULTS.md alone
# Inputs that reach something new are kept in build/fuzz/corpus, those that break something in build/fuzz/findings. One of
# the latter is run again by build/fuzz/tests/fuzz/fuzz_TARGET FILE. An input may take 2 seconds and 512 MiB. Each run
# adds a line to the table of results, with the seconds of a core that the target had, which are fewer than N where other
# work runs beside it. The exit code is 1 if anything was found.
set -euo pipefail

seconds=600
record=1
targets=()
while (($# > 0)); do
  case $1 in
    --seconds)
      [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || { echo "fuzz: --seconds needs a number" >&2; exit 1; }
      seconds=$2
      shift
      ;;
    --no-record) record=0 ;;
    -*) echo "usage: tools/fuzz.sh [TARGET...] [--seconds N] [--no-record]" >&2; exit 1 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
for tool in clang++ cmake ninja; do
  command -v $tool >/dev/null || { echo "fuzz: $tool is missing; tools/setup.sh --ci installs it" >&2; exit 1; }
done
((${#targets[@]} > 0)) || mapfile -t targets < <(ls testdata/fuzz)
for target in "${targets[@]}"; do
  [[ -d testdata/fuzz/$target ]] || { echo "fuzz: there is no target $target in testdata/fuzz" >&2; exit 1; }
done

results=tests/fuzz/RESULTS.md
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -j 2

# What LeakSanitizer and the quarantine of freed memory take is not the target's.
export ASAN_OPTIONS=quarantine_size_mb=16 UBSAN_OPTIONS=print_stacktrace=1

clean_seconds_before() {  # TARGET: those of its last line in the table
  awk -F'|' -v target="$1" '{ gsub(/ /, "", $3) } $3 == target { clean = $8 } END { print clean + 0 }' "$results"
}

found_any=0
run_target() {
  local target=$1 corpus=build/fuzz/corpus/$1 findings=build/fuzz/findings/$1 log=build/fuzz/$1.log
  local code=0 TIMEFORMAT='%U %S'
  mkdir -p "$corpus" "$findings"
  local before
  before=$(find "$findings" -type f | wc -l)
  echo "== $target, $seconds s"
  { time "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=2 -rss_limit_mb=512 \
      -print_final_stats=1 -artifact_prefix="$findings/" "$corpus" "testdata/fuzz/$target" >"$log" 2>&1 || code=$?
  } 2>"$log.time"
  local spent
  spent=$(awk '{ print int($1 + $2) }' "$log.time")
  local found=$(($(find "$findings" -type f | wc -l) - before))
  if ((code != 0 && found == 0)); then found=1; fi  # ended without an input to show for it
  local executions edges clean
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(grep -o 'cov: [0-9]*' "$log" | tail -1 | cut -d' ' -f2 || true)
  clean=$(($(clean_seconds_before "$target") + spent))
  if ((found > 0)); then
    clean=0
    found_any=1
    grep -m1 -E 'broken promise|ERROR: |runtime error' "$log" || true
  fi
  local line="| $(date +%F) | $target | $spent | ${executions:-0} | ${edges:-0} | $found | $clean |"
  echo "$line"
  if ((record)); then echo "$line" >>"$results"; fi
}

for target in "${targets[@]}"; do run_target "$target"; done
exit "$found_any"
