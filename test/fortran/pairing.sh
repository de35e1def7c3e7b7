#!/bin/bash
# Of each reference of these programs the place in the text is known, but of names that USE renames: pairing.sh DVMFC PROGRAM..
dvmfc=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for program; do
  "$dvmfc" -O0 -mllvm -dvm-fortran-pairing -I "$(dirname "$0")/include" -J "$work" -c "$program" -o "$work/object.o" 2> "$work/said" || failed=1
  grep '^pairing: ' "$work/said" || failed=1
  if grep '^pairing: .*: .* in the text' "$work/said" | grep -v "right/allocated.f90:71:7: 'g'"; then
    failed=1
  fi
  grep -q '^pairing: .* [1-9][0-9]* exact, [0-9]* not$' "$work/said" || { cat "$work/said"; failed=1; }
done
exit $failed
