# Never a wrong "equal": what a comparison must not pass over.
. "$(dirname "$0")/lib.sh"
build_() { # PROGRAM FILE FLAGS..
  status 0 "$dvmcc" -fdvm=trace -w "$2" -o "$1" "${@:3}"
}
first() { head -n 1 err; }
# differs FILE FLAGS-OF-THE-REFERENCE FLAGS-OF-THE-RUN TEXT [OPTIONS..]: a difference is told that has TEXT.
differs() {
  local file=$1 right=$2 wrong=$3 text=$4
  # shellcheck disable=SC2086
  build_ right "$file" $right -lm
  # shellcheck disable=SC2086
  build_ wrong "$file" $wrong -lm
  status 0 "$dvm" record --level "${level:-modify}" -o ref.dvmt -- ./right
  status 66 "$dvm" compare "${@:5}" ref.dvmt -- ./wrong
  has err "$text"
}
same() { # FILE FLAGS FLAGS [OPTIONS..]
  # shellcheck disable=SC2086
  build_ right "$1" $2 -lm
  # shellcheck disable=SC2086
  build_ wrong "$1" $3 -lm
  status 0 "$dvm" record --level "${level:-modify}" -o ref.dvmt -- ./right
  status 0 "$dvm" compare "${@:4}" ref.dvmt -- ./wrong
  agreed
}

# The start of a minimum, a large value of another variable of that name, of the same array: none hides an error.
cat >minimum.c <<'C'
#include <float.h>
static double a[30][20];
int main(void) {
  int i, j;
  double m, least[30];
  for (i = 0; i < 30; i++)
    for (j = 0; j < 20; j++)
      a[i][j] = 101 + (i * 7 + j * 13) % 50;
  for (i = 0; i < 30; i++) {
    m = DBL_MAX;
    for (j = 0; j < 20; j++)
      if (a[i][j] < m)
        m = a[i][j] + (WRONG && i == 12) * 37;
    least[i] = m;
  }
  return least[0] > 1e6;
}
C
differs minimum.c -DWRONG=0 -DWRONG=1 "'m' is 1"
cat >local.c <<'C'
static double out[50];
static double large(int i) { double t = 1.8e9 + i; return t; }
static double small(int i) { double t = 2.0 + i * 1e-3; t *= 1 + (WRONG && i == 20) * 1e-7; return t; }
int main(void) {
  for (int i = 0; i < 50; i++) {
    out[i] = large(i);
    out[i] = small(i);
  }
  return 0;
}
C
differs local.c -DWRONG=0 -DWRONG=1 "'t' is"
cat >decay.c <<'C'
static double u[64][8];
int main(void) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 8; j++)
      u[i][j] = 1 + i * 0.1 + j;
  for (int t = 0; t < 300; t++)
    for (int i = 0; i < 64; i++)
      for (int j = 0; j < 8; j++)
        u[i][j] *= 0.9 * (1 + (WRONG && t == 290 && i == 9 && j == 4) * 4e-4);
  return 0;
}
C
differs decay.c -DWRONG=0 -DWRONG=1 "'u[9][4]' is"
has err "iteration (t=290, i=9, j=4)"

# What is left where values cancel is rounding, where the level knows the operands.
cat >cancel.c <<'C'
#include <math.h>
static double u[40], exact[40], e[40];
int main(void) {
  for (int i = 0; i < 40; i++) {
    exact[i] = sin(i);
    u[i] = exact[i] * (1 + NOISE * 1e-15 * (i % 3));
  }
  for (int i = 0; i < 40; i++)
    e[i] = u[i] - exact[i] + (WRONG && i == 7) * 1e-6;
  return 0;
}
C
level=full same cancel.c "-DNOISE=0 -DWRONG=0" "-DNOISE=1 -DWRONG=0"
level=full differs cancel.c "-DNOISE=0 -DWRONG=0" "-DNOISE=1 -DWRONG=1" "'e[7]' is"

