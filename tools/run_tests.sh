#!/usr/bin/env bash
# Builds bdelta and runs its tests.
# usage: tools/run_tests.sh [fast|ci|all]
#   fast  the default: release build with every test that needs no outside files, that of 300 MB included
#   ci    what a change has to pass within 30 minutes on 2 cores: a build by gcc that optimises less, cases of tests not
#         at all, and compiles the files of a room together; by clang, with AddressSanitizer and UndefinedBehaviorSanitizer; ThreadSanitizer.
#         Each leaves out what takes it longest and looks at much the same as other tests or those of another build do.
#         Benchmarks are not built, and only AddressSanitizer's build runs the fuzz targets. The Python package is built
#         with the first build's library and tested, for which pip fetches what tools/python.sh names
#   all   fast, and both sanitizers with nothing left out
# Every step runs, whatever became of the others; the exit code is that of the first failure. A run of no tests is
# a failure. With CI=true a skipped step is a failure too. Build directories are kept.
# The summary names each test that was skipped. Tests of a corpus need BDELTA_CORPUS, a directory of pairs of real files
# as tools/bench/README.md has it; `fast` and `all` then take as long as these pairs do.
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
lacks_corpus=''

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

without=''  # programs of tests that the next build leaves out, a regular expression

build() {  # PRESET [TARGETS]
  cmake --preset "$1" "-DBDELTA_WITHOUT_TESTS=$without" &&
    "${wrapper[@]}" cmake --build --preset "$1" -j "$jobs" ${2:+--target $2}
}

# run_ctest PRESET FILTER...: the tests the filter leaves; none at all is a failure.
run_ctest() {
  local directory=build/$1 code=0 count log failed skipped
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
  failed=$(sed -nE 's/^\t[ \t]*[0-9]+ - (.*) \((Failed|Timeout|.*Exception.*|Not Run)\).*$/\1/p' "$log")
  if [[ -n $failed ]]; then closing+=("  failed: ${failed//$'\n'/, }"); fi
  skipped=$(sed -n 's/^\t[ \t]*[0-9]* - \(.*\) (Skipped)$/\1/p' "$log")
  if [[ -n $skipped ]]; then closing+=("  skipped: ${skipped//$'\n'/, }"); fi
  if [[ $skipped == *[Cc]orpus* ]]; then lacks_corpus=true; fi
  return "$code"
}

# run_python BUILD: the Python package with the library of a build. What failed is told at the end, as of other tests.
run_python() {
  local log=$1/last_python.log code=0 failed
  tools/python.sh "$1" 2>&1 | tee "$log" || code=$?
  closing+=("$1, Python: $(grep -E '^[0-9]+ (passed|failed)|^python: .* failed' "$log" || echo 'pytest did not finish')")
  failed=$(sed -nE 's/^(FAILED|ERROR) /  &/p' "$log")
  [[ -z $failed ]] || closing+=("$failed")
  return "$code"
}

# check PRESET TARGETS FILTER...: one build, then its tests. No TARGETS are everything.
check() {
  local preset=$1 targets=$2
  shift 2
  if run_step "$preset: build" build "$preset" "$targets"; then
    run_step "$preset: tests" run_ctest "$preset" "$@" || true
  else
    echo "$preset: tests are not run without a build"
    record "$preset: tests" 'not run' 0
  fi
}

