#!/bin/bash
# Nests of DO loops are proved when they are entered: summaries.sh BUILD SOURCE
set -e
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for level in -O0 -O2; do
  for program in jacobi.f sor.f redblack.f90; do
    "$1/driver/dvmfc" $level "$2/samples/$program" -o "$work/program"
    DVM_OPTIONS=stats=1 "$work/program" > /dev/null 2> "$work/said"
    # Those that are executed in the loop over time: all but the first one.
    if grep 'stats: .* run [0-9]* times, .* accesses;' "$work/said" | grep -v 'proved at entry'; then
      echo "a nest of $program is judged access by access at $level"
      exit 1
    fi
    grep -q 'proved at entry [0-9]* times' "$work/said" || { echo "no nest of $program is proved at $level"; exit 1; }
  done
done
