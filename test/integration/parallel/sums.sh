#!/bin/bash
# What 'dvm compare' of a parallel run compares at level checksum: values and nothing that lies between them, each iteration once, and no sum
# that is left out without a word; reductions that are evaluated a second time.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
both() { # NAME OPTION..: NAME.c, sequential and parallel, and the reference
  status 0 "$dvmcc" -fdvm=trace -g "${@:2}" "$1.c" -o "$1.sequential" -lm
  status 0 "$dvmcc" -fdvm=parallel,trace -g "${@:2}" "$1.c" -o "$1.parallel" -lm
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

# Extremes with their locations, results of groups, and arrays of results of any size.
cat >places.c <<'END_C'
#include <stdio.h>
enum { N = 24, M = 3000 };
#pragma dvm array distribute[block]
double a[N];
static double often[M];
int main(void) {
  double best = 100, late = LATE;
  int at = -1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i < 12 ? 40 - i : 17 + i;
#pragma dvm parallel([i] on a[i]) reduction(LOC(best, at), sum(often))
  for (int i = 0; i < N; i++) {
    if (a[i] < best) {
      best = a[i];
      at = i;
    }
    often[i % 5 + 2000] += a[i];
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] += at + best + often[2000 + i % 5];
#pragma dvm parallel([i] on a[i]) reduction(g: OP(late))
  for (int i = 0; i < N; i++)
    late = a[i] > late ? a[i] : late;
#pragma dvm reduction_start(g)
#pragma dvm reduction_wait(g)
  printf("%g %d %g %g\n", best, at, late, often[2001]);
  return 0;
}
END_C
both places -O2 -DLATE=0 -DLOC=minloc -DOP=max
for n in 1 3; do
  status 0 env DVM_OPTIONS=poison=1 "$dvm" compare places.dvmt -- $(ranks $n ./places.parallel)
  has err ", 0 different"
done
both places -O2 -DLATE=0 -DLOC=maxloc -DOP=max
status 66 env DVM_OPTIONS=poison=1 "$dvm" compare places.dvmt -- $(ranks 3 ./places.parallel)
has err "places.c:12:13: error: the reference has 'best' = 29, but the iterations' partial values give 100 under 'maxloc' [dvm-reduction-mismatch]"
both places -O2 -DLATE=1 -DLOC=minloc -DOP=product
status 66 env DVM_OPTIONS=poison=1 "$dvm" compare places.dvmt -- $(ranks 3 ./places.parallel)
has err "the iterations' partial values give "
has err " under 'product' [dvm-reduction-mismatch]"

# What functions assign that a loop calls: globals, static variables, what they are given; not what each call assigns before it reads it.
cat >called.c <<'END_C'
#include <math.h>
#include <stdio.h>
enum { N = 64 };
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
double total;
static double last, scratch;
static int often[4];
static void add(double x) { total += x; }
static void count(int k) {
  static int calls;
  if (calls++ % 2)
    often[k & 3]++;
}
static void again(int k) {
  if (k % 3)
    count(k);
}
static void keep(int k) { last = k; }
static void into(double *s, double x) { *s += x; }
static double twice(double x) {
  scratch = x;
  scratch = scratch + scratch;
  return scratch;
}
static void put(double *s, double x) { *s = x; }
static void set(int i, int by) { b[i] = i + by; }
int main(int argc, char **argv) {
  double sum = 0, own;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = sqrt(i);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
#ifdef WHAT
    WHAT;
#endif
    put(&own, a[i]);
    a[i] = twice(own) / 2;
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    set(i, argc > 1 && i == 50);
  printf("%g %g %g %d\n", total, sum, last, often[1]);
  (void)argv;
  return 0;
}
END_C
for level in -O0 -O2; do
  both called $level
  for n in 1 3 4; do
    status 0 "$dvm" compare called.dvmt -- $(ranks $n ./called.parallel)
    has err ", 0 different"
  done
  status 66 "$dvm" compare called.dvmt -- $(ranks 3 ./called.parallel other) # only a function that is called assigns it
  has err "called.c:43:13: error: 'b' differs"
done
for case in "add(a[i]):total" "again(i):often" "keep(i):last" "into(&sum, a[i]):sum"; do
  both called -O1 "-DWHAT=${case%:*}"
  status 0 "$dvm" compare called.dvmt -- $(ranks 1 ./called.parallel)
  status 66 "$dvm" compare called.dvmt -- $(ranks 3 ./called.parallel)
  has err "called.c:35:13: error: '${case#*:}' is assigned here, no clause names it, and rank 0 and rank 1 are left with different values of it"
done

# A loop that all ranks execute and that assigns elements: the array's sum is compared there too.
cat >all.c <<'END_C'
#include <stdio.h>
enum { N = 12 };
#pragma dvm array distribute[block]
double a[N];
int main(int argc, char **argv) {
  int top = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma dvm parallel(1) reduction(max(top))
  for (int i = 0; i < N; i++) {
    if (i % 4 == 1)
      a[i] = i + argc;
    if (i > top)
      top = i;
  }
  printf("%d\n", top);
  (void)argv;
  return 0;
}
END_C
both all -O1
for n in 1 3; do
  status 0 "$dvm" compare all.dvmt -- $(ranks $n ./all.parallel)
  has err ", 0 different"
done
status 66 "$dvm" compare all.dvmt -- $(ranks 3 ./all.parallel other)
has err "all.c:10:13: error: 'a' differs"

# Ranks that have nothing of what an 'across' goes over execute none of its iterations: the array lies at one place of a divided dimension.
cat >idle.c <<'END_C'
#include <stdio.h>
enum { N = 24 };
#pragma dvm array distribute[block][block]
double a[3][N];
#pragma dvm array align([i] with a[2][i]) shadow[1:1]
double b[N];
int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    b[i] = i;
#pragma dvm parallel([i] on b[i]) across(b)
  for (int i = 1; i < N - 1; i++)
    b[i] = b[i - 1] / 2 + b[i + 1];
  printf("%d\n", N);
  return 0;
}
END_C
both idle -O1
for job in 2 3 4 6; do
  for grid in ${job}x1 1x$job $((job == 6 ? 3 : job))x$((job == 6 ? 2 : 1)); do
    status 0 env DVM_OPTIONS=grid=$grid "$dvm" compare idle.dvmt -- $(ranks $job ./idle.parallel)
    has err ", 0 different"
  done
