#!/usr/bin/env bash
# Fortran programs on ranks, compared with the sequential run: right ones agree, wrong ones are named at their construct.
# usage: ranks.sh BUILD SOURCE
set -eu
driver=$1/driver samples=$2/samples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fail() {
  echo "FAILED: $1" >&2
  exit 1
}
build() {
  "$driver/dvmfc" -fdvm=trace -g -O1 "$1" -o sequential
  "$driver/dvmfc" -fdvm=parallel,trace -g -O1 "$1" -o ranks
  "$driver/dvm" record --level checksum -o ref.dvmt -- ./sequential >out 2>said || fail "$1 is not recorded: $(cat said)"
}
for sample in "$samples"/*.f "$samples"/*.f90; do
  name=$(basename "$sample")
  cp "$sample" .
  build "$name"
  for n in 1 2 3 4; do
    "$driver/dvm" compare ref.dvmt -- mpirun --oversubscribe -n $n ./ranks >out 2>said || fail "$name on $n ranks: $(cat said)"
    grep -q '(100 % of the reference, 100 % of the run).* 0 different' said || fail "$name on $n ranks: $(cat said)"
  done
done
# wrong NAME OLD NEW TEXT..: on four ranks.
wrong() {
  cp "$samples/$1" "$1"
  grep -qF "$2" "$1" || fail "'$2' does not stand in $1"
  old=$2 new=$3 perl -pi -e 's/\Q$ENV{old}\E/$ENV{new}/' "$1"
  build "$1"
  "$driver/dvm" compare ref.dvmt -- mpirun --oversubscribe -n 4 ./ranks >out 2>said && fail "$1 without '$2' agrees"
  for text in "${@:4}"; do
    grep -qF "$text" said || fail "$1 without '$2': '$text' is not said: $(cat said)"
  done
}
wrong jacobi.f ', SHADOW_RENEW(A)' '' "jacobi.f:29:9: error: 'B' differs from the reference when this construct ends"
wrong jacobi.f ', REDUCTION(MAX(CHANGE))' '' "'CHANGE'" '[dvm-trace-structure]' 'dvm: jacobi.f:23:9 [dvm-trace-structure] 200 times'
wrong redblack.f90 ' SHADOW_RENEW(a),' '' "redblack.f90:21:13: error: 'a' differs from the reference when this construct ends"
wrong sor.f ' ACROSS(A(1:1,1:1)),' '' "sor.f:19:9: error: 'A' differs"
wrong nbody.f90 ', REDUCTION(SUM(energy))' '' "nbody.f90:38:7: error: 'energy'"
wrong multigrid.f90 ', ACROSS(e(1:1, 1:1))' '' "multigrid.f90:41:"
wrong cg.f90 ', REDUCTION(SUM(rho))' '' "'rho'"
# A block that copies, and reads again what it has assigned.
cat >copies.f90 <<'END'
program copies
  integer, parameter :: n = 12
  integer :: a(n), b(n), c(n), i
!DVM$ DISTRIBUTE a(BLOCK)
!DVM$ ALIGN b(i) WITH a(i)
!DVM$ ALIGN c(i) WITH a(i)
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
    b(i) = 0
    c(i) = 0
  end do
!DVM$ ASYNCHRONOUS copy
  do i = 1, n
    b(i) = a(i) * 2
  end do
  do i = 1, 6
    c(i) = a(13 - i)
  end do
!DVM$ END ASYNCHRONOUS
!DVM$ ASYNCWAIT copy
!DVM$ ASYNCHRONOUS copy
  c(12) = b(6)
  b(3) = a(12)
  c(11) = b(3)
!DVM$ END ASYNCHRONOUS
!DVM$ ASYNCWAIT copy
  print *, c
end program
END
"$driver/dvmfc" -g -O1 copies.f90 -o checked
./checked >out 2>said && fail "the checks are silent"
grep -qF "copies.f90:25:11: error: 'b(3)' is read from what was fetched for this block, which has assigned it since" said || fail "$(cat said)"
grep -q "1 error" said || fail "$(cat said)"
"$driver/dvmfc" -fdvm=parallel -g -O1 copies.f90 -o ranks
mpirun --oversubscribe -n 4 ./ranks >out 2>said && fail "ranks are silent: $(cat out)"
grep -qF "copies.f90:25:11: error: 'b(3)' is read by rank" said || fail "$(cat said)"
grep -qF "as ASYNCHRONOUS has fetched it" said || fail "$(cat said)"
sed -i -e 's/b(3) = a(12)/b(:) = a(:)/' copies.f90 # whole arrays and sections are copied between ranks, elements are fetched before
"$driver/dvmfc" -fdvm=parallel -g -O1 copies.f90 -o ranks
mpirun --oversubscribe -n 4 ./ranks >out 2>said && fail "ranks are silent: $(cat out)"
grep -qF "copies.f90:25:11: error: 'b(3)' is read by rank" said || fail "$(cat said)"
sed -i -e '25d' copies.f90
"$driver/dvmfc" -fdvm=parallel -g -O1 copies.f90 -o ranks
mpirun --oversubscribe -n 4 ./ranks >out 2>said || fail "$(cat said)"
grep -qE '12 +11 +10 +9 +8 +7 +0 +0 +0 +0 +0 +12' out || fail "$(cat out)"
echo 'ranks: done'
