# Values of all C types, with names and elements, as 'dvm trace dump' shows them; at each level of optimisation the same.
. "$(dirname "$0")/../driver/lib.sh"

cat >types.c <<'C'
#include <stdbool.h>
#include <complex.h>
#include <stdlib.h>
enum colour { RED, GREEN = 7 };
struct point { float x; long double y; int n[3]; };
static signed char c; static unsigned short us; static int i; static unsigned long ul; static __int128 wide;
static float f; static double d; static long double ld; static float complex fc; static double complex dc;
static long double complex lc; static bool t; static enum colour e; static int *null, *pointer; static _Atomic int atom;
static _Thread_local int local_to_thread;
static double A[2][3][4];
static void set(double (*p)[4], int n) { p[1][n] = 5; }
static double pair(int n, double v[n][2]) { v[n - 1][1] = 0.25; return v[n - 1][1]; }
int main(void) {
  struct point s, many[3];
  double vla[2][2];
  int *heap = malloc(4 * sizeof *heap);
  double start = d + 0.5;
  long double complex lcstart = 2.0l - 1.0il;
  bool yes = !null;
  c = -5; us = 65535; i = -2147483647; ul = 18446744073709551615ul; wide = ((__int128)1 << 100) + 3;
  f = 0.1f; d = 0.1; ld = 0.1l; fc = 1.5f - 2.5fi; dc = 0.1 + 2.0i; lc = -1.0l + 0.5il;
  t = true; e = GREEN; null = 0; pointer = &i; atom = 3; atom += 4; local_to_thread = 6;
  s.x = 2; s.y = 3; s.n[1] = 4; many[2].n[0] = 8; many[1].y = 9;
  A[1][2][3] = 1e300; A[0][0][1] = 1 / 0.0; A[0][1][0] = 0 / 0.0;
  set(A[1], 2);
  heap[3] = 11; heap++; *heap = 12; ++*heap; heap[0] <<= 1;
  return pair(2, vla) != 0.25;
}
C
cat >expected <<'T'
write heap = non-null
write start = 0.5
write lcstart = 2-1i
write yes = true
write c = -5
write us = 65535
write i = -2147483647
write ul = 18446744073709551615
write wide = 0x10000000000000000000000003
write f = 0.1
write d = 0.1
write ld = 0.1
write fc = 1.5-2.5i
write dc = 0.1+2i
write lc = -1+0.5i
write t = true
write e = 7
write null = null
write pointer = non-null
write atom = 3
write atom = 7
write local_to_thread = 6
write s.x = 2
write s.y = 3
write s.n[1] = 4
write many[2].n[0] = 8
write many[1].y = 9
write A[1][2][3] = 1e+300
write A[0][0][1] = inf
write A[0][1][0] = nan
write A[1][1][2] = 5
write heap[3] = 11
write heap = non-null
write *heap = 12
write *heap = 13
write heap[0] = 26
write v[1][1] = 0.25
T
for flags in "-O0 -w" "-O2 -g -w" "-O2 -flto -fuse-ld=lld -w" "-O1 -static -w" "-save-temps -w"; do
  # shellcheck disable=SC2086
  status 0 "$dvmcc" -fdvm=trace $flags types.c -o types
  status 0 "$dvm" record -o types.dvmt -- ./types
  status 0 "$dvm" trace dump types.dvmt
  sed -n 's/^ *[0-9]*  write *[^ ]*  *\([^ ]\)/write \1/p' out | sed 's/-nan/nan/' >got
  diff expected got || wrong "values with $flags"
done
# A plain compilation of the same program behaves the same.
status 0 "$dvmcc" -fdvm=trace -O2 -w types.c -o types
status 0 ./types
finish
