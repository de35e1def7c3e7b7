# Level checksum and --bisect on every program: plain ones, ordinary arrays, reductions.
. "$(dirname "$0")/lib.sh"
build_() { status 0 "$dvmcc" -fdvm=trace -w "$2" -o "$1" "${@:3}"; }
# found FILE TEXT: the reference's sums, and a run with -DWRONG=1, lead to the element.
found() {
  build_ right "$1" -O1 -DWRONG=0
  build_ wrong "$1" -O1 -DWRONG=1
  status 0 "$dvm" record --level checksum -o sum.dvmt -- ./right
  status 0 "$dvm" compare sum.dvmt -- ./right
  agreed
  status 66 "$dvm" compare sum.dvmt -- ./wrong
  mkdir -p place
  TMPDIR=$PWD/place status 66 "$dvm" compare --bisect sum.dvmt -- ./wrong
  rmdir place || wrong "left in TMPDIR"
  has err "$2"
  tail -n 1 err | grep -q '^dvm: compared ' || wrong "no closing line: $(tail -n 1 err)"
}
cat >plain.c <<'C'
#include <stdlib.h>
static double A[40][40];
static double *B;
static double row(int i, int t) {
  double s = 0;
  for (int j = 0; j < 40; j++)
    s += A[i][j] * j;
  return s + (WRONG && t == 7 && i == 30) * 1e-3;
}
int main(void) {
  B = calloc(40, sizeof(double));
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < 40; j++)
      A[i][j] = i + j / 3.0;
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < 40; i++)
      B[i] = row(i, t);
    for (int i = 0; i < 40; i++)
      A[i][0] += 1e-3 * B[i];
  }
  return 0;
}
C
found plain.c "'B[30]' is"
has err "dvm: execution 8 of the construct at plain.c:16:5 is the first beyond the tolerance"
grep -q "note: in this loop, iteration (t=7, i=[0-9]*), execution 8" err || wrong "not the execution of the whole run: $(cat err)"
cat >ordinary.c <<'C'
#define N 30
static double u[N], v[N];
int main(void) {
  int i, t;
  for (t = 0; t < 6; t++) {
#pragma dvm parallel(1)
    for (i = 0; i < N; i++)
      u[i] = i * t + (WRONG && t == 4 && i == 9) * 1e-2;
#pragma dvm parallel(1)
    for (i = 0; i < N; i++)
      v[i] = 2 * u[i];
  }
  return 0;
}
C
found ordinary.c "'u[9]' is"
cat >sum.c <<'C'
#define N 30
#pragma dvm array distribute[block]
static double A[N];
static double kept;
int main(void) {
  int i, t;
  double s;
#pragma dvm parallel([i] on A[i])
  for (i = 0; i < N; i++)
    A[i] = i;
  for (t = 0; t < 6; t++) {
    s = 0;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
    for (i = 0; i < N; i++)
      s += A[i] + (WRONG && t == 4 && i == 9) * 1e-2;
#pragma dvm parallel([i] on A[i])
    for (i = 0; i < N; i++)
      A[i] = A[i] + s / N;
  }
  return 0;
}
C
found sum.c "'s' is"
grep -q "^sum.c:13:13: error: 's' is" err || wrong "a wrong reduction is blamed on its consequence: $(cat err)"
cat >empty.c <<'C'
static int n;
int main(void) { n = WRONG; return 0; }
C
build_ right empty.c -DWRONG=0
status 0 "$dvm" record --level checksum -o sum.dvmt -- ./right
status 2 "$dvm" compare --bisect sum.dvmt -- ./right
has err "'--bisect' has nothing to go by"

# The moment is that of the whole run: the loops around, and the numbers of executions of those within what is recorded again, too.
cat >inner.c <<'C'
#include <stdio.h>
#define N 12
static double A[N][N], B[N], C[N][N];
static double sum(int i, int t, int wrong) {
  double s = 0;
  for (int k = 0; k < N; k++)
    for (int l = 0; l < 2; l++) {
      double x = A[i][k] * (k + 1 + l);
      if (wrong && WRONG == 2 && t == 4 && i == 7 && k == 3 && l == 1) x += 1e-3;
      s += x;
    }
  return s;
}
static void relax(int t) {
  int j = 0;
  for (int i = 0; i < N; i++) {
    B[i] = sum(i, t, 1);
    while (j < N) {
      A[i][j] = A[i][j] * 0.5 + j + (WRONG == 1 && t == 7 && i == 9 && j == 5) * 1e-3;
      j++;
    }
    j = 0;
  }
}
static void spread(int t) {
#pragma dvm parallel(1)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      C[i][j] = B[i] + j + (WRONG == 3 && t == 5 && i == 8 && j == 6) * 1e-2;
  for (int r = 0; r < 2; r++)
    for (int i = 1; i < N; i++)
      for (int j = 0; j < N; j++)
        for (int k = 0; k < 2; k++)
          C[i][j] += C[i - 1][j] * 1e-3 + (WRONG == 4 && t == 6 && r == 1 && i == 3 && j == 2 && k == 1) * 1e-2;
}
int main(void) {
  for (int t = 0; t < 9; t++) {
    relax(t);
    spread(t);
    relax(t + 100);
  }
  printf("%g\n", A[3][3] + B[4] + C[5][5]);
  return 0;
}
C
build_ right inner.c -O1 -DWRONG=0
status 0 "$dvm" record --level checksum -o sum.dvmt -- ./right
status 0 "$dvm" record -o whole.dvmt -- ./right
for how in 1 2 3 4; do
  build_ wrong inner.c -O1 -DWRONG=$how
  status 66 "$dvm" compare whole.dvmt -- ./wrong
  grep -m 2 -E '(: error|: note: in this)' err | sed 's/execution [0-9]* of the run//' >expected
  status 66 "$dvm" compare --bisect sum.dvmt -- ./wrong
  grep -m 2 -E '(: error|: note: in this)' err | diff expected - || wrong "$how: another moment than in the whole run"
  lacks err "note: record "