# but REGEX: the filter for a run that leaves these tests out, unless all are asked for.
but() {
  local groups=${1//[^(]/}
  if ((${#groups} > 9)); then
    echo "a filter has ${#groups} groups; ctest knows 9, and would leave out nothing"
    exit 1
  fi
  filter=()
  [[ $mode == all ]] || filter=(-E "$1")
}

wrapper=(env)
if [[ $mode == ci ]]; then
  # Left out are the slowest of levels and ways that have others, what takes the second reader longest, and what is large
  # but for one pair, which is smaller.
  without='^(fuzz|hostile_.*|fault_(io|errors|crash)|unit_(base|codec|model|context_coder|miss_coder|parallel|watch'
  without+='|timeline|format|exe_.*|fills|page_hash|view_members|substitution_table|program_plan|guard_page'
  without+='|io_.*))$'  # which AddressSanitizer's build has
  left_out='Strangers\..*/[12]|PredictionLevels.*/2|PeakMemory.*/2|^second_reader.[012]|^large.([ag]|many)'
  left_out+='|ShortStrings.AllPairs/Bdt2Level10'
  # AddressSanitizer's build has these.
  left_out+='|LiteralCoder.(Any|Tables|Every|Errors|Code)|FilesFault.*[02468]$|ModelledMisses.(Of|Are)'
  left_out+='|HostileRecipe|TwoHashes.Odd|Matcher.Ranked|Rebuild.(EdgesOf|Flushes)'
  if [[ -n ${BDELTA_CORPUS:-} ]]; then left_out+='|^large.corpus$'; fi
  but "$left_out"
  export BDELTA_LARGE_SIZE=100M
  check gate '' "${filter[@]}"
  if [[ -f build/gate/src/libbdelta.a ]]; then
    run_step "gate: python" run_python build/gate || true
  fi
else
  check release ''
fi

if [[ $mode != fast ]]; then
  if command -v clang++ >/dev/null; then
    # Left out is what takes long to find that bytes depend on no number of threads, which the other two builds look at;
    # what runs the programs, often hundreds of times; sizes of patches, which depend on no sanitizer; slow levels of
    # pairs that other levels have; what several tests look at in one way; and what reads the tree alone.
    left_out='AnyThreadCountGivesTheSamePatch|DontDependOnThreads|DontChangeThePatch|NeitherThreadsNor'
    left_out+='|IsTheSameForAnyNumber|ForAnyThreads|Threads/Trace|Trace.Of.*/1|^cli\.'
    left_out+='|Prediction.(OfALong|Programs|MakesPatchesOf|GivesWay|NotWhere|Finds|Kinds)|Levels/Strangers'
    left_out+='|UltraDoesWithoutSubstitutions|InPlaceOfModelled|AnyThreadsMake|Threads.AnyNumberGives'
    left_out+='|Size\.|PriceOfModelled|ModelledBytes.UnderALimit'
    left_out+='|^Choice\.|OutOfMemory(DeathTest)?.WhileCreatingForPrograms|Readers.WithAnd|ThreadsApplyFormats'
    left_out+='|PredictedAtLevel.*/[23]|(Module|Substitution)Levels.*/[23]|FillLevels.*/[2367]$|FillLevels.*/1[01]$|SignedJars.*/[12]$'
    left_out+='|CodedGroups.AreWrittenAs|Segments.(Report|OfTheOldFormat|KeepTo)|Parse.IsNear'
    left_out+='|LiteralCoder.(OneVeryLong|TextComes|RandomBytes)|MemberAlignment.ArchivesIn'
    left_out+='|FilesFault.*[13579]$|NumberPass.MovesNothing'
    left_out+='|Crafted(TargetCopies|Words).ComeBackFromWindows|ModelledMisses.AnyWindows|Prediction.RebuildsThrough'
    left_out+='|Rebuild.(ThreadsDoNotMatter|AnyStreamComesBack)|Rebuilding.OfLarge|ShortStrings.AllPairs/Bdt2Level10'
    left_out+='|ViewOptions.(LargeTexts|ALimit)|TwoHashes.OwnStreams|OutOfMemoryDeathTest.WhileApplyingToArchives'
    left_out+='|RoundTrip.*/Bdt2Level10|Prediction.Is(NotTried|OfPrograms)|^Levels.AreNoLarger|AreSmallAtEvery|MakeSmall'
    left_out+='|AnalysingByAllThreads|^rooms\.|Lending.Gives'
    left_out+='|InPlaceFault.[AT].*/Grows|InPlaceFault.[AT].*/Shrinks'
    left_out+='|TreeUpdateFault.The|TreeUpdateFault.ASync|Rebuild.Gos|Rebuild.Zlibs|ViewOptions.FilesThat|ViewOptions.Threads'
    left_out+='|OfALargeStream|OfLargeStreams|ApplyProgress.EndsAtAll|Prediction.TextBeside'
    but "$left_out"
    without=''
    if [[ $mode == ci ]]; then
      # ThreadSanitizer's build has some of these. The others look at what is decided and told, and no bytes of others
      # come to them; or nothing is left of them.
      without='^(unit_(parallel|watch|timeline|cli|plan|budget|capabilities|group_outline)'
      without+='|property_(report_digests|trace|notation)|fault_peak_memory|corpus)$'
    fi
    # Remembering where from each piece of memory was asked for takes a tenth of the time; `all` says it in full.
    [[ $mode == all ]] || export ASAN_OPTIONS=${ASAN_OPTIONS:-malloc_context_size=4}
    check asan-ubsan '' -LE 'large|slow' "${filter[@]}"
  else
    skip_step asan-ubsan "no clang++ here"
  fi
  # ThreadSanitizer of older compilers dies under strongly randomised addresses; tests also run while building.
  if setarch "$(uname -m)" -R true 2>/dev/null; then wrapper=(setarch "$(uname -m)" -R); fi
  # Left out are those that take longest: the levels whose coders are slow, files that share nothing, where threads have
  # little part, what has no second thread, and what is looked at in one way by several tests, but for one of them.
  left_out='Levels\..*/[23]$|Strangers|Limited.PatchesRebuildForAnyThreads|PredictionLevels|Size.OneByteIn'
  left_out+='|ThreadsApplyFormats.*/1|InPlaceOfModelled'
  left_out+='|Prediction\.[^R]|Renumbered|Fields.AreKept|(Module|Substitution)Levels.*/1|FillLevels.*/[15679]$'
  left_out+='|Levels/SignedJars.*/[12]|Fills.OutOfOrder|Rebuilding.EndsWhereACallbackSaysSo'
  left_out+='|FindTargetCopies.NoneWhere|Readers.WithAnd|Threads/Trace'
  left_out+='|Segments.(ReportProgress|OfTheOldFormat|KeepTo)|Trace.OfCreateAgreesWithItsReport/1|^cli\.'
  left_out+='|Levels/Threads.AnyNumberGivesTheSamePatch/1|ArchivesInAnotherOrder|Modules.WindowsOf|(Fill|SignedJars).WindowsOfAnySize'
  left_out+='|SortingByAll.SortsAsOneThreadDoes/[123]|SortsByAnOrderAndKeepsThatOfEquals/[023]'
  left_out+='|LiteralGroups.AreCounted|SourceGrams|LocalTable|ShiftedFunction|FindCovers|Modules.Beside'
  left_out+='|^Parse\.(IsNear|EndsOn|Fewer|Joins|Gives|Where)'
  left_out+='|Levels.AreNo|DamagedArchives|Bombs|GzipViews|MemberFieldsInPatches|Rebuilding.OfALargeOne$'
  left_out+='|ViewOptions.(LargeTexts|ALimitOfTheTime|FilesThat|OldUnpacked)|LentTokens.(WhereBlocks|NotWhere)'
  left_out+='|UnpackReport|Notation|Rebuilding.OfLargeAndSmall|ApplyProgress.EndsAtAll'
  but "$left_out"
  without=''
  targets='parallel_tests bdelta bpatch make_pair'
  if [[ $mode == ci ]]; then  # it has the programs where threads are made and meet; the others do so as these do
    without='^(unit_(view_alignment|view_members|exe_predict|io_.*)'
    without+='|property_(words|segments|bail_out))$'
    targets=parallel_tests
  fi
  check tsan "$targets" -L parallel "${filter[@]}"
fi

echo
printf '%s\n' "${summary[@]}"
if ((${#closing[@]})); then printf '%s\n' "${closing[@]}"; fi
if [[ -n $lacks_corpus ]]; then
  echo "Tests of real files were skipped: set BDELTA_CORPUS to a directory of pairs, see tools/bench/README.md."
fi
if ((first_failure == 0)); then echo "All steps passed."; else echo "Something failed, see above."; fi
exit "$first_failure"
