#!/bin/bash
# Expressions as arguments, and calls of functions that nobody checks, cost one call each however many there are: what is known of the
# data stays right.  temporaries.sh BUILD
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED $*"; failed=1; }
clang=$(sed -n 's/^DVM_CLANG:[A-Z]*=//p' "$build/CMakeCache.txt")

cat > program.f90 << 'END'
program temporaries
  integer, parameter :: n = 16
  real a(n)
!DVM$ DISTRIBUTE a(BLOCK)
  integer i, total
  real, external :: mixed
  total = 0
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = mixed(i)
  end do
  do i = 1, n
!DVM$ REMOTE_ACCESS(a(i))
    total = total + int(a(i))
  end do
  print *, total
end program

real function mixed(i)
  integer i, sum, got(4), one, two, three
  sum = 0
END
for call in $(seq 40); do
  echo "  call add(sum, i + $call, $call, 'text $call', $call.5d0)"
done >> program.f90
cat >> program.f90 << 'END'
  call outside(one, two, three, got, 7, 'x')
  call add(sum, one + two, three, 'y', 1d0)
  mixed = sum + got(1) + got(4)
end function

subroutine add(sum, first, second, text, last)
  integer sum, first, second
  character(*) text
  double precision last
  sum = sum + first * second + len(text) + int(last)
end subroutine
END
cat > outside.c << 'END'
void outside_(int *one, int *two, int *three, int got[4], int *seven, char *text) {
  *one = *two = *three = *seven;
  for (int i = 0; i < 4; i++)
    got[i] = *text + i;
}
END
"$clang" -c outside.c -o outside.o || fail 'clang'
for level in O0 O2; do
  "$build/driver/dvmfc" -fdvm=off -$level program.f90 outside.o -o plain && ./plain > expected || fail "plain at $level"
  "$build/driver/dvmfc" -$level program.f90 outside.o -o checked || fail "dvmfc at $level"
  ./checked > got 2> said || fail "status at $level"
  cmp -s expected got || fail "other output at $level"
  [ -s said ] && fail "not silent at $level" && cat said
done
"$build/driver/dvmfc" -O0 -S -emit-llvm program.f90 -o program.ll || fail 'no IR'
sed -n '/^define.* @mixed_(/,/^}/p' program.ll > function.ll
begun=$(grep -c 'call void @__dvmrt_\(live\|born\)' function.ll)
[ "$begun" -lt 10 ] || fail "$begun objects begin to live"
grep -q 'call void .*@__dvmrt_handed(' function.ll || fail 'no call for all that a foreign function was given'

# What has no value is still found, behind all of them.
sed "s/call outside(one, two, three, got, 7, 'x')/one = 1; two = 2/" program.f90 > wrong.f90
"$build/driver/dvmfc" -O0 wrong.f90 outside.o -o wrong || fail 'dvmfc of the wrong one'
./wrong > /dev/null 2> said
grep -q "'second' is read .*dvm-uninitialized\|'second'.*\[dvm-uninitialized\]" said || { fail 'nothing is said of the wrong one'; cat said; }
exit $failed