# Bit for bit.
same cancel.c "-DNOISE=0 -DWRONG=0" "-DNOISE=1 -DWRONG=0"
has err "within tolerance (the worst by "
for exact in --exact '--tolerance 0 --ulps 0'; do
  # shellcheck disable=SC2086
  differs cancel.c "-DNOISE=0 -DWRONG=0" "-DNOISE=1 -DWRONG=0" "'u[1]' is" $exact
done
cat >zero.c <<'C'
static double z[3];
int main(void) { for (int i = 0; i < 3; i++) z[i] = ZERO; return 0; }
C
same zero.c -DZERO=0.0 -DZERO=-0.0
differs zero.c -DZERO=0.0 -DZERO=-0.0 "'z[0]' is -0, the reference has 0" --exact

# Nothing lets more pass than was asked for, and units in the last place are counted one by one.
echo 'static double x; int main(void) { x = 1 + V * 0x1p-52; return 0; }' >last.c
echo 'tolerance variable x relative 0 ulps 0' >last.conf
for n in 2 9 256 448 10000; do
  differs last.c -DV=0 -DV=$n ", $n units in the last place" --tolerance 0 --ulps 1
done
same last.c -DV=0 -DV=1 --tolerance 0 --ulps 1
differs last.c -DV=0 -DV=448 "'x' is 1.0000000000000995" --tolerance 1e-15 --ulps 0
differs last.c -DV=0 -DV=1 "'x' is 1.0000000000000002" --config last.conf

# A variable whose type has changed is the same variable; its values are compared as numbers, its elements by index.
cat >fields.c <<'C'
#include <stdlib.h>
struct in { REAL u, v[3]; };
struct of { REAL dx; int steps; struct in w[2]; long n; };
static struct of g[3];
static void fill(struct of *p, struct in *q) {
  for (int i = 0; i < 3; i++) {
    p[i].dx = i;
    p[i].w[1].v[2] = 7 + i;
    (p + i)->n = i;
  }
  p->steps = 5;
  p->w[1].u = 4;
  p->n = N;
  q->u = 5;
  q[1].u = 6;
}
int main(void) {
  struct of *h = malloc(3 * sizeof(*h)), one, two;
  fill(g, g[2].w);
  fill(h, h[1].w);
  one = g[0];
  two = one;
  g[1].steps = 4;
  return two.steps - 5;
}
C
same fields.c "-DREAL=double -DN=7" "-DREAL=float -DN=7"
same fields.c "-DREAL=float -DN=7" "-DREAL=double -DN=7"
differs fields.c "-DREAL=double -DN=7" "-DREAL=float -DN=8" "is 8, the reference has 7"
[[ $(first) = *"'g[0].n' is 8"* || $(first) = *"'p->n' is 8"* ]] || wrong "the first difference is $(first)"
cat >kinds.c <<'C'
struct pair { R first; R more[3]; };
static R a[5][7];
static struct pair p[4];
static I n[6];
int main(void) {
  R s = 0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 7; j++)
      a[i][j] = i + j / 7.0;
  for (int i = 0; i < 4; i++) {
    p[i].first = i / 3.0;
    for (int k = 0; k < 3; k++)
      p[i].more[k] = (i + k) / 3.0;
  }
  for (int i = 0; i < 6; i++)
    n[i] = -i * 1000 + WRONG * (i == 4);
  for (int i = 0; i < 5; i++)
    s += a[i][3];
#pragma dvm parallel(1) reduction(sum(s))
  for (int i = 0; i < 5; i++)
    s += a[i][0];
  return s > 1e9;
}
C
for types in "float int" "long\ double long" "double __int128"; do
  eval "set -- $types"
  for wrong in 0 1; do
    status 0 "$dvmcc" -fdvm=trace -w kinds.c -o right -DR=double -DI=int -DWRONG=0
    status 0 "$dvmcc" -fdvm=trace -w kinds.c -o wrong "-DR=$1" "-DI=$2" -DWRONG=$wrong
    status 0 "$dvm" record -o ref.dvmt -- ./right
    status $((66 * wrong)) "$dvm" compare ref.dvmt -- ./wrong
    if [ $wrong = 1 ]; then has err "'n[4]' is -3999, the reference has -4000"; else agreed "compared 244 records"; fi
  done