done
# A difference that is gone again when the run ends is not passed over because the last one is within the tolerance.
cat >part.c <<'C'
#define N 20
static double a[N], b[N];
static void fill(double by) {
  for (int i = 0; i < N; i++)
    a[i] = i + by;
}
int main(void) {
  fill(1);
  fill(WRONG ? 2.001 : 2);
  fill(3);
  for (int i = 0; i < N; i++)
    b[i] = a[i] * (WRONG ? 1 + 1e-14 : 1);
  return 0;
}
C
found part.c "'a[0]' is 2.001, the reference has 2"
has err "dvm: execution 2 of the construct at part.c:4:3 is the first beyond the tolerance"
# Loops that stand in one line are counted by themselves.
cat >line.c <<'C'
#define N 20
static double u[N][N], v[N][N];
int main(void) {
  for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) u[i][j] = i + j;
  for (int step = 0; step < 10; step++) {
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) v[i][j] = u[i][j] * 0.9 + (WRONG && step == 5 && i == 7 && j == 3) * 1e-3;
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) u[i][j] = v[i][j];
  }
  return 0;
}
C
found line.c "'v[7][3]' is"
has err "dvm: execution 108 of the construct at line.c:6:33 is the first beyond the tolerance"
has err "line.c:6:33: note: in this loop, iteration (step=5, i=7, j=3), execution 108"
status 0 "$dvm" record -o line.dvmt -- ./right
status 0 "$dvm" trace dump --construct line.c:6:33 --execution 108 line.dvmt
has out "v[7][19] = "
lacks out "u["
build_ right inner.c -O1 -DWRONG=0
# A trace that begins there knows the numbers too.
printf 'level none\nloop inner.c:16 level modify\nstart inner.c:16 3\nfinish inner.c:16 3\n' >start.conf
status 0 "$dvm" record --config start.conf -o start.dvmt -- ./right
status 0 "$dvm" trace dump --construct inner.c:16 --execution 3 start.dvmt
grep -q 'level modify' out || wrong "the number of an execution in a part of a run: $(head -5 out)"

printf 'level modify\nstart inner.c:16 3\n' >early.conf
printf 'level modify\nstart inner.c:16 9\n' >late.conf
build_ wrong inner.c -O1 -DWRONG=1
status 0 "$dvm" record --config early.conf -o early.dvmt -- ./right
status 0 "$dvm" record --config late.conf -o late.dvmt -- ./wrong
status 66 "$dvm" compare whole.dvmt -- ./wrong
expected=$(grep -m 1 ': note: in this' err)
for reference in whole early; do
  status 66 "$dvm" diff $reference.dvmt late.dvmt
  has err "$(sed 's/.*iteration (t=7, //' <<<"$expected")"
  lacks err '[dvm-trace-structure]'
done

# start and finish at a sequential loop.
build_ right plain.c -DWRONG=0
printf 'level modify\nstart plain.c:16 3\nfinish plain.c:16 3\n' >start.conf
status 0 "$dvm" record --config start.conf -o start.dvmt -- ./right
status 0 "$dvm" trace stat start.dvmt
grep -qE '^loop +plain.c:16:5 +1 +40 ' out || wrong "one execution of a loop: $(cat out)"
lacks out plain.c:18
empty err
printf 'level none\nstart plain.c:16 3\nloop plain.c:16 level modify\n' >start.conf
status 0 "$dvm" record --config start.conf -o start.dvmt -- ./right
status 0 "$dvm" trace stat start.dvmt
grep -qE '^loop +plain.c:16:5 +8 +320 ' out || wrong "from one execution of a loop on: $(cat out)"

# A configuration that fits nothing is told.
printf 'level modify\nloop plain.c:99 level none\ntolerance variable AA relative 1e-3\nstart plain.c:16 99\n' >none.conf
status 0 "$dvm" record --config none.conf -o none.dvmt -- ./right
has err "none.conf: there is no construct or loop at plain.c:99"
has err "none.conf: no variable is called 'AA'; did you mean 'A'?"
has err "none.conf: plain.c:16 is not executed 99 times: nothing is recorded"
status 0 "$dvm" record -o ref.dvmt -- ./right
printf 'tolerance variable Bb relative 1\n' >none.conf
status 0 "$dvm" compare --config none.conf ref.dvmt -- ./right
has err "none.conf: no variable is called 'Bb'; did you mean 'B'?"
status 0 "$dvm" compare --ignore variable:BB ref.dvmt -- ./right
has err "'--ignore variable:BB' matches nothing that was recorded"
TMPDIR=$PWD/nowhere status 1 "$dvm" compare --bisect sum.dvmt -- ./wrong
has err "cannot create the temporary folder '$PWD/nowhere/dvm-bisect-"
finish
