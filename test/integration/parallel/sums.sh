#!/bin/bash
# What 'dvm compare' of a parallel run compares at level checksum: values and nothing that lies between them, each iteration once, and no sum
# that is left out without a word; reductions that are evaluated a second time.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
both() { # NAME OPTION..: NAME.c, sequential and parallel, and the reference
  status 0 "$dvmcc" -fdvm=trace -g "${@:2}" "$1.c" -o "$1.sequential"
  status 0 "$dvmcc" -fdvm=parallel,trace -g "${@:2}" "$1.c" -o "$1.parallel"
  status 0 "$dvm" record --level checksum -o "$1.dvmt" -- "./$1.sequential"
}

# Bytes between members are copied with an element, from memory that differs from rank to rank; bit-fields and long doubles have such too.
cat >holes.c <<'END_C'
#include <stdio.h>
#include <string.h>
enum { N = 40 };
struct inner { char c; short s[2]; };
struct cell { char kind; double value; struct inner part[2]; unsigned low : 3, high : 2; long double wide; };
#pragma dvm array distribute[block]
struct cell a[N];
#pragma dvm array align([i] with a[i])
long double wide[N];
static struct cell made(int i, int dirt) {
  struct cell c;
  memset(&c, dirt, sizeof(c));
  c.kind = (char)i;
  c.value = i / 3.0;
  for (int k = 0; k < 2; k++) {
    c.part[k].c = (char)(i + k);
    c.part[k].s[0] = c.part[k].s[1] = (short)(i * k);
  }
  c.low = i & 7;
  c.high = i & 3;
  c.wide = i / 7.0L;
  return c;
}
int main(int argc, char **argv) {
  int dirt = 0x11, off = argc > 1 ? 1 : 0;
  FILE *f = fopen("/proc/self/stat", "r"); /* by each process: another number */
  if (f && fscanf(f, "%d", &dirt) != 1)
    dirt = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = made(i, dirt * 37 + i % 5);
    wide[i] = a[i].wide + (i == 33 ? off : 0);
  }
  printf("%d\n", N);
  (void)argv;
  return 0;
}
END_C
for level in -O0 -O2; do
  both holes $level
  for n in 1 3 4; do
    status 0 env DVM_OPTIONS=io=all "$dvm" compare holes.dvmt -- $(ranks $n ./holes.parallel)
    has err ", 0 different"
  done
  status 66 "$dvm" compare holes.dvmt -- $(ranks 3 ./holes.parallel other) # what is a value counts
  has err "'wide' differs"
  lacks err "'a' differs"
done
status 0 env DVM_OPTIONS=io=all "$dvm" compare --bisect holes.dvmt -- $(ranks 4 ./holes.parallel)

# An iteration that nobody executes, or that two do: bounds that differ from rank to rank.
cat >bounds.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 30 };
#pragma dvm array distribute[block][*]
double a[N][N];
#pragma dvm array align([i] with a[i][])
double b[N];
int main(int argc, char **argv) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  int less = argc > 1 && rank && atoi(rank) == 1 ? atoi(argv[1]) : 0;
  for (int step = 0; step < 3; step++) {
    int first = 1 + (step == 1 ? less : 0);
#pragma dvm parallel([i][j] on a[i][])
    for (int i = 0; i < N; i++)
      for (int j = first; j <= i; j++) /* a triangle; its values do not tell */
        a[i][j] = 0;
#pragma dvm parallel([i] on b[i])
    for (int i = N - 1; i >= 0; i -= 2)
      b[i] = step;
  }
#pragma dvm parallel([k])
  for (int k = 0; k < 4; k++)
    if (less > 100)
      abort();
  printf("%g\n", b[0]);
  return 0;
}
END_C
both bounds -O2
for n in 1 2 5; do
  status 0 "$dvm" compare bounds.dvmt -- $(ranks $n ./bounds.parallel)
  has err ", 0 different"
  lacks err "not counted"
