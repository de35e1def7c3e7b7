#!/bin/bash
# What functions of other files assign that a loop calls is compared as what functions of its own file do: global and static variables, and
# arrays; not what is assigned before it is read, wherever that is done, nor what foreign code does.
. "$(dirname "$0")/../driver/lib.sh" "$1" "$2"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
ranks() { local n=$1; shift; echo mpirun --oversubscribe -n "$n" "$@"; }
cat >main.c <<'END_C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "other.h"
#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
double b[N];
#pragma dvm array align([i] with a[i])
double *c;
double total, given;
static int count; /* that of other.c is another one */
static void here(int k) { count += k; }
int main(int argc, char **argv) {
  c = malloc(N * sizeof(*c));
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = sqrt(i), b[i] = 0, c[i] = 1;
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
#ifdef WHAT
    WHAT;
#endif
    prepare(a[i]);
    a[i] = prepared() * prepared();
  }
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    set(i, argc > 1 && i == 50, argc > 2 && i == 50);
  printf("%g %d %d %d\n", total, count, counted(), foreign_counted());
  here(argc);
  (void)argv;
  return 0;
}
END_C
cat >other.h <<'END_C'
enum { N = 64 };
extern double a[N], b[N], *c, total, ready;
void add(double x), again(int k), keep(double x), both_here(int k), prepare(double x), set(int i, int by, int more), assign(int k);
double prepared(void), last_kept(void), unset(void);
int counted(void);
typedef void by_number(int k), by_double(double x), by_place(double *p), by_both(double *p, int k);
by_number *counting(void);
by_double *third_adding(void);
by_place *keeping(void);
by_both *bumping(void);
void third_add(double x), third_put(double x), foreign(int k);
int foreign_counted(void);
END_C
cat >other.c <<'END_C'
#include "other.h"
double ready;
static int count, calls;
static double last;
static struct { double x[2]; int n, m; } state;
void add(double x) { third_add(x); }
void again(int k) {
  if (calls++ % 2)
    count += k;
}
void assign(int k) {
  count = k;
  count++;
}
void keep(double x) { last = x; }
double last_kept(void) { return last; }
void both_here(int k) { state.n += k; }
int counted(void) { return count + state.n; }
/* What pointers lead to: a static function here, one of a third file, one that is never called. */
static int through;
static double first;
static void count_through(int k) { through += k; }
static void keep_first(double *p) { first = *p, *p = first + 1; }
static void bump(double *p, int k) { *p += k; }
by_number *counting(void) { return count_through; }
by_double *third_adding(void) { return third_add; }
by_place *keeping(void) { return keep_first; }
by_both *bumping(void) { return bump; }
/* In each iteration first this, then that. */
void prepare(double x) {
  third_put(x);
  ready = x;
}
double prepared(void) { return ready > 0 ? ready : 0; }
double unset(void) { return ready++; }
void set(int i, int by, int more) {
  b[i] = i + by;
  c[i] = i - more;
}
END_C
cat >third.c <<'END_C'
#include "other.h"
static double put;
void third_add(double x) { total += x; }
void third_put(double x) {
  put = x;
  foreign(put < 0);
}
END_C
cat >foreign.c <<'END_C'
int foreign_count;
void foreign(int k) { foreign_count += k; }
int foreign_counted(void) { return foreign_count; }
END_C
both() { # OPTION..
  status 0 "$clang" -c -g foreign.c -o foreign.o
  status 0 "$dvmcc" -fdvm=trace -g "$@" main.c other.c third.c foreign.o -o sequential -lm
  status 0 "$dvmcc" -fdvm=parallel,trace -g "$@" main.c other.c third.c foreign.o -o parallel -lm
  status 0 "$dvm" record --level checksum -o reference.dvmt -- ./sequential
}
for level in -O0 -O2; do
  both $level
  for n in 1 3 4; do
    status 0 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks $n ./parallel)
    has err ", 0 different"
  done
  # Only functions of the other file assign these.
  status 66 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks 3 ./parallel one)
  has err "main.c:27:13: error: 'b' differs"
  status 66 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks 3 ./parallel one two)
  has err "main.c:27:13: error: 'c' differs"
done
for case in "add(a[i]):total" "again(i):count" "keep(a[i]):last" "both_here(i):state" "a[i] += unset():ready" "keep(a[i]), a[i] = last_kept() + 1:" \
  "assign(i):" "foreign(i):" \
  "counting()(i):through" "third_adding()(a[i]):total" "bumping()(&given, i):given" "keeping()(&a[i]):"; do
  what=${case%:*} name=${case##*:}
  both -O1 "-DWHAT=$what"
  status 0 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks 1 ./parallel)
  if [ -z "$name" ]; then
    status 0 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks 3 ./parallel)
    continue
  fi
  status 66 "$dvm" compare --accept unrecorded reference.dvmt -- $(ranks 3 ./parallel)
  has err "main.c:19:13: error: '$name' is assigned here, no clause names it, and rank 0 and rank 1 are left with different values of it"
  [ "$name" != total ] || status 0 "$dvm" compare --accept unrecorded --ignore variable:total reference.dvmt -- $(ranks 3 ./parallel)
done
# An array that another file defines, and a nest only gives to a function there: what each rank has of it is its part.
cat >rows.h <<'END_C'
enum { N = 12 };
void put(double *row, double value);
END_C
cat >rows.c <<'END_C'
#include "rows.h"
#include <stdio.h>
#pragma dvm array distribute[block][*]
extern double a[N][3];
#pragma dvm array distribute[block]
double b[N];
int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < 3; j++)
      a[i][j] = 1;
#pragma dvm parallel([i] on b[i])
  for (int i = 0; i < N; i++)
    put(a[i], i);
  printf("%g\n", a[N - 1][1]);
  return 0;
}
END_C
cat >put.c <<'END_C'
#include "rows.h"
#pragma dvm array distribute[block][*]
double a[N][3];
void put(double *row, double value) { row[1] = value; }
END_C
for level in -O0 -O2; do
  status 0 "$dvmcc" -fdvm=trace $level rows.c put.c -o rows.sequential
  status 0 "$dvmcc" -fdvm=parallel,trace $level rows.c put.c -o rows.parallel
  status 0 "$dvm" record --level checksum -o rows.dvmt -- ./rows.sequential
  status 0 "$dvm" compare rows.dvmt -- mpirun --oversubscribe -n 3 ./rows.parallel
  has err ", 0 different"
done
finish
