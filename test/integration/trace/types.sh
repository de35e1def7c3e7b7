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
write heap = byte 0 of allocation 1
write start = 0.5
write lcstart = 2-1i
write yes = true
write c = -5
write us = 65535
write i = -2147483647
write ul = 18446744073709551615
write wide = 1267650600228229401496703205379
write f = 0.1
write d = 0.1
write ld = 0.1
write fc = 1.5-2.5i
write dc = 0.1+2i
write lc = -1+0.5i
write t = true
write e = 7
write null = null
write pointer = &i
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
write heap = byte 4 of allocation 1
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

# Structs by their fields, whole ones too; arrays and structs from their declarations; bit-fields, packed members.
cat >structs.c <<'C'
#include <stdlib.h>
struct vec { double x, y; };
struct body {
  struct vec p;
  struct { unsigned a : 3, : 2, b : 12; signed c : 5; _Bool on : 1; } f;
  char name[2];
};
#pragma pack(push, 1)
struct packed { char tag; double value; };
#pragma pack(pop)
static struct body B[3], *heap;
struct list { struct list *next; double *data; struct vec at[2]; };
static struct vec made(double a) { struct vec r = {a, -a}; return r; }
struct many { double x[4]; };
static struct many returned(void) { struct many r = {{1}}; r.x[3] = 2; return r; }
static struct body flipped(struct body b) { b.f.on = !b.f.on; return b; }
int main(void) {
  int k = 1, zeros[2] = {0};
  double m[2][2] = {{1, 2}, {3}};
  struct vec a = {.y = 2}, b, c, unset;
  c = b = made(3);
  B[k].p = c;
  B[1].f.a = 5; B[1].f.b += 70; B[1].f.c = -3; B[1].f.on = 2; B[k++].f.b--;
  B[k] = B[1];
  heap = calloc(3, sizeof *heap);
  heap[1] = B[2];
  *heap = flipped(heap[1]);
  heap->p = (struct vec){.y = 9};
  struct packed one = {'a', 2.5}, other;
  one.value *= 2; other = one;
  struct list l, *q = &l;
  l.next = &l; l.data = malloc(32); (l.next)->data[k] = 5; l.at[k - 1].y = 6; q->next->at[1] = a;
  struct vec rows[1][2] = {{{1, 2}, {3, 4}}};
  unset.x = 1; c = unset;
  struct many got = returned();
  return got.x[0] != 1 || heap[0].f.b != 69 || zeros[0] + m[1][1] + rows[0][1].y != 4;
}
C
cat >expected <<'T'
write k = 1
write zeros[0] = 0
write zeros[1] = 0
write m[0][0] = 1
write m[0][1] = 2
write m[1][0] = 3
write m[1][1] = 0
write a.x = 0
write a.y = 2
write r.x = 3
write r.y = -3
write b.x = 3
write b.y = -3
write c.x = 3
write c.y = -3
write B[1].p.x = 3
write B[1].p.y = -3
write B[1].f.a = 5
read B[1].f.b = 0
write B[1].f.b = 70
write B[1].f.c = -3
write B[1].f.on = true
write k = 2
read B[1].f.b = 70
write B[1].f.b = 69
write B[2].p.x = 3
write B[2].p.y = -3
write B[2].f.a = 5
write B[2].f.b = 69
write B[2].f.c = -3
write B[2].f.on = true
write B[2].name[0] = 0
write B[2].name[1] = 0
write heap = byte 0 of allocation 1
write heap[1].p.x = 3
write heap[1].p.y = -3
write heap[1].f.a = 5
write heap[1].f.b = 69
write heap[1].f.c = -3
write heap[1].f.on = true
write heap[1].name[0] = 0
write heap[1].name[1] = 0
read b.f.on = true
write b.f.on = false
write heap->p.x = 3
write heap->p.y = -3
write heap->f.a = 5
write heap->f.b = 69
write heap->f.c = -3
write heap->f.on = false
write heap->name[0] = 0
write heap->name[1] = 0
write heap->p.x = 0
write heap->p.y = 9
write one.tag = 97
write one.value = 2.5
read one.value = 2.5
write one.value = 5
write other.tag = 97
write other.value = 5
write q = &l
write l.next = &l
write l.data = byte 0 of allocation 2
write l.next->data[2] = 5
write l.at[1].y = 6
write l.at[1].x = 0
write l.at[1].y = 2
write rows[0][0].x = 1
write rows[0][1].x = 3
write rows[0][0].y = 2
write rows[0][1].y = 4
write unset.x = 1
write c.x = 1
write c.y = 0
write r.x[0] = 1
write r.x[1] = 0
write r.x[2] = 0
write r.x[3] = 0
write r.x[3] = 2
write got.x[0] = 1
write got.x[1] = 0
write got.x[2] = 0
write got.x[3] = 2
read heap[0].f.b = 69
T
for flags in "-O0 -w" "-O2 -g -w" "-O2 -flto -fuse-ld=lld -w" "-save-temps -w"; do
  # shellcheck disable=SC2086
  status 0 "$dvmcc" -fdvm=trace $flags structs.c -o structs
  status 0 "$dvm" record --level full -o structs.dvmt -- ./structs
  status 0 "$dvm" trace dump structs.dvmt
  sed -n 's/^ *[0-9]*  \(write\|read\) *[^ ]*  *\([^ ]\)/\1 \2/p' out | grep -E '^write|\.f\.|\.value' >got
  diff expected got || wrong "values with $flags"
done
for element in 'B[2].f' 'l.at[1].y' 'l.next->data[2]' 'B[2]'; do
  status 0 "$dvm" trace dump --element "$element" structs.dvmt
  printf '%s ' "$(grep -c 'write' out)" >>counts
done
[ "$(cat counts)" = '4 2 1 8 ' ] || wrong "histories of parts of structs: $(cat counts)"
status 2 "$dvm" trace dump --element '[3]' structs.dvmt

# Objects of less alignment than the types of their members ask for.
status 0 "$clang" -w "$source/test/programs/quiet/alignment.c" -o loose
status 0 ./loose
mv out expected
for level in -O0 -O2; do
  status 0 "$dvmcc" -fdvm=trace $level -w "$source/test/programs/quiet/alignment.c" -o loose
  status 0 ./loose
  diff expected out || wrong "members of loosely aligned objects at $level"
done

# A plain compilation of the same program behaves the same.
status 0 "$dvmcc" -fdvm=trace -O2 -w types.c -o types
status 0 ./types
finish