done

# Of equal extremes the first of a loop that goes down by a step that only the run knows.
cat >down.c <<'END_C'
#include <stdio.h>
enum { N = 24 };
#pragma dvm array distribute[block]
int a[N];
static int by = 1;
int main(int argc, char **argv) {
  int most = 0, where = -1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = i % 4;
#pragma dvm parallel([i] on a[i]) reduction(maxloc(most, where))
  for (int i = N - 1; i >= 0; i -= by)
    if (a[i] > most) {
      most = a[i];
      where = i;
    }
  by = argc;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = where;
  printf("%d\n", where);
  (void)argv;
  return 0;
}
END_C
both down -O1
for n in 1 2 3 5; do
  status 0 "$dvm" compare down.dvmt -- $(ranks $n ./down.parallel)
  has err ", 0 different"
  grep -qx 23 out || wrong "$n ranks: $(cat out)"
done

# A shared library whose lines have moved: the results of its reductions are the reference's, too.
cat >library.c <<'END_C'
#pragma dvm array distribute[block]
static double part[2000];
double add(double x) {
  double sum = 0;
#pragma dvm parallel([i] on part[i]) reduction(sum(sum))
  for (int i = 0; i < 2000; i++)
    sum += part[i] = x / (i + 0.7);
  return sum;
}
END_C
cat >uses.c <<'END_C'
#include <stdio.h>
double add(double x);
#pragma dvm array distribute[block]
double a[64];
int main(void) {
  double x = 1;
  for (int t = 0; t < 20; t++) {
    x = add(x);
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < 64; i++)
      a[i] = x * i;
  }
  printf("%g\n", x);
  return 0;
}
END_C
sed '1i /* one\n * more */' library.c >moved_library.c
mkdir -p moved && mv moved_library.c moved/library.c
status 0 "$dvmcc" -fdvm=trace -g -O1 -fPIC -shared library.c -o libone.so
status 0 "$dvmcc" -fdvm=trace -g -O1 uses.c ./libone.so -o uses.sequential
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 -fPIC -shared moved/library.c -o libmoved.so
status 0 "$dvmcc" -fdvm=parallel,trace -g -O1 uses.c ./libmoved.so -o uses.parallel
status 0 "$dvm" record --level checksum -o uses.dvmt -- ./uses.sequential
for n in 1 3 4; do
  status 0 "$dvm" compare uses.dvmt -- $(ranks $n ./uses.parallel)
  has err ", 0 different"
  status 0 "$dvm" compare --live ./uses.sequential -- $(ranks $n ./uses.parallel)
  has err ", 0 different"
