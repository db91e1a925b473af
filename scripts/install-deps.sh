#!/usr/bin/env bash
# Installs what tilenest needs on Debian 12, as root or through sudo. What is there already is left alone;
# when nothing is missing, apt is not called and no network is needed.
#   scripts/install-deps.sh            to build the library and the command line
#   scripts/install-deps.sh --tests    also what scripts/test.sh needs
#   scripts/install-deps.sh --demo     what scripts/demo.sh needs
#   scripts/install-deps.sh --bench    also what bench/ needs
set -euo pipefail

build=(g++ cmake ninja-build ccache pkg-config libmpfr-dev libgmp-dev zlib1g-dev libcli11-dev
       nlohmann-json3-dev libtbb-dev libboost-graph-dev llvm-19-dev)
wanted=("${build[@]}")
for mode in "$@"; do
  case $mode in
    --tests) wanted+=(catch2 clang-19 libclang-rt-19-dev) ;;
    --demo) ;;
    --bench) wanted+=(libbenchmark-dev libeigen3-dev libopenblas-dev libdnnl-dev) ;;
    *) sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
done

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  echo "install-deps: everything is installed"
  exit 0
fi
echo "install-deps: installing ${missing[*]}"

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || { echo "install-deps: not root and no sudo; install by hand: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0)
"${apt[@]}" update
"${apt[@]}" install --no-install-recommends "${missing[@]}"
