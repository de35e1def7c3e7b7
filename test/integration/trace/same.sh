# dvm compare and dvm diff: what optimisation, a jump or an equal stretch of two files must not change.
. "$(dirname "$0")/lib.sh"
build_() { # PROGRAM FILE FLAGS..
  status 0 "$dvmcc" -fdvm=trace -w "$2" -o "$1" "${@:3}"
}
first() { head -n 1 err; }

# Loops that are left by return and goto end there at each level of optimisation.
cat >jumps.c <<'C'
struct two { double a, b; };
static int A[10], x;
static int find(int v) {
  for (int i = 0; i < 10; i++)
    for (int k = 0; k < 2; k++)
      if (A[i] + k == v) return i;
  return -1;
}
static struct two both(int v) { struct two r = {1, 2}; while (1) if (v++ > 3) return r; }
static double _Complex number(int v) { for (;;) return v; }
static void nothing(void) { for (int i = 0; i < 3; i++) if (i == 1) return; }
int main(void) {
  for (int i = 0; i < 10; i++) A[i] = i * i;
  x = find(16);
  for (int i = 0; i < 2; i++) {
    int tries = 0;
    x = both(i).a + number(i);
    nothing();
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        if (k + l == 3) goto next;
        x++;
      }
  next:
    tries = 0;
  again:
    for (int m = 0; m < 2; m++) if (m && tries++ < 2) goto again;
  }
  return x > 100;
}
C
build_ jumps jumps.c -O2
status 0 "$dvm" record --level full -o jumps.dvmt -- ./jumps
build_ jumps jumps.c -O0
status 0 "$dvm" compare jumps.dvmt -- ./jumps
agreed

# A variable that is known by its name at one level of optimisation is at the other, too.
cat >names.c <<'C'
static int a, *volatile p = &a;
static int never(void) { return 0; }
int main(void) {
  if (never())
    a = 1;
  *p = 2;
  return 0;
}
C
build_ names names.c -O2
status 0 "$dvm" record -o names.dvmt -- ./names
build_ names names.c -O0
status 0 "$dvm" compare names.dvmt -- ./names
agreed

# In a sequential program too: the next loop that both execute.
cat >bound.c <<'C'
static double A[9][9], B[9];
int main(void) {
  for (int i = 0; i < 9; i++) {
    for (int j = FROM; j < 9; j++)
      A[i][j] = i + j;
    for (int j = 0; j < 9; j++)
      B[j] = A[i][j] + (i == 5) * WRONG;
  }
  return 0;
}
C
build_ bound bound.c -DFROM=0 -DWRONG=0
status 0 "$dvm" record -o bound.dvmt -- ./bound
build_ bound bound.c -DFROM=1 -DWRONG=0.5
status 66 "$dvm" compare bound.dvmt -- ./bound
first | grep -q "bound.c:4:14: error: 'j' is 1, the reference has 0" || wrong "a bound: $(first)"
has err "the iteration (j=1) happens where the reference has the iteration (j=0)"
has err "'B[0]' is 0, the reference has 1" # of i=1
has err "'B': 16 differ" # 8 of the column, 8 of the row i=5

# Blocks that are the same in both files are passed over, in the middle of whatever they begin; the report does not tell.
cat >skip.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#define N 100
#pragma dvm array distribute[block][block]
static double A[N][N];
#pragma dvm array align([i][j] with A[i][j])
static double B[N][N];
static double total, row[N];
int main(int argc, char **argv) {
  volatile int how = atoi(argv[1]), at = atoi(argv[2]);
  int i, j, t;
#pragma dvm parallel([i][j] on A[i][j])
  for (i = 0; i < N; i++)
    for (j = 0; j < N; j++) { A[i][j] = 1e5 / (1 + i + j); B[i][j] = 0; }
  for (t = 0; t < 20; t++) {
    double s = 0;
#pragma dvm parallel([i][j] on B[i][j])
    for (i = 1; i < N - 1; i++)
      for (j = 1; j < N - 1; j++) {
        B[i][j] = (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1]) / 4 + (how == 1 && t == at && j == 50) * 1e-5;
        for (int k = 0; k < 2; k++) row[k] = B[i][j] + (how == 2 && t == at && i == 9) * 1e-3;
        if (how == 3 && t == at && i == 50 && j == 50) total = 1;
      }
    for (i = 0; i < N; i++) { row[i] = B[i][i] * t; s += row[i]; if (how == 4 && t == at && i == 3) row[i] += 1; }
    total = s;
    if (how == 5 && t == at) row[0] = 0;
    if (t % 4 == 0 && how) {
#pragma dvm parallel([i][j] on A[i][j])
      for (i = 1; i < N - 1; i++)
        for (j = 1; j < N - 1; j++)
          A[i][j] = B[i][j];
    }
  }
  printf("%.3f\n", total);
  return 0;
}
C
build_ skip skip.c -O1
for keep in 0 6; do # 0: the reference has another structure; 6: the same, and at t = 10 a difference heals
  status 0 "$dvm" record -o skip.dvmt -- ./skip $keep -1
  for how in "1 0" "1 10" "1 19" "2 10" "3 10" "4 15" "5 10"; do
    # shellcheck disable=SC2086
    status 0 "$dvm" record -o one.dvmt -- ./skip $how
    # shellcheck disable=SC2086
    status 0 "$dvm" record --codec none -o two.dvmt -- ./skip $how
    "$dvm" diff skip.dvmt one.dvmt 2>one.txt
    "$dvm" diff skip.dvmt two.dvmt 2>two.txt
    if [ "$keep" = 6 ] && [ "$how" != "1 0" ]; then has one.txt "blocks that are the same"; fi
    lacks two.txt "blocks that are the same"
    diff <(sed 's/, [0-9]* records in blocks that are the same//' one.txt) two.txt || wrong "passed over with $keep, $how"
    [ -s one.txt ] || wrong "no difference with $keep, $how"
  done
done

# Functions with many accesses write their records by calls; the trace is the same.
{
  echo 'struct s { float f; double _Complex c; short h[9]; } t; double A[9][9]; long double l; int n = 3;'
  echo 'double many(double B[9][9], struct s *p, double x) {'
  for i in 0 1 2 3 4 5 6 7 8; do
    echo "A[n][$i] = B[$i][n] * x + A[$i][0]; B[$i][$i] += A[n][$i]; p->h[$i] = n + $i; p->f += B[n][$i]; p->c = p->c * 0.5 + x; l += x; x *= 0.75;"
  done
  echo 'return x; } int main(void) { static double B[9][9]; for (int i = 0; i < 3; i++) B[i][3] = many(B, &t, i + WRONG); return 0; }'
} >many.c
build_ many many.c -O2 -DWRONG=1
build_ inline many.c -O2 -DWRONG=1 -mllvm -dvm-trace-large=100000
nm -D --undefined-only many | grep -q __dvmt_puts || wrong "no record is written by a call"
nm -D --undefined-only inline | grep -q __dvmt_put && wrong "records are written by calls"
for level in modify full; do
  status 0 "$dvm" record --level $level -o inline.dvmt -- ./inline
  status 0 "$dvm" compare inline.dvmt -- ./many
  agreed "(100 % of the reference, 100 % of the run)"
done
build_ many many.c -O2 -DWRONG=1.5
status 66 "$dvm" compare inline.dvmt -- ./many
finish
