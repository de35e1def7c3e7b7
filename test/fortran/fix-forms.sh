#!/bin/bash
# 'dvm fix' writes as the file does: sentinel, continuation, column 72, indentation, comments, line ends; modules and C files beside.
# fix-forms.sh BUILD
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED $*"; failed=1; }
fix() { # FILE.. : the first one must become silent
  "$build/driver/dvm" fix --in-place "$@" > diff 2> said || { fail "status of $1"; cat said; }
}
expect() { # FILE LINE
  grep -qxF "$2" "$1" || { fail "$1 has no line '$2'"; grep -in 'dvm\$' "$1"; }
}

# A line that would be longer than 72 columns goes on; a comment between the lines, and lines in small letters.
cat > long.f << 'END'
      PROGRAM LONG
      INTEGER I, J
      REAL FIRSTONE(8,8), SECOND(8,8), S
*dvm$ distribute firstone(block,block)
*dvm$ align second(i,j) with firstone(i,j)
*dvm$ parallel (j,i) on firstone(i,j)
      DO 10 J = 1, 8
      DO 10 I = 1, 8
        FIRSTONE(I,J) = I*J
   10 CONTINUE
*dvm$ parallel (j,i)
C     between the lines
*dvm$*  on second(i,j), cuda_block(32,1,1)
      DO 20 J = 2, 7
      DO 20 I = 2, 7
        SECOND(I,J) = FIRSTONE(I-1,J) + FIRSTONE(I+1,J) +
     *                FIRSTONE(I,J-1)
   20 CONTINUE
      S = SECOND(3,
     *           3)
      PRINT *, S
      END
END
fix long.f
expect long.f '*dvm$ remote_access(SECOND(3, 3))'
awk 'length > 72' long.f | grep . && fail 'a line is longer than 72 columns'
expect long.f '*dvm$*  on second(i,j), cuda_block(32,1,1),'
expect long.f '*dvm$* shadow_renew(FIRSTONE(1:1,1:0))'

# Free form: behind the last of several lines, before a comment, with the indentation of the statement, and with its line ends.
cat > free.f90 << 'END'
module data
  real a(6, 6)
!dvm$ distribute (block, *) :: a
end module

program free
  use data
  integer i, j
  real v, w
  w = 1
  !dvm$ parallel (j, i) &
  !dvm$   on a(i, j) ! all of it
  do j = 1, 6
    do i = 1, 6
      v = i
      a(i, j) = v + j
    end do
  end do
  if (w > 0) then
    w = 1 + &
        a(3, 2)
    print *, w
  end if
end program
END
sed -i 's/$/\r/' free.f90
mkdir made
cp free.f90 again.f90
fix free.f90
expect free.f90 $'  !dvm$   on a(i, j), private(v) ! all of it\r'
expect free.f90 $'    !dvm$ remote_access(a(3, 2))\r'
grep -vq $'\r$' free.f90 && fail 'other line ends'
[ -e data.mod ] && fail 'a module is left'
fix again.f90 -module made # of older flangs
cmp -s free.f90 again.f90 || fail 'another repair with -module'

# A main program of Fortran and a function of C: both are repaired.
cat > main.f90 << 'END'
program main
  integer, parameter :: n = 8
  real a(n), s
!DVM$ DISTRIBUTE a(BLOCK)
  integer i
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = i
  end do
  s = 0
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    s = s + a(i)
  end do
  print *, s
  flush (6)
  call sum_of_c()
end program
END
cat > other.c << 'END'
#include <stdio.h>
#define N 8
#pragma dvm array distribute[block]
double B[N];
void sum_of_c_(void);
void sum_of_c_(void) {
  double s = 0;
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++)
    B[i] = i;
#pragma dvm parallel([i] on B[i])
  for (int i = 0; i < N; i++)
    s += B[i];
  printf("%g\n", s);
}
END
fix main.f90 other.c
expect main.f90 '!DVM$ PARALLEL (i) ON a(i), reduction(sum(s))'
expect other.c '#pragma dvm parallel([i] on B[i]) reduction(sum(s))'
exit $failed
