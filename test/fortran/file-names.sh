#!/usr/bin/env bash
# Files '.fdv' and '.cdv': Fortran in fixed form and C, for every command, without options.
# usage: file-names.sh BUILD SOURCE
set -eu
driver=$1/driver samples=$2/samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
# silent COMMAND..: it succeeds and says nothing.
silent() {
  "$@" >out 2>said || fail "$*: $(cat said)"
  [ ! -s said ] || fail "$* says: $(cat said)"
}
# fails TEXT COMMAND..
fails() {
  "${@:2}" >out 2>said && fail "${*:2} succeeds"
  grep -qF -- "$1" said || fail "${*:2} does not say '$1' but: $(cat said)"
}
cp "$samples/jacobi.f" jac.fdv
cp "$samples/jacobi.c" jac.cdv
silent "$driver/dvmfc" -fdvm=off "$samples/jacobi.f" -o plain
./plain >expected

for mode in off check trace; do
  silent "$driver/dvmfc" -fdvm=$mode -g jac.fdv -o program
  silent ./program
  cmp -s out expected || fail "-fdvm=$mode of jac.fdv prints something else"
done
silent "$driver/dvmfc" -c jac.fdv
silent "$driver/dvmfc" jac.o -o program
silent "$driver/dvm" check jac.fdv -O1
cmp -s out expected || fail "dvm check jac.fdv prints something else"
sed 's/, SHADOW_RENEW(A)//' jac.fdv >wrong.fdv
fails 'wrong.fdv:' "$driver/dvm" check wrong.fdv
grep -q 'dvm-shadow-stale' said || fail "wrong.fdv: $(cat said)"
silent "$driver/dvm" check jac.fdv -x none

# Each file has its own form and language; a '-x' and a form of the user's count.
cat >main.fdv <<'X'
      PROGRAM MAIN
C     a comment of fixed form
      REAL A(8)
CDVM$ DISTRIBUTE A (BLOCK)
CDVM$ PARALLEL (I) ON A(I)
      DO 10 I = 1, 8
   10 A(I) = I +
     *       1
      CALL FREE(N)
      CALL INC(N)
      PRINT *, N
      END
X
cat >free.f90 <<'X'
subroutine free(n)
  n = 1 + & ! a line that goes on
      1
end subroutine
X
echo 'void inc_(int *n) { ++*n; }' >inc.cdv
cp main.fdv main.c
for mode in off check; do
  silent "$driver/dvmfc" -fdvm=$mode main.fdv free.f90 inc.cdv -o mixed
  silent ./mixed
  grep -qx ' *3' out || fail "mixed, -fdvm=$mode: $(cat out)"
done
silent "$driver/dvmfc" -c -ffixed-form -x f95 main.c -x none inc.cdv
silent "$driver/dvmfc" -ffixed-form -xf95 jac.fdv -o program
printf 'program main\n  print *, &\n    1\nend\n' >free.fdv
silent "$driver/dvmfc" -ffree-form free.fdv -o program
fails free.fdv "$driver/dvmfc" free.fdv -o program

silent "$driver/dvmcc" jac.cdv -lm -o program
silent ./program
silent "$driver/dvmcc" -c jac.cdv
silent "$driver/dvmcc" -fdvm=off jac.cdv -lm -o program
silent "$driver/dvm" check jac.cdv -O1
sed 's/ shadow_renew(A)//' jac.cdv >wrong.cdv
fails 'dvm-shadow-stale' "$driver/dvm" check wrong.cdv
if [ -x "$driver/dvm" ]; then # repairs keep the names
  for file in wrong.fdv wrong.cdv; do
    "$driver/dvm" fix --in-place $file >out 2>said || fail "dvm fix $file: $(cat said)"
    silent "$driver/dvm" check $file
  done
fi
echo 'file names: done'