done

# OpenMP loops and other threads: what they do is not recorded, and that is said with their places.
cat >threads.c <<'C'
#include <pthread.h>
static double A[1000], B[10];
static void *work(void *arg) { for (int i = 0; i < 10; i++) B[i] = i; return arg; }
int main(int argc, char **argv) {
  pthread_t t;
#pragma omp parallel for num_threads(4)
  for (int i = 0; i < 1000; i++)
    A[i] = i * 2.0;
  if (argc > 1) {
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
  }
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -w -fopenmp threads.c -o threads -lpthread
for more in '' yes; do
  # shellcheck disable=SC2086
  status 0 "$dvm" record -o ref.dvmt -- ./threads $more
  # shellcheck disable=SC2086
  status 66 "$dvm" compare ref.dvmt -- ./threads $more
  grep -qE "^threads.c:6:1: error: .*this OpenMP construct is executed.*\[dvm-trace-structure\]" err || wrong "an OpenMP loop: $(cat err)"
  if [ "$more" ]; then has err "threads.c:3:"; else lacks err "threads.c:3:"; fi
  # shellcheck disable=SC2086
  status 0 "$dvm" compare --accept unrecorded,nothing ref.dvmt -- ./threads $more
done
status 0 "$dvm" record -o run.dvmt -- ./threads
status 66 "$dvm" diff ref.dvmt run.dvmt
status 0 "$dvmcc" -fdvm=trace -w threads.c -o threads -lpthread
status 0 "$dvm" record -o ref.dvmt -- ./threads
status 0 "$dvm" compare ref.dvmt -- ./threads
agreed "100 % of the reference, 100 % of the run"

# An early end: what agreed until then, then where the reference goes on.
cat >early.c <<'C'
#include <signal.h>
#include <stdlib.h>
#define N 100
#pragma dvm array distribute[block]
static double A[N];
int main(int argc, char **argv) {
  int i;
#define how (argc > 1 ? atoi(argv[1]) : 0)
  for (int t = 0; t < 3; t++) {
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++) {
      A[i] = i + t;
      if (t == 1 && i == 50 && how == 1) exit(0);
      if (t == 1 && i == 50 && how == 2) abort();
    }
    if (t == 1 && how == 3) raise(SIGKILL);
    if (t == 1 && how == 4) exit(0);
  }
  return 0;
}
C
build_ early early.c
status 0 "$dvm" record -o whole.dvmt -- ./early
for how in 1 2 3 4; do
  expected=$((how == 1 || how == 4 ? 66 : how == 2 ? 134 : 137))
  { status $expected "$dvm" compare whole.dvmt -- ./early $how; } 2>/dev/null
  case $how in
    1) has err "the run ends here; the reference continues with the iteration (i=51)" ;;
    2) has err "the run was killed by signal 6 (Aborted) here; the reference continues with the iteration (i=51)" ;;
    3) has err "the run was killed by signal 9 (Killed) here; the reference continues with the write of 't'" ;;
    4) has err "the run ends here; the reference continues with the write of 't'" ;;
  esac
  grep -qE "dvm: compared [0-9]+ records .* 0 different" err || wrong "nothing agreed until then: $(cat err)"
  { status $((expected == 66 ? 0 : expected)) "$dvm" record -o cut.dvmt -- ./early $how; } 2>/dev/null
  status 66 "$dvm" compare cut.dvmt -- ./early
  status 66 "$dvm" diff whole.dvmt cut.dvmt
  status $((expected == 66 ? 0 : 66)) "$dvm" diff cut.dvmt cut.dvmt
  [ $expected = 66 ] || status 0 "$dvm" diff --accept end cut.dvmt cut.dvmt
