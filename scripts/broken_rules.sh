#!/usr/bin/env bash
# Breaks each rule that is not pending, one at a time, in a build with TILENEST_BREAKABLE_RULES, and demands that a
# test with the rule's tag fails. Prints a table; the exit status is 0 when every rule was noticed.
#   scripts/broken_rules.sh [BUILD_DIR] [RULE-ID...]      (default: build/dev, every rule)
set -uo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
(($# > 0)) && shift

if ! grep -q '^TILENEST_BREAKABLE_RULES:BOOL=ON' "$build/CMakeCache.txt" 2>/dev/null; then
  echo "broken_rules: $build is no build with TILENEST_BREAKABLE_RULES (preset dev)" >&2
  exit 64
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# RULE PROGRAM lines: which test program has a test with which tag.
for program in "$build"/tests/test_*; do
  [[ -f $program && -x $program && $program != */test_meta ]] || continue
  "$program" --list-tags | grep -oE '\[[A-Z][A-Z0-9-]*\]' | tr -d '[]' | sort -u | sed "s|\$| $program|"
done >"$work/tags"

try_rule() { # RULE: writes one line of the table
  local rule=$1 program output status summary ran=no
  while read -r _ program; do
    ran=yes
    output=$(TILENEST_BREAK=$rule timeout 60 "$program" "[$rule]~[.]~[engines]" 2>&1)
    status=$?
    ((status == 0)) && continue
    summary=$(grep -E '^test cases:' <<<"$output" | tail -n 1 | sed -E 's/ +/ /g')
    if ((status == 124)); then
      printf '%-12s HANGS    %s\n' "$rule" "$(basename "$program")"
    else
      printf '%-12s noticed  %s, %s\n' "$rule" "$(basename "$program")" "${summary:-it ended with status $status}"
    fi
    return
  done < <(grep "^$rule " "$work/tags")
  if [[ $ran == yes ]]; then
    printf '%-12s UNSEEN   its tests pass with the rule broken\n' "$rule"
  else
    printf '%-12s UNTESTED no test has its tag\n' "$rule"
  fi
}
export -f try_rule
export work

if (($# > 0)); then
  rules=("$@")
else
  mapfile -t rules < <(sed -nE 's/^RULE\([a-z0-9_]+, "([A-Z0-9-]+)"\)$/\1/p' semantics/support/rules.def |
    grep -vxFf <(sed -E 's/[[:space:]]*#.*//; /^$/d' docs/pending.txt))
fi

# Each rule's line goes to a file of its own, in the order of rules.def.
for i in "${!rules[@]}"; do printf '%s %s\n' "$(printf '%03d' "$i")" "${rules[$i]}"; done |
  xargs -r -P "$(nproc)" -L 1 bash -c 'try_rule "$1" >"$work/line.$0"'
cat "$work"/line.* 2>/dev/null | tee "$work/table"
noticed=$(grep -c ' noticed ' "$work/table")
echo "broken_rules: $noticed of ${#rules[@]} broken rules were noticed"
((noticed == ${#rules[@]}))