done
status 66 "$dvm" compare bounds.dvmt -- $(ranks 3 ./bounds.parallel 2)
has err "bounds.c:13:13: error: 415 iterations are executed here, in the reference 435: 20 or more are executed by nobody [dvm-trace-structure]"
has err "execution 2"
lacks err "bounds.c:17:13: error"
status 66 "$dvm" compare bounds.dvmt -- $(ranks 3 ./bounds.parallel -1)
has err "445 iterations are executed here, in the reference 435: 10 or more are executed twice, or are none of the reference"
status 66 "$dvm" compare --bisect bounds.dvmt -- $(ranks 3 ./bounds.parallel 2)
has err "dvm: execution 2 of the construct at bounds.c:13 is the first whose iterations differ"
has err "error: iteration (i=10, j=1) is executed by no rank [dvm-trace-structure]"
status 66 "$dvm" compare --bisect bounds.dvmt -- $(ranks 3 ./bounds.parallel -1)
has err "error: iteration (i=10, j=0) is executed by rank 1 and is not in the reference [dvm-trace-structure]"
# A program that does not count them is compared all the same, and that is said.
status 0 "$dvmcc" -fdvm=parallel -g -O2 bounds.c -o bounds.parallel
status 0 "$dvm" compare bounds.dvmt -- $(ranks 2 ./bounds.parallel)
has err "the iterations of 7 executions of constructs not compared, since one side has not counted them"

# Lines that have moved in the run's source: what is compared is the same construct's.
cat >moved.c <<'END_C'
#include <stdio.h>
enum { N = 20 };
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i VALUE;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = a[i] / 3;
  printf("%d\n", N);
  return 0;
}
END_C
both moved -DVALUE=
mkdir newer && sed '7s/$/\n\n\n/' moved.c >newer/moved.c
status 0 "$dvmcc" -fdvm=parallel,trace -g -DVALUE= newer/moved.c -o newer/right
status 0 "$dvmcc" -fdvm=parallel,trace -g '-DVALUE=+ (i == 7)' newer/moved.c -o newer/wrong
status 0 "$dvm" compare moved.dvmt -- $(ranks 2 newer/right)
has err "compared 8 records (100 % of the reference, 100 % of the run): 8 identical"
status 66 "$dvm" compare moved.dvmt -- $(ranks 2 newer/wrong)
has err "newer/moved.c:11:13: error: 'a' differs"

# A reference that was recorded value by value has the sums that its values make: of global, allocated and local arrays, and members.
cat >values.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 24, M = 7 };
struct cell { char c; double v; };
#pragma dvm array distribute[block][*]
double a[N][M];
#pragma dvm array align([i] with a[i][])
struct cell s[N];
#pragma dvm array align([i] with a[i][])
float *p;
static double twice(int steps) {
#pragma dvm array align([i] with a[i][])
  double local[N];
  double sum = 0;
  for (int step = 0; step < steps; step++) {
#pragma dvm parallel([i] on a[i][]) reduction(sum(sum))
    for (int i = 2; i < N; i += 3) {
      local[i] += a[i][step] OFF;
      sum += local[i];
    }
  }
  return sum;
}
int main(void) {
  p = malloc(N * sizeof *p);
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = M - 1; j >= 0; j--)
      a[i][j] = i / 3.0 + j;
#pragma dvm parallel([i] on s[i])
  for (int i = 0; i < N; i++) {
    s[i].c = (char)i;
    s[i].v = a[i][i % M];
    p[i] = (float)i;
  }
  printf("%g %g\n", twice(2), twice(3));
  free(p);
  return 0;
}
END_C
both values -DOFF=
status 0 "$dvmcc" -fdvm=parallel,trace -g '-DOFF=+(i==5)' values.c -o values.wrong
for level in modify full; do
  status 0 "$dvm" record --level $level -o values.$level -- ./values.sequential
  for n in 1 4; do
    status 0 "$dvm" compare values.$level -- $(ranks $n ./values.parallel)
    has err ", 0 different"
    lacks err "not counted"
  done
  lacks err "'local'"
  status 66 "$dvm" compare values.$level -- $(ranks 3 ./values.wrong)
  has err "values.c:16:13: error: 'local' differs"
done
status 0 "$dvm" diff values.dvmt values.modify
status 66 "$dvm" compare --bisect values.modify -- $(ranks 3 ./values.wrong)
has err "'local[5]' is "