done

# Torn traces and damaged ones, with many blocks.
cat >blocks.c <<'C'
static double A[100];
int main(void) {
  for (int t = 0; t < 4000; t++)
    for (int i = 0; i < 100; i++)
      A[i] += (i * 37 + t * 11) % 1001 / 3.0 + (WRONG && t == 3900 && i == 7) * 1e-3;
  return 0;
}
C
build_ blocks blocks.c -DWRONG=0
build_ wrong blocks.c -DWRONG=1
status 0 "$dvm" record -o blocks.dvmt -- ./blocks
status 0 "$dvm" record -o wrong.dvmt -- ./wrong
size=$(stat -c %s blocks.dvmt)
head -c $((size / 2)) blocks.dvmt >torn.dvmt
for command in "compare torn.dvmt -- ./blocks" "diff torn.dvmt blocks.dvmt" "diff blocks.dvmt torn.dvmt"; do
  # shellcheck disable=SC2086
  status 66 "$dvm" $command
  head -n 1 err | grep -q "'torn.dvmt' is torn" || wrong "what is torn is not said first: $(first)"
  has err "torn"
  has err ", 0 different"
  # shellcheck disable=SC2086
  status 0 "$dvm" ${command/ / --accept torn }
done
status 66 "$dvm" diff torn.dvmt torn.dvmt
python3 - <<'P'
import struct
data = bytearray(open('blocks.dvmt', 'rb').read())
at, blocks = 32 + struct.unpack_from('<I', data, 16)[0], []
while data[at:at + 4] == b'DBLK':
    packed, = struct.unpack_from('<I', data, at + 12)
    if data[at + 4] == 1: blocks.append((at, packed))
    at += 56 + packed
