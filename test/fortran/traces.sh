#!/usr/bin/env bash
# Recorded Fortran programs: elements have the names that the source gives them, and whole arrays and sections are recorded.
# usage: traces.sh BUILD SOURCE
set -eu
driver=$1/driver
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$2/test/fortran/traces.f90" "$2/test/fortran/assigned.f90" "$work"
cd "$work"
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
# record NAME TEXT..: some line of the dump ends so.
has() {
  for text in "$@"; do
    awk -v text="$text" 'substr($0, length($0) - length(text) + 1) == text { found = 1 } END { exit !found }' dump || fail "the dump does not have '$text'"
  done
}
for level in O0 O2; do
  "$driver/dvmfc" "-$level" -fdvm=trace traces.f90 -o traces
  echo 1 2 | "$driver/dvm" record -o ref.dvmt -- ./traces
  "$driver/dvm" trace dump ref.dvmt >dump
  has ' array b(4,4), distribute (block,*)' ' b(1,2) = 21' ' b(4,1) = 14' ' a(-1,1) = 0' ' a(4,3) = 0' ' a(1,2) = 12' ' a(4,3) = 7' \
    ' a(-1,3) = 8' ' z(2) = 1+2i' ' c(0, 2) = 3' ' c(:, 1) (byte 16) = 2' ' g(1,5) = 2' ' p(3)%y(2) = 4' ' b(2,4) = 5' ' a(-1,2) = 6'
  [ "$(grep -c ' a(.*= 0$' dump)" = 18 ] || fail "'a = 0' has 18 elements"
  [ "$("$driver/dvm" trace dump --element 'a(-1,3)' ref.dvmt | wc -l)" = 3 ] || fail "an element is selected by its name"
  [ "$("$driver/dvm" trace dump --element 'p(3)%y(2)' ref.dvmt | wc -l)" = 1 ] || fail "a component is selected by its name"
  "$driver/dvm" trace dump --element 'a(5,1)' ref.dvmt | grep . && fail "there is no a(5,1)"
  mkdir -p changed
  sed 's/i + 10 \* j/i + 10 * j + j \/ 4/; s/\[7, 8\]/[7, 1]/' traces.f90 >changed/traces.f90
  "$driver/dvmfc" "-$level" -fdvm=trace changed/traces.f90 -o other
  echo 1 2 | "$driver/dvm" compare ref.dvmt -- ./other >said 2>&1 && fail "differences are found"
  for text in "23:7: error: 'b(1,4)' is 42, the reference has 41" "28:3: error: 'a(-1,3)' is 1, the reference has 8"; do
    grep -qF "$text" said || fail "'$text' is not said: $(cat said)"
  done
  echo 1 2 | "$driver/dvm" compare ref.dvmt -- ./traces 2>said || fail "the same program agrees: $(cat said)"
  # Each element once, in the order of the loops that the statement means.
  "$driver/dvmfc" "-$level" -fdvm=trace assigned.f90 -o assigned
  "$driver/dvm" record -o assigned.dvmt -- ./assigned
  "$driver/dvm" trace dump assigned.dvmt | sed -n 's/.*f90:\([0-9]*\):[0-9]* *\(.* = .*\)/\1 \2/p' >dump
  # elements LINE WHAT: what the statement there assigns, in any order
  elements() {
    local line=$1
    shift
    printf "$line %s\n" "$@" | sort >wanted
    grep "^$line " dump | sort | diff wanted - || fail "line $line assigns other elements at $level"
  }
  elements 10 'a(1) = 2' 'a(2) = 4' 'a(3) = 6'
  elements 11 'b(1,2) = 3' 'b(1,3) = 3' 'b(2,1) = 4' 'b(2,3) = 4' 'b(3,1) = 5' 'b(3,2) = 5'
  elements 12 'b(1,1) = 2' 'b(2,1) = 2' 'b(3,1) = 2' 'b(1,2) = 4' 'b(2,2) = 4' 'b(3,2) = 4' 'b(1,3) = 6' 'b(2,3) = 6' 'b(3,3) = 6'
  elements 14 'b(1,2) = 7' 'b(1,3) = 7' 'b(2,3) = 7'
  elements 17 'a(3) = 9'
  elements 19 'a(1) = 1' 'a(2) = 3'
  elements 21 'a(0) = -1'
  elements 24 'c(2) = 7' 'c(3) = 4' 'c(4) = 4'
  elements 26 'c(2) = 10' 'c(1) = 20'
  elements 29 'b(1,2) = 0' 'b(1,3) = 0' 'b(2,3) = 0'
done
echo 'traces: done'
