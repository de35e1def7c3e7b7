# What code that is not recorded writes into recorded data: recorded where it can be, told where it cannot.
. "$(dirname "$0")/lib.sh"
cc=${CC:-gcc}
first() { head -n 1 err; }
# plain FILE.c FLAGS..: an object that does not record.
plain() { "$cc" -O1 -c "$1" -o plain.o "${@:2}" || wrong "cannot compile $1"; }
# calls TEXT STATUS [OPTIONS..]: main.c with plain.c as reference, and with WRONG; the comparison has the status and the text.
calls() {
  plain plain.c -DWRONG=0
  status 0 "$dvmcc" -fdvm=trace -w main.c plain.o -o right -lm
  plain plain.c -DWRONG=1
  status 0 "$dvmcc" -fdvm=trace -w main.c plain.o -o wrong -lm
  status 0 "$dvm" record --level "${level:-modify}" -o ref.dvmt -- ./right
  status 0 "$dvm" compare "${@:3}" ref.dvmt -- ./right
  agreed "100 % of the reference, 100 % of the run"
  status 66 "$dvm" compare "${@:3}" ref.dvmt -- ./wrong
  has err "$1"
}

# Functions of the library that are known: their range is recorded.
cat >known.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
static double A[10][20], B[10][20];
struct point { double x, y[3]; int n; };
static struct point P[4], Q[4];
static int order(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }
int main(void) {
  FILE *f = fopen("in.bin", "rb");
  double in[8], *h = malloc(10 * sizeof *h);
  char text[20];
  int e, n;
  float x;
  if (fread(in, sizeof in[0], 8, f) != 8) return 1;
  fclose(f);
  memcpy(A[3], in, sizeof in);
  memcpy(B, A, sizeof A);
  memset(&B[9][0], 0, sizeof B[9]);
  for (int i = 0; i < 4; i++) { P[i].x = in[i]; P[i].y[2] = i; P[i].n = i; }
  memmove(Q + 1, P, 2 * sizeof *P);
  memcpy(h + 2, in, 4 * sizeof *h);
  qsort(in, 8, sizeof *in, order);
  sprintf(text, "%.3f 17", in[2]);
  sscanf(text, "%f %d", &x, &n);
  in[0] = frexp(in[1], &e);
  return !(x > 0 && n == 17 && e);
}
C
python3 - <<'P'
import struct
v = [5.5, 1.25, 3.75, 9.0, 2.5, 8.0, 7.0, 6.0]
open('right.bin', 'wb').write(struct.pack('8d', *v))
v[6] = 7.5
open('wrong.bin', 'wb').write(struct.pack('8d', *v))
P
status 0 "$dvmcc" -fdvm=trace -w -O2 known.c -o known -lm
cp right.bin in.bin
for level in modify full checksum; do
  cp right.bin in.bin
  status 0 "$dvm" record --level $level -o ref.dvmt -- ./known
  status 0 "$dvm" compare ref.dvmt -- ./known
  agreed
  [ $level = checksum ] && continue
  cp wrong.bin in.bin
  status 66 "$dvm" compare ref.dvmt -- ./known
  first | grep -q "^known.c:15:13: error: 'in\[6\]' is 7.5, the reference has 7 " || wrong "fread: $(first)"
  for text in "known.c:17:10: error: 'A[3][6]' is 7.5" "known.c:18:10: error: 'B[3][6]' is 7.5"; do has err "$text"; done
done
level=modify
cp right.bin in.bin
status 0 "$dvm" record -o ref.dvmt -- ./known
status 0 "$dvm" trace export --jsonl -o out.jsonl ref.dvmt
for text in '"A[3][7]"' '"B[9][19]"' '"Q[2].x"' '"Q[2].y[2]"' '"Q[1].n"' '"h[5]"' '"text[0]"' '"x"' '"n"' '"e"'; do has out.jsonl "$text"; done

