#!/usr/bin/env bash
# Arrays of modules that other files allocate: modules, submodules and users in files of their own.
# usage: modules.sh BUILD SOURCE
set -eu
dvmfc=$1/driver/dvmfc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
# build FLAGS: objects, linked in both orders.
build() {
  for file in owner inner user; do
    "$dvmfc" "$@" -c $file.f90 -o $file.o 2>said || fail "$* $file.f90: $(cat said)"
    [ ! -s said ] || fail "$* $file.f90 says $(cat said)"
  done
  "$dvmfc" "$@" owner.o inner.o user.o -o forward
  "$dvmfc" "$@" user.o inner.o owner.o -o backward
}
# says FILE OLD NEW TEXT: of the program with another text.
says() {
  cp "$1" kept
  grep -qF "$2" "$1" || fail "'$2' does not stand in $1"
  old=$2 new=$3 perl -pi -e 's/\Q$ENV{old}\E/$ENV{new}/' "$1"
  build -g -O1
  ./forward >/dev/null 2>said && fail "'$4' is not said: nothing is"
  grep -qF "$4" said || fail "'$4' is not said: $(cat said)"
  cp kept "$1"
}
cp "$2"/test/fortran/modules/*.f90 "$work"
cd "$work"

build -fdvm=off
./forward >expected
for level in -O0 -O2; do
  build -g $level
  for program in forward backward; do
    ./$program >out 2>said || fail "$program at $level: $(cat said)"
    [ ! -s said ] || fail "$program at $level says $(cat said)"
    cmp -s out expected || fail "$program at $level prints $(cat out)"
  done
done
says user.f90 ', SHADOW_RENEW(x)' '' "user.f90:19:14: error: 'x(0)' ('a(0)') is read from the shadow edge, which was never renewed"
says user.f90 'x(i + 1)' 'x(i + 2)' "user.f90:19:25: error: 'x(3)' ('a(3)') is read outside"
says owner.f90 '!DVM$ SHADOW a(1:1)' '!DVM$ SHADOW a(0:1)' "user.f90:19:14: error: 'x(0)' ('a(0)') is read outside"
says user.f90 'ON a(i)' 'ON a(i + 1)' "user.f90:36:5: error: 'a(1)' is written"
says user.f90 'line(5), ' '' "user.f90:51:11: error: 'line(5)' is read outside parallel loops"
says inner.f90 'own(i) = i' 'own(i) = own(n + 1 - i)' "inner.f90:14:16: error: 'own(24)' is read outside"
# A module of plain flang: the arrays are nobody's.
build -g
"$dvmfc" -fdvm=off -c owner.f90 -o owner.o
"$dvmfc" user.o inner.o owner.o -o plain
./plain >/dev/null 2>said && fail "directives with arrays that are not distributed are told"
grep -qF "'x' in 'on' is not a distributed array in this run" said || fail "it says $(cat said)"

if [ -e "$1/runtime/libdvmpar.so" ]; then
  build -O2 -fdvm=parallel
  for n in 1 3; do
    for program in forward backward; do
      DVM_OPTIONS=poison=1 mpirun --oversubscribe -n $n ./$program >out 2>said || fail "$program on $n ranks: $(cat said)"
      cmp -s out expected || fail "$program on $n ranks prints $(cat out)"
    done
  done
fi
echo 'modules: done'
