#!/usr/bin/env bash
# The clock of Fortran-DVM and C-DVM: in the libraries of all modes, unless the program has one of its own.
# usage: clock.sh BUILD
set -eu
driver=$1/driver
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
# prints TEXT COMMAND..: that alone.
prints() {
  "${@:2}" >out 2>said || fail "${*:2}: $(cat said)"
  [ "$(tr -d ' ' <out)" = "$1" ] && [ ! -s said ] || fail "${*:2}: $(cat out said)"
}
cat >clock.f <<'X'
      PROGRAM CLOCK
      DOUBLE PRECISION DVTIME, T
      REAL A(8)
CDVM$ DISTRIBUTE A (BLOCK)
      T = DVTIME()
CDVM$ PARALLEL (I) ON A(I)
      DO 10 I = 1, 8
   10 A(I) = I
      PRINT *, DVTIME() .GE. T, T .LT. 0
      END
X
printf '      DOUBLE PRECISION FUNCTION DVTIME()\n      DVTIME = -1\n      END\n' >own.f
for mode in check trace; do
  "$driver/dvmfc" -fdvm=$mode clock.f -o program
  prints TF ./program
  "$driver/dvmfc" -fdvm=$mode clock.f own.f -o program
  prints TT ./program
done
"$driver/dvmfc" -fdvm=parallel clock.f -o program
prints TF mpirun --oversubscribe -n 2 ./program
cat >clock.cdv <<'X'
#include <stdio.h>
int main(void) {
  double t = dvtime_();
  printf("%d\n", dvtime_() >= t);
  return 0;
}
X
for mode in check trace; do
  "$driver/dvmcc" -fdvm=$mode clock.cdv -o program
  prints 1 ./program
done
echo 'clock: done'
