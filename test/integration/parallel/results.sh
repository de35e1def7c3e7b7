#!/bin/bash
# Arrays of results of reductions, compared element by element: of a parallel run and of a sequential one, in C and in Fortran; results that agree
# become those of the reference.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >bins.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
#ifndef OP
#define OP sum
#endif
enum { N = 1000, MANY = 5000 };
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
int h[8];
double part[2][3];
long many[MANY];
int main(int argc, char **argv) {
  double whole = 0;
  int other = argc > 1 ? atoi(argv[1]) : 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 1 / (1.0 + i);
  for (int step = 0; step < 3; step++) {
#pragma dvm parallel([i] on a[i]) reduction(OP(h), sum(part), sum(whole))
    for (int i = 0; i < N; i++) {
      h[i % 8] += i == 7 ? 1 + other : 1;
      part[i % 2][i % 3] += a[i];
      whole += a[i];
    }
#pragma dvm parallel([i] on b[i])
    for (int i = 0; i < N; i++)
      b[i] = part[i % 2][i % 3] + whole;
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(many))
  for (int i = 0; i < N; i++)
    many[i * 5] += i;
  printf("%.9f %.9f %ld\n", part[1][2], whole, many[10]);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 bins.c -o sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 bins.c -o right
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DOP=max bins.c -o wrong
status 0 "$dvm" record --level checksum -o ref.dvmt -- ./sequential
for n in 1 3 4; do # sums of floating values, whose rounding would spread to 'b'
  status 0 "$dvm" compare ref.dvmt -- $(ranks $n ./right)
  has err ", 0 different"
  has err "(100 % of the reference, 100 % of the run)"
done
status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare --exact ref.dvmt -- $(ranks 3 ./right)
has err "'part[0][0]' is "
status 66 "$dvm" compare ref.dvmt -- $(ranks 3 ./wrong)
has err "bins.c:21:13: error: 'h[0]' is 42, the reference has 125 [dvm-trace-value]"
lacks err "error: 'part"
status 66 "$dvm" compare ref.dvmt -- $(ranks 3 ./right 4)
has err "error: 'h[7]' is 129, the reference has 125 [dvm-trace-value]"
status 0 "$dvm" compare --ignore variable:h ref.dvmt -- $(ranks 3 ./wrong)
status 66 "$dvm" compare --live ./sequential -- $(ranks 3 ./right 4)
has err "error: the result 'h[7]' is 129, the reference has 125"
status 0 "$dvm" compare --live ./sequential -- $(ranks 3 ./right)
has err ", 0 different"
status 66 "$dvm" compare --bisect ref.dvmt -- $(ranks 3 ./wrong)
has err "error: 'h[0]' is 42, the reference has 125"

# Evaluated as if each iteration had a processor of its own: one rank shows it.
status 66 env DVM_OPTIONS=poison=1 "$dvm" compare ref.dvmt -- $(ranks 1 ./wrong)
has err "the reference has 'h[0]' = 125, but the iterations' partial values give 1 under 'max' [dvm-reduction-mismatch]"
status 0 env DVM_OPTIONS=poison=1 "$dvm" compare ref.dvmt -- $(ranks 3 ./right)

# Sequential runs, from a trace and from two; at every level that records results.
for level in system checksum modify; do
  status 0 "$dvm" record --level $level -o one.dvmt -- ./sequential
  status 0 "$dvm" record --level $level -o two.dvmt -- ./sequential 4
  status 0 "$dvm" compare one.dvmt -- ./sequential
  status 66 "$dvm" compare one.dvmt -- ./sequential 4
  has err "'h[7]' is 129, the reference has 125"
  status 66 "$dvm" diff one.dvmt two.dvmt
  has err "'h[7]' is 129, the reference has 125"
done
status 0 "$dvm" trace dump ref.dvmt
has out "h[7] = 125"
has out "part[1][2] = "
lacks out "many["                      # more than 4096 elements
status 0 "$dvm" trace dump --element 'h[3]' ref.dvmt
has out "h[3] = 125"
lacks out "h[4]"
status 0 "$dvm" trace export --csv -o out.csv ref.dvmt
has out.csv 'result,h,"h[3]",bins.c,21,main,125'

# With a group: recorded where it is waited for.
sed -e 's/reduction(OP(h)/reduction(g: OP(h)/' -e 's/^#pragma dvm parallel(\[i\] on b\[i\])/#pragma dvm reduction_start(g)\n#pragma dvm reduction_wait(g)\n&/' bins.c >group.c
status 0 "$dvmcc" -fdvm=trace -g -O1 group.c -o group_sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 group.c -o group_right
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DOP=max group.c -o group_wrong
status 0 "$dvm" record --level checksum -o group.dvmt -- ./group_sequential
status 0 "$dvm" compare group.dvmt -- $(ranks 3 ./group_right)
has err ", 0 different"
status 66 "$dvm" compare group.dvmt -- $(ranks 3 ./group_wrong)
has err "error: 'h[0]' is 42, the reference has 125 [dvm-trace-value]"
lacks err "error: 'part"

if [ -x "$(dirname "$dvmcc")/dvmfc" ]; then
  dvmfc=$(dirname "$dvmcc")/dvmfc
  cat >bins.f90 <<'END_F'
program bins
  integer, parameter :: n = 1000
  real(8) :: a(n), part(2, 3)
  integer :: h(0:7), i
!DVM$ DISTRIBUTE A (BLOCK)
  h = 0
  part = 0
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = 1d0 / i
  end do
  call count_all(n, h, 8)
!DVM$ PARALLEL (i) ON a(i), REDUCTION (SUM(part))
  do i = 1, n
    part(mod(i, 2) + 1, mod(i, 3) + 1) = part(mod(i, 2) + 1, mod(i, 3) + 1) + a(i)
  end do
!DVM$ PARALLEL (i) ON a(i)
  do i = 1, n
    a(i) = part(1, 2) + h(mod(i, 8))
  end do
  print *, h(3), part(2, 3)
contains
  subroutine count_all(n, g, m)
    integer :: n, m, g(0:m - 1), i
!DVM$ PARALLEL (i) ON a(i), REDUCTION (SUM(g))
    do i = 1, n
      g(mod(i, 8)) = g(mod(i, 8)) + 1
    end do
  end subroutine
end program
END_F
  status 0 "$dvmfc" -fdvm=trace -g -O1 bins.f90 -o f_sequential
  status 0 "$dvmfc" -fdvm=parallel,trace -g -O1 bins.f90 -o f_right
  mkdir -p other && sed 's/SUM(g)/MAX(g)/' bins.f90 >other/bins.f90
  status 0 "$dvmfc" -fdvm=parallel,trace -g -O1 other/bins.f90 -o f_wrong
  status 0 "$dvm" record --level checksum -o f.dvmt -- ./f_sequential
  status 0 "$dvm" compare f.dvmt -- $(ranks 3 ./f_right)
  has err ", 0 different"
  status 66 "$dvm" compare f.dvmt -- $(ranks 3 ./f_wrong)
  has err "error: 'g(0)' is 42, the reference has 125 [dvm-trace-value]"
  status 0 "$dvm" trace dump f.dvmt
  has out "part(2,3) = "
  has out "g(7) = 125"
fi

# What another order of the terms leaves is no difference, however many they are and though they cancel; a term that is missing is one.
cat >terms.c <<'END_C'
#include <math.h>
#include <stdio.h>
#ifndef EACH
#define EACH
#endif
enum { N = 200000 };
#pragma dvm array distribute[block]
float a[N];
#pragma dvm array align([i] with a[i])
double b[N];
int main(void) {
  float many = 0;
  double none = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = 1.1f + i % 5;
    b[i] = 1.37 * sin((i - (N - 1) / 2.0) * 0.001);
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(many), sum(none))
  for (int i = 0; i < N; i++) {
    many += a[i];
    none += b[i] EACH;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    b[i] -= none / many;
  printf("%d\n", fabs(none) < 1);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 terms.c -o terms_alone -lm
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 terms.c -o terms -lm
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 "-DEACH=+(i == 7 ? 1e-3 : 0)" terms.c -o terms_wrong -lm
status 0 "$dvm" record --level checksum -o terms.dvmt -- ./terms_alone
for n in 2 3 4; do
  status 0 "$dvm" compare terms.dvmt -- $(ranks $n ./terms)
  has err ", 0 different"
done
has err " within tolerance"
status 0 env DVM_OPTIONS=poison=1 "$dvm" compare terms.dvmt -- $(ranks 3 ./terms)
status 0 "$dvm" compare --live ./terms_alone -- $(ranks 3 ./terms)
status 66 "$dvm" compare --exact terms.dvmt -- $(ranks 3 ./terms)
status 66 "$dvm" compare terms.dvmt -- $(ranks 3 ./terms_wrong)
has err "error: 'none' is "
lacks err "error: 'many' is "
status 66 "$dvm" compare --live ./terms_alone -- $(ranks 3 ./terms_wrong)
has err "the result 'none' is "

# Of two constructs with the same variables one is changed: the other one keeps its results.
cat >two.c <<'END_C'
#include <stdio.h>
#ifndef OP
#define OP sum
#endif
enum { N = 100 };
#pragma dvm array distribute[block]
double a[N];
int main(void) {
  double dot = 0, other;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i / 7.0;
#pragma dvm parallel([i] on a[i]) reduction(sum(dot))
  for (int i = 0; i < N; i++)
    dot += a[i] * a[i];
  other = dot;
  dot = 0;
#pragma dvm parallel([i] on a[i]) reduction(OP(dot))
  for (int i = 0; i < N; i++)
    dot += a[i];
  printf("%g %g\n", other, dot);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 two.c -o two_alone
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DOP=max two.c -o two
status 0 "$dvm" record --level checksum -o two.dvmt -- ./two_alone
status 66 env DVM_OPTIONS=poison=1 "$dvm" compare two.dvmt -- $(ranks 2 ./two)
has err "two.c:18:13: error: the reference has 'dot' = "
lacks err "two.c:13:13: error"
finish