done

# References with values: extents that only the run knows, bit-fields.
cat >known.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
struct flags { unsigned low : 3, high : 7; short rest; };
int main(int argc, char **argv) {
  int n = 20 + argc, m = 7, off = argc > 1;
  n -= off;
  for (int k = 0; k < 2; k++) {
#pragma dvm array distribute[block][block]
    double (*a)[m] = malloc((size_t)n * sizeof(*a));
#pragma dvm array distribute[block]
    struct flags *f = malloc((size_t)n * sizeof(*f));
#pragma dvm parallel([i][j] on a[i][j])
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        a[i][j] = i * k + j + (off && k && i == 9);
#pragma dvm parallel([i] on f[i])
    for (int i = 0; i < n; i++) {
      f[i].low = i & 7;
      f[i].high = i + (off && k && i == 9);
    }
    free(f);
    free(a);
    n++;
  }
  printf("%d\n", n);
  (void)argv;
  return 0;
}
END_C
both known -O1
status 0 "$dvm" record --level modify -o known.values -- ./known.sequential
for n in 1 3; do
  status 0 "$dvm" compare known.values -- $(ranks $n ./known.parallel)
  has err ", 0 different"
  lacks err "left out"
done
status 66 "$dvm" compare known.values -- $(ranks 3 ./known.parallel other)
has err "error: 'a' differs"
has err "error: 'f' differs"

# Addresses differ from process to process: they are no values, what stands beside them is.
cat >named.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 12 };
struct named { char *name; int value; };
#pragma dvm array distribute[block]
struct named a[N];
int main(int argc, char **argv) {
  void *kept = malloc((size_t)(getenv("OMPI_COMM_WORLD_RANK") ? 100 : 50000));
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i].name = i % 2 ? "odd" : malloc(8);
    a[i].value = i + (argc > 1 && i == 7);
  }
  free(kept);
  printf("%d\n", N);
  (void)argv;
  return 0;
}
END_C
both named -O1
status 0 "$dvm" record --level modify -o named.values -- ./named.sequential
for reference in named.dvmt named.values; do
  status 0 "$dvm" compare $reference -- $(ranks 3 ./named.parallel)
  has err ", 0 different"
  lacks err "left out"
  status 66 "$dvm" compare $reference -- $(ranks 3 ./named.parallel other)
  has err "error: 'a' differs"
done
status 66 "$dvm" compare --bisect named.dvmt -- $(ranks 3 ./named.parallel other)
has err "'a[7].value' is 8, the reference has 7"

