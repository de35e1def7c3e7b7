# Stretches of which both sides say the same are counted, not kept: wherever they begin and end, the report is that of going record by
# record, as it is done where something is ignored.
. "$(dirname "$0")/lib.sh"
cat >mix.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
enum { N = 80, STEPS = 12 };
#pragma dvm array distribute[block][block]
static double (*a)[N];
static double b[N], most;
struct part { struct part *next; double at[2]; } parts[40];
static float narrow[N];
static _Complex float pair[3];
static long double wide;
static unsigned char flag[N];
static volatile int how, at;
static double change(double x, int i) {
  b[i % 3] = x;
  if (how == 3 && i == 7 && at == 6) return change(x, i + 1);
  return x / 2 + (how == 4) * 1e-13;
}
static void link_parts(void) {
  for (int i = 0; i < 39; i++) {
    parts[i].next = &parts[how == 9 && at == 5 && i == 20 ? i : i + 1];
    parts[i].at[i % 2] = at;
  }
}
static void step(void) {
  double greatest = 0;
  int from = how == 2 && at % 2 ? N - 1 : 0, to = how == 2 && at % 2 ? -1 : N, by = from ? -1 : 1;
#pragma dvm parallel([i][j] on a[i][j]) reduction(max(greatest))
  for (int i = from; i != to; i += by)
    for (int j = 0; j < N; j++) {
      if (how == 8 && at == 7 && i == 40 && j == 41) continue;
      a[i][j] = change(a[i][j] + i * j, j);
      if (how == 5 && at == 4 && j == 70) greatest = 1e9;
      if (a[i][j] > greatest) greatest = a[i][j];
      if (how == 6 && at == 9 && i == 33 && j == 9) exit(0);
      for (int k = 0; k < 1 + (how == 10 && at == 3 && i == 5 && j == 5); k++) b[10 + k] = j;
      if (how == 1 && at == 5 && i == 60 && j == 3) a[i][j] = sqrt(-1.0 - a[i][j]);
      if (how == 1 && at == 6 && i == 60 && j == 3) a[i][j] = 1;
    }
  most = greatest;
  for (int i = 0; i < N; i++) {
    narrow[i] = how == 1 && at == 8 && i == 11 ? sqrtf(-1.0f - i) : i * 0.1f;
    flag[i] = narrow[i] > at + (how == 7 && at == 8 && i == 70);
  }
  pair[1] = at + (how == 1 && at == 9 ? 1 / (how - 1.0f) : 1) * 1.0if;
  wide = most;
  for (int i = 0; i < N - (how == 11 && at == 8); i++) {
    b[i] = most / (i + 1);
    if (how == 12 && i % 5 == 0) b[i] += 1;
  }
}
int main(int argc, char **argv) {
  how = atoi(argv[1]);
  a = malloc(N * sizeof(*a));
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i - j;
  for (at = 0; at < STEPS; at++) {
    step();
    link_parts();
  }
  printf("%g\n", most + b[5]);
  return 0;
}
C
status 0 "$dvmcc" -fdvm=trace -O1 -w mix.c -o mix -lm
# 0: as the reference; 1: NaN; 2: iterations in another order; 7: an element of bytes; 3: a call more; 4: the last digits of all values; 5: a reduction; 6: an early
# end; 8: an iteration less; 9: a pointer leads elsewhere; 10, 11: turns of inner and of plain loops; 12: every fifth value
for reference in 0 1; do
  status 0 "$dvm" record -o reference.dvmt -- ./mix $reference
  for how in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    status 0 "$dvm" record --codec none -o run.dvmt -- ./mix $how
    "$dvm" diff reference.dvmt run.dvmt 2>fast.txt
    "$dvm" diff --ignore nothing_of_this reference.dvmt run.dvmt 2>slow.txt
    diff fast.txt <(grep -v nothing_of_this slow.txt) || wrong "$reference, $how: not the same report"
    grep -q '^dvm: compared [1-9]' fast.txt || wrong "$reference, $how: nothing compared"
    [ "$reference" = "$how" ] || grep -q ': error: ' fast.txt || [ "$how" = 4 ] || wrong "$reference, $how: no difference"
  done
done
finish