# A sum that the reference does not have is told, and is nothing that agrees: here it does not know the array as one.
sed 's/^#pragma dvm array.*//; s/^#pragma dvm parallel(\[i\] on .*)/#pragma dvm parallel([i])/' moved.c >plain.c
mkdir other && cp plain.c other/moved.c
status 0 "$dvmcc" -fdvm=trace -g -DVALUE= other/moved.c -o other/sequential
status 0 "$dvm" record --level checksum -o other.dvmt -- other/sequential
status 66 "$dvm" compare other.dvmt -- $(ranks 2 ./moved.parallel)
has err "2 sums of the run left out, which the reference does not have ('a' 'b')"
has err "no values were compared"
status 0 "$dvm" compare --accept nothing other.dvmt -- $(ranks 2 ./moved.parallel)

# What a comparison of ranks leaves free: the order of iterations (here the other way round, or in stages), that each rank executes a part of
# them alone, partial values of a reduction inside its construct, updates that a condition skips, and what only the owner executes.
cat >free.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 30 };
#pragma dvm array distribute[block] shadow[1:1]
double a[N];
#pragma dvm array align([i] with a[i])
int b[N];
int main(int argc, char **argv) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  double most = -1, sum = 0;
  int where = -1, wrong = argc > 1 && rank && atoi(rank) == 1 ? atoi(argv[1]) : 0;
#pragma dvm parallel([i] on a[i])
  for (int i = N - 1; i >= 0; i--)
    a[i] = (i * 7 + 3) % 11 / 3.0;
  a[4] = 8.5; /* by its owner */
#pragma dvm parallel([i] on a[i]) reduction(maxloc(most, where)) reduction(sum(sum))
  for (int i = 0; i < N; i++) {
    if (a[i] > most) { /* otherwise on each rank */
      most = a[i];
      where = i;
    }
    if (i % 3)
      sum += a[i];
  }
#pragma dvm parallel([i] on a[i]) across(a[1:1])
  for (int i = 1; i < N - 1; i++)
    a[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    if (a[i] < most)
      b[i] = where + (wrong == 1 && i == 12);
  if (wrong == 2)
    sum += 1; /* which is replicated */
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] += sum;
  printf("%g %d %g\n", most, where, sum);
  return 0;
}
END_C
both free -O2
status 0 "$dvm" record -o free.values -- ./free.sequential
for n in 1 2 3 7; do
  status 0 "$dvm" compare free.dvmt -- $(ranks $n ./free.parallel)
  has err "(100 % of the reference, 100 % of the run)"
  has err ", 0 different"
done
status 0 "$dvm" compare free.values -- $(ranks 4 ./free.parallel)
status 66 "$dvm" compare free.dvmt -- $(ranks 3 ./free.parallel 1)
has err "free.c:28:13: error: 'b' differs"
status 66 "$dvm" compare free.dvmt -- $(ranks 3 ./free.parallel 2)
has err "free.c:34:13: error: 'a' differs"

# Reductions a second time, each iteration by itself: an operation that the loop does not compute is named.
cat >partial.c <<'END_C'
#include <stdio.h>
enum { N = 24 };
#pragma dvm array distribute[block]
double a[N];
int main(void) {
  double least = 100, sum = 1;
  int most = 0, all = -1;
  float product = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 40 - i;
#pragma dvm parallel([i] on a[i]) reduction(OP(least), sum(sum), max(most), and(all), product(product))
  for (int i = 0; i < N; i++) {
    if (a[i] < least)
      least = a[i];
    sum += a[i];
    if (i > most)
      most = i;
    all &= ~(1 << i % 5);
    product *= 1 + i % 2;
  }
  printf("%g %g %d %d %g\n", least, sum, most, all, product);
  return 0;
}
END_C
both partial -O2 -DOP=min
for n in 1 3; do
  status 0 env DVM_OPTIONS=poison=1 "$dvm" compare partial.dvmt -- $(ranks $n ./partial.parallel)
  has err ", 0 different"
done
both partial -O2 -DOP=max
for n in 1 3; do
  status 66 env DVM_OPTIONS=poison=1 "$dvm" compare partial.dvmt -- $(ranks $n ./partial.parallel)
  has err "partial.c:12:13: error: the reference has 'least' = 17, but the iterations' partial values give 100 under 'max' [dvm-reduction-mismatch]"
done
status 66 "$dvm" compare --bisect partial.dvmt -- $(ranks 3 ./partial.parallel)
has err "'least' is "
has err "[dvm-reduction-mismatch]"
finish
