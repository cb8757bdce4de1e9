#!/usr/bin/env bash
# Pages per second of the whole pipeline against a loopback server, next to the same fetches
# without processing, as a ratio; CRAWLER_BENCH_BYTES: how large the pages are.
# Usage: benches/pipeline.sh [OUTLETS [PAGES_PER_OUTLET]]
set -euo pipefail
cd "$(dirname "$0")/.."
exec cargo bench --quiet --profile "${PROFILE:-dist}" --bench pipeline -- "$@"