# Others: what they are given is looked at, and what has changed is recorded.
cat >main.c <<'C'
#include <stdlib.h>
void scale(int *n, double *x, double *f);
void set(double *v, int i, double x);
struct grid { int n; double u[5]; };
void fill(struct grid *g);
static double A[6][7];
static void work(double *row) { double two = 2; int n = 7; scale(&n, row, &two); }
int main(void) {
  struct grid g;
  double *h = malloc(50 * sizeof *h), garbage[30];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++)
      A[i][j] = i + j * 0.5;
  for (int i = 0; i < 50; i++)
    h[i] = i;
  for (int i = 0; i < 6; i++)
    work(A[i]);
  set(h, 7, 3.5);
  set(h + 10, 7, 4.5);
  for (int i = 0; i < 30; i += 3)
    set(garbage, i, 7 + i * 0.5);
  fill(&g);
  return A[1][1] < 0;
}
C
cat >plain.c <<'C'
struct grid { int n; double u[5]; };
void scale(int *n, double *x, double *f) { for (int i = 0; i < *n; i++) x[i] *= *f * (1 + (WRONG == 1 && x[i] > 6.4 && x[i] < 6.6) * 1e-3); }
void set(double *v, int i, double x) { v[i] = x; }
void fill(struct grid *g) { g->n = 5; for (int i = 0; i < 5; i++) g->u[i] = i; }
C
calls "main.c:7:70: error: 'A[4][5]' is"
status 0 "$dvm" trace export --jsonl -o out.jsonl ref.dvmt
for text in '"g.u[4]"' '"g.n"' '"h[17]"' '"garbage[27]"' '"A[5][6]"'; do has out.jsonl "$text"; done
[ "$(grep -c '"garbage' out.jsonl)" = 10 ] || wrong "what a call has not changed is recorded"
level=full calls "main.c:7:70: error: 'A[4][5]' is"
level=checksum calls "main.c:16:3: error: 'A' differs"

# Global variables that it knows, through a pointer to a function too.
cat >main.c <<'C'
double u[4][5], sum;
int steps;
void step(void);
double norm(const double *x);
int main(void) {
  void (*f)(void) = step;
  double n = 0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 5; j++)
      u[i][j] = i - j;
  for (int t = 0; t < 5; t++) {
    f();
    n += norm(u[2]);
  }
  return sum > 1e9;
}
C
cat >plain.c <<'C'
extern double u[4][5], sum;
extern int steps;
static void change(void) { for (int i = 0; i < 4; i++) u[i][3] += 1.5 + (WRONG && steps == 4 && i == 2); }
void step(void) { steps++; change(); sum += u[1][1]; }
double norm(const double *x) { return x[0]; }
C
calls "main.c:12:5: error: 'u[2][3]' is"
has err "iteration (t=3)"

# Rounding that changes an element on one side alone is none; what a call alone has changed is.
cat >main.c <<'C'
void relax(double *x);
static double x[8];
int main(void) {
  for (int i = 0; i < 8; i++) x[i] = i;
  for (int t = 0; t < 4; t++) relax(x);
  return 0;
}
C
cat >plain.c <<'C'
static int calls;
void relax(double *x) { x[2] += 1; if (++calls == 3 && NOISE) x[5] *= 1 + NOISE * 1e-15; }
C
for noise in 0 1 1000000000; do
  plain plain.c "-DNOISE=${noise}"
  status 0 "$dvmcc" -fdvm=trace main.c plain.o -o noise$noise
done
status 0 "$dvm" record -o ref.dvmt -- ./noise0
status 0 "$dvm" compare ref.dvmt -- ./noise1
status 66 "$dvm" compare --exact ref.dvmt -- ./noise1
status 66 "$dvm" compare ref.dvmt -- ./noise1000000000
has err "the write of 'x[5]' is not in the reference"
status 0 "$dvm" record -o other.dvmt -- ./noise1
status 0 "$dvm" diff other.dvmt ref.dvmt

