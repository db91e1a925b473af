#!/usr/bin/env bash
# Installs what the tests need, builds, and runs them all. The last line is `N passed, N failed`; the exit
# status is 0 when nothing failed.
#   scripts/test.sh          a build, the tests, every rule broken once, an outside project against an install, an
#                            address and undefined sanitizer build with its tests
#   scripts/test.sh --all    also the slow tests, the release build, the thread sanitizer, minutes of fuzzing
set -uo pipefail
cd "$(dirname "$0")/.."
export CCACHE_DEPEND=1 # with a cold cache no file is preprocessed on its own

all=false
case ${1-} in
  '') ;;
  --all) all=true ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
esac

passed=0
failed=0
failures=()

verdict() { # STATUS NAME SECONDS
  if (($1 == 0)); then
    passed=$((passed + 1))
    echo "== $2: passed (${3}s)"
  else
    failed=$((failed + 1))
    failures+=("$2")
    echo "== $2: FAILED (${3}s)"
  fi
}

step() { # NAME COMMAND...: one check
  local name=$1 start=$SECONDS status
  shift
  echo "== $name"
  "$@"
  status=$?
  verdict $status "$name" $((SECONDS - start))
  return $status
}

build() { # PRESET TARGETS...: counts only when it fails
  local preset=$1 start=$SECONDS log status
  shift
  log=$(mktemp)
  echo "== build $preset"
  { cmake --preset "$preset" && cmake --build "build/$preset" --target "$@"; } >"$log" 2>&1
  status=$?
  if ((status == 0)); then
    echo "== build $preset: done ($((SECONDS - start))s)"
  else
    grep -vE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log" | tail -n 60
    verdict $status "build $preset" $((SECONDS - start))
  fi
  rm -f "$log"
  return $status
}

run_tests() { # PRESET [REGEX]: every ctest entry (whose name matches) counts
  local preset=$1 start=$SECONDS log status summary
  log=$(mktemp)
  echo "== tests of $preset"
  ctest --test-dir "build/$preset" -R "${2-.}" -j "$(nproc)" --output-on-failure --no-tests=error --timeout 600 >"$log" 2>&1
  status=$?
  summary=$(grep -oE '[0-9]+ tests failed out of [0-9]+' "$log" | tail -n 1)
  if [[ $summary =~ ^([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+)$ ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  fi
  if ((status != 0)); then
    cat "$log"
    mapfile -t -O "${#failures[@]}" failures < <(sed -nE "s/^[[:space:]]+[0-9]+ - ([^ ]+) \\((.*)\\)\$/\1 of $preset (\2)/p" "$log")
    [[ -n $summary ]] || { failed=$((failed + 1)) && failures+=("tests of $preset"); }
  fi
  echo "== tests of $preset: ${summary:-no summary} ($((SECONDS - start))s); the longest: $(sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9]+)\.[0-9]+ sec.*/\2 s \1/p' "$log" | sort -rn | head -n 5 | paste -sd, | sed 's/,/, /g')"
  rm -f "$log"
  return $status
}

slow_tests() { # the test cases tagged [.slow]
  local program status=0
  for program in build/tests/tests/test_*; do
    [[ -x $program && -f $program ]] || continue
    [[ -n $("$program" --list-test-names-only '[slow]') ]] || continue # its status is the number of tests
    step "slow tests of $(basename "$program")" "$program" '[slow]' || status=1
  done
  return $status
}

fuzz() { # every libFuzzer program, SECONDS each
  local program folders found=false
  while IFS= read -r program; do
    found=true
    read -r -a folders <"$program.folders"
    step "fuzzing $(basename "$program")" "$program" -max_total_time="$1" -timeout=60 -rss_limit_mb=4096 \
      -verbosity=0 -print_final_stats=1 -artifact_prefix=build/fuzz/ "${folders[@]}"
  done < <(find build/fuzz/tests/fuzz -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
  $found || verdict 1 "fuzzing: no fuzz_* program was built" 0
}

step "dependencies" scripts/install-deps.sh --tests || exit 1

build tests all && {
  run_tests tests
  step "broken rules" scripts/broken_rules.sh build/tests
  step "an outside project against the install" tests/install/run.sh build/tests
}
build asan all && run_tests asan

if $all; then
  slow_tests
  build release tilenest && step "an outside project against the release's install" tests/install/run.sh build/release
  build tsan all && run_tests tsan
  build fuzz fuzzers planted && run_tests fuzz '^(fuzz|planted)_' && fuzz 120
fi

for name in "${failures[@]}"; do echo "failed: $name"; done
echo "$passed passed, $failed failed"
((failed == 0))
