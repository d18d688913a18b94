#!/usr/bin/env bash
# Builds bdelta and runs its tests.
# usage: tools/run_tests.sh [fast|ci|all]
#   fast  the default: release build with every test that needs no outside files, the one of 300 MB included
#   ci    as well: by clang, with warnings as errors, AddressSanitizer and UndefinedBehaviorSanitizer; ThreadSanitizer.
#         Both leave out what takes them longest and looks at much the same as other tests do
#   all   the same with nothing left out: a quarter of an hour more
# Every step runs, whatever became of the others; the exit code is that of the first failure. A run of no tests is
# a failure. With CI=true a skipped step is a failure too. Build directories are kept.
set -euo pipefail

mode=${1:-fast}
if (($# > 1)) || [[ $mode != fast && $mode != ci && $mode != all ]]; then
  echo "usage: tools/run_tests.sh [fast|ci|all]" >&2
  exit 1
fi
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
if [[ $mode == fast ]]; then tools/setup.sh; else tools/setup.sh --ci; fi

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

# but REGEX: the filter for a run that leaves these tests out, unless all are asked for.
but() {
  filter=()
  [[ $mode == all ]] || filter=(-E "$1")
}

if [[ $mode != fast ]]; then
  if command -v clang++ >/dev/null; then
    # Left out is what takes long to find that bytes depend on no number of threads, which the other two builds look at;
    # sizes of patches and what a terminal shows, which depend on no sanitizer; slow levels of pairs that other levels
    # have; each option of bdelta in turn, all of which other tests call; and what several tests look at in one way.
    left_out='AnyThreadCountGivesTheSamePatch/2|TargetCopies.DontDependOnThreads'
    left_out+='|Prediction.OfALong|Prediction.ProgramsThatShareNothing|Strangers.*/2|Bdt2Level11|Renumbered.MaxDoesWithoutWords'
    left_out+='|Size\.|PriceOfLight|AreNotMuchLarger|Contents.(ProgramsTake|UnderALimit)|Choice.OfLarge'
    left_out+='|OutOfMemoryDeathTest.WhileCreatingForPrograms|^cli.(create_options|terminal)'
    left_out+='|PredictedAtLevel.*/[13]|(Archive|Package|Signed)Levels.*/3|Contents.(TextTakes|WhereHardly)|Choice.ReportsWhat'
    left_out+='|CodedGroups.AreWrittenAs|Segments.ReportProgress|Trace.Of.*/1|Readers.WithAnd|^cli.trace'
    left_out+='|ThreadsApply.AnyNumberThrough|Parse.IsTheSameForAnyNumber|Limited.PatchesRebuildForAnyThreads'
    left_out+='|LiteralCoder.OneVeryLong|MemberAlignment.ArchivesIn|Segments.OfTheOldFormat'
    but "$left_out"
    check asan-ubsan '' -LE 'large|corpus|slow' "${filter[@]}"
  else
    skip_step asan-ubsan "no clang++ here"
  fi
  # ThreadSanitizer of older compilers dies under strongly randomised addresses; tests also run while building.
  if setarch "$(uname -m)" -R true 2>/dev/null; then wrapper=(setarch "$(uname -m)" -R); fi
  # Left out are those that take longest: the levels whose coders are slow, files that share nothing, where threads have
  # little part, what has no second thread, and what is looked at in one way by several tests, but for one of them.
  left_out='Levels\..*/[23]$|Strangers|Limited.PatchesRebuildForAnyThreads/[12]|PredictionLevels.*/0|Size.OneByteIn'
  left_out+='|Prediction.(Programs(ThatShareNothing|ChangedAtRandom)|MakesPatchesOfRelinked|OfALong|ApplyingKeeps|KindsThat)'
  left_out+='|Prediction.(GivesWay|NotWhere|FindsPrograms|OfMorePrograms)|Renumbered.(Max|AnyThreads)|Fields.AreKept'
  left_out+='|FindTargetCopies.NoneWhere|Readers.WithAnd|Threads/Trace'
  left_out+='|Segments.(ReportProgress|OfTheOldFormat|KeepTo)|Trace.OfCreateAgreesWithItsReport/1|^cli.(trace|terminal|apply_options)'
  left_out+='|Levels/Threads.AnyNumberGivesTheSamePatch/1|ArchivesInAnotherOrder'
  left_out+='|SortingByAll.SortsAsOneThreadDoes/[03]|SortsByAnOrderAndKeepsThatOfEquals/[03]|Sorting.LooksAt'
  left_out+='|LiteralGroups.AreCounted|SourceGrams|LocalTable|ShiftedFunction|FindCovers'
  left_out+='|^Parse\.(IsNear|EndsOn|Fewer|Joins|Gives)'
  but "$left_out"
  check tsan parallel_tests -L parallel "${filter[@]}"
fi

echo
printf '%s\n' "${summary[@]}"
if ((${#closing[@]})); then printf '%s\n' "${closing[@]}"; fi
if ((first_failure == 0)); then echo "All steps passed."; else echo "Something failed, see above."; fi
exit "$first_failure"