# Where nobody knows the type, words are recorded: allocated memory behind another pointer, a struct that is a global variable, 'void *'.
cat >main.c <<'C'
#include <stdlib.h>
#include <string.h>
struct state { int n; double *u; float f[3]; };
extern void advance(struct state *s), poke(void);
struct state all;
static double from[9], to[9];
static void copy(void *a, const void *b, size_t n) { memcpy(a, b, n); }
int main(void) {
  all.n = 1000;
  all.u = calloc(all.n, sizeof *all.u);
  for (int i = 0; i < all.n; i++)
    all.u[i] = i;
  advance(&all);
  poke();
  for (int i = 0; i < 9; i++)
    from[i] = i * (1 + NOISE * 1e-12);
  copy(to, from, sizeof to);
  return 0;
}
C
cat >plain.c <<'C'
struct state { int n; double *u; float f[3]; };
extern struct state all;
void advance(struct state *s) { s->u[3] = 7 + (WRONG == 1); }
void poke(void) { all.f[1] = 2.5f + (WRONG == 2) * 1e-7f + (WRONG == 3) * 1e-3f; }
C
for wrong in 0 1 2 3; do
  plain plain.c -DWRONG=$wrong
  status 0 "$dvmcc" -fdvm=trace -w main.c plain.o -DNOISE=$((wrong == 2)) -o wrong$wrong
done
status 0 "$dvm" record -o ref.dvmt -- ./wrong0
status 0 "$dvm" compare ref.dvmt -- ./wrong0
agreed "100 % of the reference, 100 % of the run"
status 66 "$dvm" compare ref.dvmt -- ./wrong1
first | grep -q "^main.c:13:3: error: 'allocated memory\[3\]' is 8, the reference has 7" || wrong "allocated memory: $(first)"
status 0 "$dvm" compare ref.dvmt -- ./wrong2
agreed
status 66 "$dvm" compare ref.dvmt -- ./wrong3
first | grep -q "^main.c:14:3: error: 'all" || wrong "a global struct: $(first)"
# What is too much to be looked at is told.
cat >main.c <<'C'
extern void poke(void);
double large[(1 << 27) + 1000], x;
int main(void) { x = 1; large[0] = x; poke(); return 0; }
C
status 0 "$dvmcc" -fdvm=trace main.c plain.o -Wl,--defsym,all=x -o large
status 0 "$dvm" record -o ref.dvmt -- ./large
status 66 "$dvm" compare ref.dvmt -- ./large
has err "main.c:3:39: error: 'poke' is not recorded and is called here so often, or could change so much ('large'), that its effects were not checked"
status 0 "$dvm" compare --accept unrecorded ref.dvmt -- ./large
status 0 "$dvm" record -o run.dvmt -- ./large
status 66 "$dvm" diff ref.dvmt run.dvmt

# Functions of other objects that are recorded are not looked at, also through pointers and with callbacks from plain code.
cat >one.c <<'C'
#include <stdlib.h>
extern void both(double *x, void (*f)(double *)), fill(double *x);
void (*table[1])(double *) = {fill};
double a[100];
int main(void) {
  fill(a);
  table[0](a);
  return a[3] != 3;
}
C
echo 'void fill(double *x) { for (int i = 0; i < 100; i++) x[i] = i; }' >two.c
status 0 "$dvmcc" -fdvm=trace one.c two.c -o several
status 0 "$dvm" record -o ref.dvmt -v -- ./several
records=$(sed -n 's/^dvm: \([0-9]*\) records.*/\1/p' err)
[ "$records" = 608 ] || wrong "$records records of two loops of 100 iterations with one store"
status 0 "$dvmcc" -fdvm=trace -fPIC -shared two.c -o libtwo.so
status 0 "$dvmcc" -fdvm=trace one.c -L. -ltwo -Wl,-rpath,"$PWD" -o several
status 0 "$dvm" record -o ref.dvmt -v -- ./several
has err "dvm: $records records"
finish
