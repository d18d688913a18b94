#!/usr/bin/env bash
# Builds bdelta and runs its tests.
# usage: tools/run_tests.sh [fast|ci]
#   fast  the default: release build with every test that needs no outside files, the one of 300 MB included
#   ci    as well: by clang, with warnings as errors, AddressSanitizer and UndefinedBehaviorSanitizer; ThreadSanitizer
# Every step runs, whatever became of the others; the exit code is that of the first failure. A run of no tests is
# a failure. With CI=true a skipped step is a failure too. Build directories are kept.
set -euo pipefail

mode=${1:-fast}
if (($# > 1)) || [[ $mode != fast && $mode != ci ]]; then
  echo "usage: tools/run_tests.sh [fast|ci]" >&2
  exit 1
fi
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
if [[ $mode == ci ]]; then tools/setup.sh --ci; else tools/setup.sh; fi

jobs=2
summary=()
closing=()
first_failure=0

record() {  # NAME RESULT SECONDS
  summary+=("$(printf '%-28s %-9s %5d s' "$@")")
}

fail_with() {
  ((first_failure != 0)) || first_failure=$1
}

# run_step NAME COMMAND...: runs, times and records it; its exit code is the command's.
run_step() {
  local name=$1 start=$SECONDS code=0
  shift
  echo "== $name"
  "$@" || code=$?
  if ((code == 0)); then
    record "$name" passed $((SECONDS - start))
  else
    record "$name" FAILED $((SECONDS - start))
    fail_with "$code"
  fi
  return "$code"
}

skip_step() {  # NAME REASON
  echo "== $1: skipped, $2"
  record "$1" skipped 0
  if [[ ${CI:-} == true ]]; then
    echo "CI=true: a skipped step is a failure"
    fail_with 1
  fi
}

build() {  # PRESET [TARGET]
  cmake --preset "$1" && "${wrapper[@]}" cmake --build --preset "$1" -j "$jobs" ${2:+--target "$2"}
}

# run_ctest PRESET FILTER...: the tests the filter leaves; none at all is a failure.
run_ctest() {
  local directory=build/$1 code=0 count log
  shift
  log=$directory/last_tests.log
  count=$(ctest --test-dir "$directory" -N "$@" | sed -n 's/^Total Tests: *//p')
  if [[ -z $count || $count == 0 ]]; then
    echo "no tests in $directory match: $*"
    return 1
  fi
  "${wrapper[@]}" ctest --test-dir "$directory" --output-on-failure --no-tests=error -j "$jobs" "$@" 2>&1 |
    tee "$log" || code=$?
  closing+=("$directory: $(grep -E 'tests passed|No tests were found' "$log" || echo 'ctest did not finish')")
  return "$code"
}

# check PRESET TARGET FILTER...: one build, then its tests. An empty TARGET builds everything.
check() {
  local preset=$1 target=$2
  shift 2
  if run_step "$preset: build" build "$preset" "$target"; then
    run_step "$preset: tests" run_ctest "$preset" "$@" || true
  else
    echo "$preset: tests are not run without a build"
    record "$preset: tests" 'not run' 0
  fi
}

wrapper=(env)
check release '' -LE corpus
if [[ $mode == ci ]]; then
  if command -v clang++ >/dev/null; then
    # Left out is what takes long to find that bytes depend on no number of threads, which the other two builds look at,
    # and each option of bdelta in turn, all of which other tests call.
    left_out='AnyThreadCountGivesTheSamePatch/2|Limited.PatchesRebuildForAnyThreads/[12]|TargetCopies.DontDependOnThreads'
    left_out+='|Renumbered.MaxDoesWithoutWords|Prediction.ProgramsThatShareNothing|^cli.create_options'
    check asan-ubsan '' -LE 'large|corpus|slow' -E "$left_out"
  else
    skip_step asan-ubsan "no clang++ here"
  fi
  # ThreadSanitizer of older compilers dies under strongly randomised addresses; tests also run while building.
  if setarch "$(uname -m)" -R true 2>/dev/null; then wrapper=(setarch "$(uname -m)" -R); fi
  # Left out are those that take longest: files that share nothing, where threads have little part, the levels whose
  # coders are slow, and sizes of patches, which are looked at with one thread.
  left_out='Strangers|Limited.PatchesRebuildForAnyThreads/[12]|PredictionLevels.*/2|MaxDoesWithoutWords'
  left_out+='|Prediction.Programs(ThatShareNothing|ChangedAtRandom)|Prediction.MakesPatchesOfRelinked|Size.OneByteIn'
  left_out+='|Segments.ReportProgress|Segments.OfTheOldFormat|Trace.OfCreateAgreesWithItsReport/1|PredictionLevels.*/0|^cli.trace'
  check tsan parallel_tests -L parallel -E "$left_out"
fi

echo
printf '%s\n' "${summary[@]}"
if ((${#closing[@]})); then printf '%s\n' "${closing[@]}"; fi
if ((first_failure == 0)); then echo "All steps passed."; else echo "Something failed, see above."; fi
exit "$first_failure"
