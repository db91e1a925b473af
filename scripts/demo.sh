#!/usr/bin/env bash
# From nothing to two kernels on array files: installs what is needed, builds the release, runs a matrix product and
# causal flash attention on .npy files, and checks the results against the formulas in f64, in a program that shares no
# code with tilenest.
#   scripts/demo.sh [FOLDER]     the arrays stay in FOLDER (default: build/demo)
set -euo pipefail
cd "$(dirname "$0")/.."
export CCACHE_DEPEND=1 # with a cold cache no file is preprocessed on its own
folder=${1:-build/demo}

# name of the oracle's case | kernel file | inputs | output
cases=(
  "gemm|examples/gemm.tile|A B|C"
  "attention|examples/flash_attention.tile|Q K V|O"
)

tilenest=build/release/tilenest
oracle=build/release/examples/oracle/demo_oracle

scripts/install-deps.sh --demo
echo "demo: building (some minutes the first time)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT

progress() { # standard input to the log, and Ninja's counter to a terminal
  local line
  while IFS= read -r line; do
    echo "$line"
    [[ -t 2 && $line =~ ^\[[0-9]+/[0-9]+\] ]] && printf '\r%s ' "${BASH_REMATCH[0]}" >&2
  done >"$log"
  if [[ -t 2 ]]; then printf '\r\033[K' >&2; fi
}

{ cmake --preset release && cmake --build build/release --target tilenest demo_oracle; } 2>&1 | progress ||
  { cat "$log"; exit 1; }

milliseconds() { # COMMAND...: of its wall time, on standard output
  local start
  start=$(date +%s%N)
  "$@" >/dev/null && echo $((($(date +%s%N) - start) / 1000000))
}

engines=(interp plan)
[[ -e build/release/libtilenest_cpu.so ]] && engines+=(cpu)
export XDG_CACHE_HOME=$folder/cache # of compiled code, empty at first
rm -rf "$folder/cache"

for entry in "${cases[@]}"; do
  IFS='|' read -r name kernel inputs output <<<"$entry"
  mkdir -p "$folder/$name"
  "$oracle" make "$name" "$folder/$name"
  command=("$tilenest" run "$kernel")
  for input in $inputs; do command+=(-i "$input=$folder/$name/$input.npy"); done
  command+=(-o "$output=$folder/$name/$output.npy")
  echo
  echo "\$ ${command[*]}"
  "${command[@]}"
  "$oracle" check "$name" "$folder/$name"
  for engine in "${engines[@]}"; do
    what="--engine $engine"
    [[ $engine == interp ]] && what="$what, checked"
    ms=$(milliseconds "${command[@]}" --engine "$engine")
    [[ $engine == cpu ]] && what="$what, compiled in $ms ms before" && ms=$(milliseconds "${command[@]}" --engine cpu)
    "$oracle" check "$name" "$folder/$name" >/dev/null
    printf '  %6d ms  %s: the same check passes\n' "$ms" "$what"
  done
done

echo
echo "demo: both kernels ran on the files in $folder, on ${#engines[@]} engines, and agree with their formulas"
