#!/usr/bin/env bash
# Installs a build into a folder of its own, builds the outside project next to this script against it and runs it.
#   tests/install/run.sh BUILD_DIR
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" || { cat "$work/install.log"; exit 1; }
# The source tree must not be seen: only what is installed counts.
cp "$here/CMakeLists.txt" "$here"/*.cpp "$work/"
for standard in 20 23; do
  cmake -G Ninja -S "$work" -B "$work/build$standard" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_STANDARD=$standard -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 &&
    cmake --build "$work/build$standard" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/build$standard/outside"
done
if [[ -x $work/prefix/bin/tilenest ]]; then
  (cd / && "$work/prefix/bin/tilenest" explain P0001 | grep -q '^# P0001: ')
  echo "the installed tilenest explains a code"
fi