# Lines that have moved: results of reductions are those of the reference all the same, also where another reduction stands at the old line.
cat >moved.c <<'END_C'
#include <stdio.h>
enum { N = 2000 };
#pragma dvm array distribute[block]
double a[N];
int main(void) {
#ifdef MOVED
  /* a line
     and four





     more */
#endif
  double sum = 0, other = 0;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = 1 / (i + 1.);
  for (int k = 0; k < 3; k++) {
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
    for (int i = 0; i < N; i++)
      sum += a[i];
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] += sum;
#pragma dvm parallel([i] on a[i]) reduction(sum(other))
    for (int i = 0; i < N; i++)
      other += a[i];
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] /= other;
  }
  printf("%.10g\n", sum + other);
  return 0;
}
END_C
both moved -O2
sed -i '/ifdef MOVED/d; /^#endif/d' moved.c
status 0 "$dvmcc" -fdvm=parallel,trace -g -O2 moved.c -o moved.parallel
status 0 "$dvm" compare moved.dvmt -- $(ranks 3 ./moved.parallel)
has err ", 0 different"
status 66 env DVM_OPTIONS=substitute=0 "$dvm" compare moved.dvmt -- $(ranks 3 ./moved.parallel) # it would differ

# The page shows the ranks' parts of an array whose sum differs.
status 66 "$dvm" compare --html called.html called.dvmt -- $(ranks 3 ./called.parallel)
both called -O1
status 66 "$dvm" compare --html called.html called.dvmt -- $(ranks 3 ./called.parallel other)
page_owners() {
  python3 - "$1" <<'END_PY'
import json, re, sys
data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open(sys.argv[1]).read(), re.S)[1])
maps = [m for m in data['maps'] if m['variable'] == 'b']
assert len(maps) == 1 and maps[0]['sums'], data['maps']
assert maps[0]['owners'] == [0] * 21 + [1] * 21 + [2] * 22, maps[0]['owners']
END_PY
}
status 0 page_owners called.html

# array_copy is executed where the reference is recorded, too: sections, places, one array's own parts, extents of run time.
cat >copied.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
enum { N = 12 };
#pragma dvm array distribute[block][*]
double rows[N][N];
#pragma dvm array distribute[*][block]
double columns[N][N];
int main(int argc, char **argv) {
  int n = N + argc - 1, k = 3;
  double sum = 0, plain[4];
#pragma dvm array distribute[block]
  double *line = malloc(n * sizeof *line);
#pragma dvm parallel([i][j] on columns[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      columns[i][j] = 0;
#pragma dvm parallel([i][j] on rows[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      rows[i][j] = i + j / 10.0;
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i < n; i++)
    line[i] = 100 + i;
#pragma dvm array_copy(columns = rows)
#pragma dvm array_copy(columns[1:4][2:9] = columns[2:5][3:10])
#pragma dvm array_copy(columns[k][] = line[0:N - 1])
#pragma dvm array_copy(columns[][k + 2] = line[n - N:n - 1])
#pragma dvm array_copy(plain[0:3] = rows[2][k:k + 3])
#pragma dvm parallel([i][j] on columns[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      sum += columns[i][j] * (i + 2 * j);
      columns[i][j] += plain[j % 4];
    }
  printf("%.6f %g\n", sum, plain[0] + plain[3]);
  free(line);
  return 0;
}
END_C
both copied
status 0 ./copied.sequential
cp out copied.expected
status 0 "$dvmcc" -g copied.c -o copied.checked
status 0 ./copied.checked
cp out copied.now
status 0 cmp copied.now copied.expected
for n in 1 3; do
  status 0 $(ranks $n ./copied.parallel)
  cp out copied.now
  status 0 cmp copied.now copied.expected
  status 0 "$dvm" compare copied.dvmt -- $(ranks $n ./copied.parallel)
  has err ", 0 different"
done
status 0 "$dvm" record --level modify -o copied.modify -- ./copied.sequential
status 0 "$dvm" diff --accept unrecorded copied.modify copied.modify
has err "'array_copy' is executed: what it writes is not recorded and not compared"
finish
