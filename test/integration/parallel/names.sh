#!/bin/bash
# Comparison of parallel runs where the reference knows memory by another name than the run.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }

cat >names.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 60 };
#pragma dvm array
double (*outer)[N];
int main(void) {
  double sum = 0;
#pragma dvm array distribute[block][] shadow[1:1][0:0]
  double (*inner)[N] = malloc(sizeof(double[N][N]));
#pragma dvm array align([i][j] with inner[i][j])
  double (*next)[N] = malloc(sizeof(double[N][N]));
  outer = inner;
#pragma dvm parallel([i][j] on inner[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      inner[i][j] = i * i + j;
#pragma dvm parallel([i][j] on outer[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      outer[i][j] *= 2;
#pragma dvm parallel([i][j] on next[i][j]) RENEW
  for (int i = 1; i < N - 1; i++)
    for (int j = 0; j < N; j++)
      next[i][j] = inner[i - 1][j] + inner[i + 1][j];
#pragma dvm parallel([i][j] on inner[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += (outer[i][j] = next[i][j]);
  printf("%g\n", sum);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DRENEW=shadow_renew(inner)' names.c -o names.sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DRENEW=shadow_renew(inner)' names.c -o names.parallel
status 0 "$dvm" record --level checksum -o names.dvmt -- ./names.sequential

# Each has its own elements, whatever lies behind it.
status 0 "$dvm" record -o names.modify -- ./names.sequential
status 0 "$dvm" trace dump --variable outer names.modify
lacks out "outer[60]"
status 0 "$dvm" trace dump --element 'next[58][59]' names.modify
has out "names.c:24:7 "
for n in 1 3 4; do
  status 0 "$dvm" compare names.dvmt -- $(ranks $n ./names.parallel)
  has err ", 0 different"
  lacks err "left out"
done
status 0 "$dvm" compare --live ./names.sequential -- $(ranks 3 ./names.parallel)
has err ", 0 different"
status 0 "$dvm" record -o names.job -- $(ranks 3 ./names.parallel)
status 0 "$dvm" diff names.job names.dvmt
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -DRENEW= names.c -o names.parallel
status 66 "$dvm" compare names.dvmt -- $(ranks 3 ./names.parallel)
has err "names.c:21:13: error: 'next' differs"
status 66 "$dvm" compare --live ./names.sequential -- $(ranks 3 ./names.parallel)
has err "names.c:21:13: error: 'next' differs"

# To its elements: pointers that change places, whose memory the ranks know by the name that it was distributed under.
cat >swap.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 60 };
#pragma dvm array
double *now;
#pragma dvm array
double *then;
static void swap(void) {
  double *t = now;
  now = then;
  then = t;
}
int main(void) {
  double sum = 0;
#pragma dvm array distribute[block] shadow[1:1]
  double *u = malloc(N * sizeof(double));
#pragma dvm array align([i] with u[i]) shadow[1:1]
  double *v = malloc(N * sizeof(double));
  now = u;
  then = v;
#pragma dvm parallel([i] on u[i])
  for (int i = 0; i < N; i++)
    u[i] = v[i] = i * i;
  for (int step = 0; step < 4; step++) {
#pragma dvm parallel([i] on then[i]) shadow_renew(now)
    for (int i = 1; i < N - 1; i++)
      then[i] = (now[i - 1] + now[i + 1]) / 2 + EXTRA(step, i);
    swap();
  }
#pragma dvm parallel([i] on u[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += u[i];
  printf("%g\n", sum);
  return 0;
}
END_C
status 0 "$dvmcc" -fdvm=trace -g -O1 '-DEXTRA(s,i)=0' swap.c -o swap.sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 '-DEXTRA(s,i)=(s==2&&i==30)' swap.c -o swap.parallel
status 0 "$dvm" record --level checksum -o swap.dvmt -- ./swap.sequential
status 66 "$dvm" compare --bisect swap.dvmt -- $(ranks 3 ./swap.parallel)
has err "swap.c:27:7: error: 'then[30]' is 904, the reference has 903"
has err "note: rank 1 has 'then[30]' and executes the iteration"

# COMMON, which each procedure gives a name of its own.
[ -x "$build/driver/dvmfc" ] || finish
mkdir changed
cat >common.f90 <<'END_F'
subroutine fill
  real(8) :: q(0:59)
  common /blk/ q
  integer :: i
!dvm$ distribute (block) :: q
!dvm$ parallel (i) on q(i)
  do i = 0, 59
    q(i) = i * i
  end do
end subroutine
subroutine twice
  real(8) :: r(0:59)
  common /blk/ r
  integer :: i
!dvm$ distribute (block) :: r
!dvm$ parallel (i) on r(i)
  do i = 0, 59
    r(i) = r(i) * 2
  end do
end subroutine
program main
  real(8) :: s(0:59)
  common /blk/ s
!dvm$ distribute (block) :: s
  real(8) :: total
  integer :: i
  call fill
  call twice
  total = 0
!dvm$ parallel (i) on s(i), reduction(sum(total))
  do i = 0, 59
    total = total + s(i)
  end do
  print *, total
end program
END_F
sed 's|r(i) \* 2|r(i) * 2 + (i / 30) * (31 / (i + 1))|' common.f90 >changed/common.f90
status 0 "$build/driver/dvmfc" -fdvm=trace -g -O1 common.f90 -o common.sequential
(cd changed && "$build/driver/dvmfc" -fdvm=parallel,trace -g -O1 common.f90 -o ../common.parallel)
status 0 "$dvm" record --level checksum -o common.dvmt -- ./common.sequential
status 66 "$dvm" compare --bisect common.dvmt -- $(ranks 3 ./common.parallel)
has err "common.f90:18:5: error: 'r(30)' is 1801, the reference has 1800"
has err "note: rank 1 has 'r(30)' and executes the iteration"
finish
