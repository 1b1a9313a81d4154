#!/usr/bin/env bash
# Checks the site in DIR, annotates its files, and leaves the exit code to a later step.
set -euo pipefail

options=(--format json --no-state)
[ "$STRICT" != true ] || options+=(--strict)
code=0
quire check "$DIR" "${options[@]}" > "$RUNNER_TEMP/quire-check.jsonl" || code=$?
echo "code=$code" >> "$GITHUB_OUTPUT"
# Without a site there is nothing to annotate: the program has said why.
[ "$code" -lt 2 ] || exit "$code"
node "$(dirname "${BASH_SOURCE[0]}")/annotate.mjs" "$RUNNER_TEMP/quire-check.jsonl"
