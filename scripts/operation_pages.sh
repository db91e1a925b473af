#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/operations/ from the tables: scripts/operation_pages.sh [TILENEST]
set -euo pipefail
cd "$(dirname "$0")/.."
tilenest=${1:-build/dev/tilenest}
mkdir -p docs/operations
rm -f docs/operations/*.md
"$tilenest" ops --markdown > docs/operations/README.md
for page in $(sed -n 's/^| \[\([a-z_]*\)\].*/\1/p' docs/operations/README.md); do
  "$tilenest" ops "$page" --markdown > "docs/operations/$page.md"
done
