#!/usr/bin/env bash
# Compiles the surface with one compiler and standard: surface_check.cpp without a warning, and each statement of
# rejected.txt to an error that shows the words beside it.
#   tests/dsl/compile_check.sh COMPILER STANDARD
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-std=c++"$2" -Wall -Wextra -Wno-missing-field-initializers -fsyntax-only -I"$root" -I"$root/include")
if [[ $("$1" --version) == *clang* ]]; then
  flags+=(-Wno-deprecated-comma-subscript -ferror-limit=0)
else
  flags+=(-Wno-comma-subscript)
fi
failed=0
"$1" "${flags[@]}" -Werror "$here/surface_check.cpp" || failed=1

# One function per statement; line n of statements is line n of the list of words.
printf '#include <tilenest/dsl.h>\nusing namespace tilenest;\n' >"$work/misuse.cpp"
lines=2
declare -A words statements
while IFS= read -r line; do
  [[ -z $line || $line == '#'* ]] && continue
  lines=$((lines + 1))
  statements[$lines]=${line%% ;; *}
  words[$lines]=${line#* ;; }
  printf '[[maybe_unused]] static void f%d(TensorView<const f32, 2> A, TensorView<f32, 2> C, Tile<f32> x, Tile<f64> y) { (void)A, (void)C, (void)x, (void)y; %s }\n' \
    $lines "${statements[$lines]}" >>"$work/misuse.cpp"
done <"$here/rejected.txt"
"$1" "${flags[@]}" "$work/misuse.cpp" >"$work/out" 2>&1
for line in "${!words[@]}"; do
  if ! grep -q "misuse\.cpp:$line:" "$work/out"; then
    echo "compiles and must not: ${statements[$line]}"
    failed=1
  elif ! grep -qF -- "${words[$line]}" "$work/out"; then
    echo "no \"${words[$line]}\" in the error of: ${statements[$line]}"
    failed=1
  fi
done
((failed)) && grep -E 'error|note' "$work/out" | head -n 60
exit $failed