for name, place in ('payload', blocks[3][0] + 56 + blocks[3][1] // 2), ('header', blocks[3][0] + 20):
    damaged = bytearray(data)
    damaged[place] ^= 0x40
    open(name + '.dvmt', 'wb').write(damaged)
P
for damaged in payload header; do
  for command in "compare $damaged.dvmt -- ./blocks" "diff $damaged.dvmt blocks.dvmt" "diff blocks.dvmt $damaged.dvmt"; do
    # shellcheck disable=SC2086
    status 66 "$dvm" $command
    head -n 1 err | grep -q "'$damaged.dvmt' is damaged: 65536 records are lost, the first of them is record 196608" || wrong "what is lost is not said first: $(first)"
    has err ", 0 different"
    [ "$(grep -c 'error:' err)" = 1 ] || wrong "what was lost is told as differences: $(cat err)"
    grep -qE "\((8|9)[0-9.]+ % of the reference" err || wrong "the comparison does not go on behind: $(tail -n 1 err)"
    # shellcheck disable=SC2086
    status 0 "$dvm" ${command/ / --accept damaged }
  done
  status 66 "$dvm" diff --accept damaged $damaged.dvmt wrong.dvmt
  has err "'A[7]' is"
done

# Nothing is compared.
echo 'level none' >none.conf
status 0 "$dvm" record --config none.conf -o none.dvmt -- ./blocks
status 66 "$dvm" diff none.dvmt none.dvmt
has err "nothing was compared"
has err "dvm: compared 0 records"
status 0 "$dvm" diff --accept nothing none.dvmt none.dvmt
# Parts of structs are selected by the names that the dump shows.
cat >part.c <<'C'
struct of { double dx; int steps; double w[2]; };
static struct of g;
static void fill(struct of *p) { p->dx = 1, p->steps = 5, p->w[0] = 3, p->w[1] = 4; }
int main(void) {
  struct of p, q;
  fill(&p);
  fill(&g);
  q = p;
  return q.steps + g.steps - 10;
}
C
build_ part part.c
status 0 "$dvm" record -o part.dvmt -- ./part
for element in 'p->w[1]' 'p->dx' 'g.w[1]' 'g.steps' q.dx 'q.w[0]'; do
  status 0 "$dvm" trace dump --element "$element" part.dvmt
  has out "$element = "
  [ "$(wc -l <out)" = 1 ] || wrong "$element: not one record"
  empty err
done

# An array of numbers of many magnitudes: the large ones do not excuse the small ones.
cat >units.c <<'C'
static double y[3];
static volatile double heating = H;
static double rate(int i) { return i == 0 ? -1e-3 * y[0] : i == 1 ? heating * y[2] - 0.1 * (y[1] - 300) : -0.05 * y[2]; }
int main(void) {
  double init[3] = {2.7e20, 300, 0.4};
  for (int i = 0; i < 3; i++)
    y[i] = init[i];
  for (int step = 0; step < 100; step++)
    for (int i = 0; i < 3; i++)
      y[i] += 0.1 * rate(i);
  return 0;
}
C
differs units.c -DH=1000 -DH=2000 "'y[1]' is 380, the reference has 340"

# Two recorders at once, blocks that are missing, doubled or swapped: never a trace that looks whole.
cat >long.c <<'C'
#include <stdio.h>
static double a[100];
int main(int argc, char **argv) {
  for (int k = 0; k < 4000; k++)
    for (int i = 0; i < 100; i++)
      a[i] = a[i] * 0.99 + k * i;
  if (argc > 1) {
    fclose(fopen("runs", "w"));
    for (FILE *f = NULL; !f; f = fopen(argv[1], "r"))
      ;
  }
  return 0;
}
C
build_ long long.c
rm -f runs go two.dvmt
"$dvm" record -o two.dvmt -- ./long go >first 2>&1 &
until [ -e runs ]; do sleep 0.02; done
status 1 "$dvm" record -o two.dvmt -- ./long
has err "another recorder is writing it"
touch go
wait $! || wrong "the first recorder failed"
status 0 "$dvm" trace verify two.dvmt
status 0 "$dvm" record -o two.dvmt -- ./long
status 0 "$dvm" trace verify two.dvmt
python3 - <<'P' || wrong "no blocks to change"
data = open('two.dvmt', 'rb').read()
at = [i for i in range(len(data)) if data[i:i + 4] == b'DBLK']
parts = [data[a:b] for a, b in zip(at, at[1:] + [len(data)])]
assert len(parts) > 5
def write(name, order):
    open(name, 'wb').write(data[:at[0]] + b''.join(parts[i] for i in order))
every = list(range(len(parts)))
write('less.dvmt', every[:2] + every[3:])
write('last.dvmt', every[:-3] + every[-2:])
write('bare.dvmt', every[:-2] + every[-1:])  # without the block of contents
write('twice.dvmt', every[:3] + every[2:])
write('swapped.dvmt', every[:2] + [3, 2] + every[4:])
P
for changed in less last twice swapped; do
  status 1 "$dvm" trace verify $changed.dvmt
  has out damaged
  status 66 "$dvm" diff two.dvmt $changed.dvmt
  status 66 "$dvm" diff $changed.dvmt $changed.dvmt
done

status 0 "$dvm" trace verify bare.dvmt
status 0 "$dvm" diff two.dvmt bare.dvmt

# What is not compared by design is counted too.
cp "$source/samples/jacobi.c" .
build_ jacobi jacobi.c -lm
status 0 "$dvm" record -o ref.dvmt -- ./jacobi
status 0 "$dvm" compare ref.dvmt -- ./jacobi
python3 - <<'P' || wrong "the closing line does not add up"
import re
line = [l for l in open('err') if 'compared' in l][-1]
compared, share, left = re.search(r'compared (\d+) records \(([\d.]+) %.*; (\d+) of reductions under way$', line.strip()).groups()
whole = int(compared) / (float(share) / 100)
assert abs(int(compared) + int(left) - whole) < whole / 5000, line
P

# A pointer that leads to another object, or elsewhere in it, is a difference though the value that is written is the same; that the
# addresses are others is none, nor that there are more allocations.
cat >leads.c <<'C'
#include <stdlib.h>
static volatile int other = WRONG;
static double g[10];
struct node { double v; struct node *next; };
static void set(double *row, int n) { for (int i = 0; i < n; i++) row[i] = 5; }
static double *chosen(double *x, double *y) { return other && CASE == 7 ? y : x; }
int main(void) {
  double *a = calloc(12, 8), *b = calloc(12, 8), x[4] = {0}, y[4] = {0};
  double *p = other && CASE == 1 ? b : a, *q = other && CASE == 2 ? y : x, *r = other && CASE == 3 ? &g[3] : &g[2], *w = a;
  struct node *n = 0, *m;
  if (other && CASE == 0)
    free(malloc(100));
  *p = *q = *r = 3;
  set(a + 3 * (other && CASE == 4), 3);
  for (int i = 0; i < 4; i++) {
    *w = 7;
    w += 1 + (other && CASE == 5 && i == 2);
  }
  for (int i = 0; i < 3; i++) {
    m = malloc(sizeof *m);
    m->v = 1;
    m->next = other && CASE == 6 && i == 2 ? n->next : n;
    n = m;
  }
  *chosen(x, y) = 2;
  return 0;
}
C
same leads.c "-O0 -DCASE=0 -DWRONG=0" "-O2 -DCASE=0 -DWRONG=1" --exact
differs leads.c "-DCASE=1 -DWRONG=0" "-DCASE=1 -DWRONG=1" "'p' is byte 0 of allocation 2, the reference has byte 0 of allocation 1"
has err "'*p' is written through byte 0 of allocation 2 here, in the reference through byte 0 of allocation 1"
differs leads.c "-DCASE=2 -DWRONG=0" "-DCASE=2 -DWRONG=1" "'q' is &y[0], the reference has &x[0]"
has err "the write of 'y[0]' is not in the reference"
differs leads.c "-DCASE=3 -DWRONG=0" "-DCASE=3 -DWRONG=1" "'r' is &g[3], the reference has &g[2]"
differs leads.c "-DCASE=4 -DWRONG=0" "-DCASE=4 -DWRONG=1" "'row[0]' is written through byte 24 of allocation 1 here, in the reference through byte 0 of"
differs leads.c "-O2 -DCASE=5 -DWRONG=0" "-O2 -DCASE=5 -DWRONG=1" "'w' is byte 32 of allocation 1, the reference has byte 24 of allocation 1"
differs leads.c "-DCASE=6 -DWRONG=0" "-DCASE=6 -DWRONG=1" "'m->next' is byte 0 of allocation"
differs leads.c "-DCASE=7 -DWRONG=0" "-DCASE=7 -DWRONG=1" "the write of 'y[0]' is not in the reference"
# Beyond the first block, which is the same and not looked into, the objects are those that they were.
cat >late.c <<'C'
#include <stdlib.h>
static volatile int other = WRONG;
int main(void) {
  double *a = malloc(8), *b = malloc(8), *p, sum = 0;
  for (int i = 0; i < 100000; i++)
    sum += i;
  p = other ? b : a;
  *p = sum;
  return 0;
}
C
build_ right late.c -DWRONG=0
build_ wrong late.c -DWRONG=1
status 0 "$dvm" record -o ref.dvmt -- ./right
status 0 "$dvm" record -o new.dvmt -- ./wrong
status 66 "$dvm" diff ref.dvmt new.dvmt
has err "'p' is byte 0 of allocation 2, the reference has byte 0 of allocation 1"
status 0 "$dvm" diff ref.dvmt ref.dvmt

finish
