#!/usr/bin/env bash
# must_report.sh PATTERN PROGRAM [ARGUMENTS]: passes when the program fails and its output has the pattern, that is,
# when the sanitizer reported the planted fault.
set -u
pattern=$1
shift
output=$("$@" 2>&1)
status=$?
if ((status != 0)) && grep -qE "$pattern" <<<"$output"; then
  exit 0
fi
echo "exit status $status, expected a failure that reports: $pattern"
echo "$output"
exit 1
