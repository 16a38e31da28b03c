#!/usr/bin/env bash
# Makes docs/images/overview.png anew: the top of the demo's overview, in a window of 1120 by 1400.
# The demo's figures are the same on any day; its dates are those of the two weeks before.
set -euo pipefail
cd "$(dirname "$0")/../.."
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
"${CARGO_TARGET_DIR:-target}/debug/firstcall" demo --out "$site/demo" >/dev/null
node tests/browser/picture.mjs "$site/demo/report/index.html" docs/images/overview.png
