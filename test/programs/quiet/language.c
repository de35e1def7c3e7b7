/* Forms of C that read or write in unusual ways: vectors, complex, 128 bits, atomics, statement expressions, literals. */
#include <complex.h>
#include <emmintrin.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 6

#pragma dvm array distribute[block]
double field[N];

typedef float quad __attribute__((vector_size(16)));
typedef int ints __attribute__((vector_size(16)));
typedef double d4 __attribute__((ext_vector_type(4)));
struct flexible { int n; double more[]; };
struct packed { char c; double d; int i; } __attribute__((packed));
struct nested { struct { int a, b; } in; union { float f; unsigned u; }; char name[5]; };
enum shade { DARK, LIGHT = 4 };

static void show(const void *p, size_t n) {
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += ((const unsigned char *)p)[i];
  printf("%d ", sum > 0);
}

static void vectors(void) {
  quad a = {1, 2, 3, 4}, b, *heap = aligned_alloc(16, 2 * sizeof *heap);
  ints order = {3, 2, 1, 0};
  d4 d;
  if (!heap)
    exit(1);
  for (int i = 0; i < 4; i++)
    b[i] = i;
  d.x = 1;
  d.yz = (double __attribute__((ext_vector_type(2)))){2, 3};
  d.w = 4;
  heap[0] = a * b + a;
  heap[1] = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  ints compared = a < b;
  char *some = malloc(16);
  if (!some)
    exit(1);
  _mm_maskmoveu_si128(_mm_set1_epi8(7), _mm_set1_epi8(-1), some);
  double two[2], *stored = two;
  _mm_storeu_pd(stored, _mm_set_pd(1, 2));
  printf("%d %g\n", some[9], stored[1]);
  free(some);
  printf("%g %g %d %g %d\n", (double)heap[0][3], (double)heap[1][3], order[1], d.wzyx.x, compared[0]);
  free(heap);
}

static void numbers(void) {
  long double l, *hl = malloc(2 * sizeof *hl);
  double complex z, *hz = malloc(2 * sizeof *hz);
  float _Complex fz = 1;
  unsigned __int128 big, *hb = malloc(2 * sizeof *hb);
  _Bool flag;
  if (!hl || !hz || !hb)
    exit(1);
  l = 1.5L;
  hl[0] = l * 2;
  hl[1] = hl[0];
  memcpy(&l, hl + 1, sizeof l);
  z = 1 + 2 * I;
  hz[0] = z * z;
  __real__ hz[1] = 3;
  __imag__ hz[1] = 4;
  __imag__ fz = 2;
  big = (unsigned __int128)1 << 100;
  hb[0] = big + 7;
  hb[1] = hb[0] >> 99;
  flag = hb[1] == 2;
  printf("%Lg %g %g %g %d %g\n", l, creal(hz[0]), cabs(hz[1]), (double)__imag__ fz, flag, (double)crealf(fz));
  free(hl);
  free(hz);
  free(hb);
}

static void atomics(void) {
  _Atomic int counter;
  atomic_long *heap = malloc(3 * sizeof *heap);
  struct two { int a, b; } read;
  _Atomic(struct two) both;
  atomic_flag lock = ATOMIC_FLAG_INIT;
  int expected = 6;
  if (!heap)
    exit(1);
  atomic_init(&counter, 5);
  atomic_init(&heap[0], 1);
  atomic_store(&heap[1], 2);
  heap[2] = 3;
  counter++;
  bool swapped = atomic_compare_exchange_strong(&counter, &expected, 9);
  expected = 0;
  bool refused = atomic_compare_exchange_weak(&counter, &expected, 10);
  long old = atomic_fetch_add_explicit(&heap[2], 4, memory_order_relaxed);
  both = (struct two){1, 2};
  read = both;
  __sync_fetch_and_or(&expected, 16);
  int later;
  __atomic_store_n(&later, 8, __ATOMIC_RELEASE);
  printf("%d %d %d %ld %ld %d %d %d\n", swapped, refused, expected, old, atomic_load(&heap[2]) + heap[1], atomic_flag_test_and_set(&lock), read.b, later);
  free(heap);
}

static void aggregates(void) {
  struct flexible *f = malloc(sizeof *f + 3 * sizeof f->more[0]), copy;
  struct packed p, *hp = malloc(2 * sizeof *hp);
  struct nested s = {.in.b = 2, .name = "abc"}, *hs = malloc(sizeof *hs);
  int part[8] = {[2] = 5}, *literal = (int[]){1, 2, 3}, rows[2][3] = {{1}, {4, 5}};
  char text[10] = "xy";
  if (!f || !hp || !hs)
    exit(1);
  f->n = 3;
  for (int i = 0; i < f->n; i++)
    f->more[i] = i;
  copy = *f;
  p.c = 'p';
  p.d = 2.5;
  p.i = 3;
  hp[1] = p;
  *hs = s;
  hs->f = 1.0f;
  unsigned bits = hs->u;
  struct nested *again = &(struct nested){.u = 7};
  printf("%d %g %g %c %d %x %d %d %d %d %d %u\n", copy.n, f->more[2], hp[1].d, hp[1].c, hs->in.a + hs->name[4], bits, part[7], literal[2], rows[0][2], rows[1][1], text[9], again->u);
  struct { char a; long b; } padded;
  padded.a = 1;
  padded.b = 2;
  show(&s, sizeof s.in);
  show(&padded.b, sizeof padded.b);
  puts("");
  free(f);
  free(hp);
  free(hs);
}

static int flow(int n) {
  static void *const targets[] = {&&even, &&odd, &&end};
  int count = 0, unused, idiom = idiom, later, *address;
  (void)unused;
  (void)idiom;
  address = &later;
  (void)address;
  printf("%d ", (int)sizeof later);
  goto *targets[n % 2];
even:
  count += 1;
odd:
  count += ({ int t = n; t *= 2; t; });
  n--;
  goto *targets[n < 0 ? 2 : n % 2];
end:
  for (int i = ({ int start; start = 1; start; }); i < 3; i++) {
    int inner[2];
    if (i == 1)
      inner[0] = inner[1] = 1;
    else
      memset(inner, 0, sizeof inner);
    count += inner[0] + inner[1];
  }
  return count;
}

static double arrays(int n) {
  double vla[n][n + 1], (*heap)[n] = malloc(n * sizeof *heap), sum = 0, *part = __builtin_alloca(n * sizeof *part);
  volatile int v;
  if (!heap)
    exit(1);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= n; j++)
      vla[i][j] = i * j;
    for (int j = 0; j < n; j++)
      heap[i][j] = vla[i][j + 1];
    part[i] = heap[i][n - 1];
  }
  v = 3;
  for (int i = 0; i < n; i++)
    sum += part[i] + vla[i][n] * v;
  for (int k = 1; k < 5; k++) {
    char scratch[k];
    scratch[k - 1] = (char)k;
    sum += scratch[k - 1];
  }
  free(heap);
  return sum;
}

static _Thread_local int local_of_thread;
static _Thread_local double many_of_thread[4] = {1, 2};

int main(void) {
  vectors();
  numbers();
  atomics();
  aggregates();
  alignas(64) int aligned[4];
  for (int i = 0; i < 4; i++)
    aligned[i] = local_of_thread++ + (int)many_of_thread[i];
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < N; i++)
    field[i] = aligned[i % 4] + _Generic(i, int: LIGHT, default: DARK);
  printf("%d %g\n", flow(5), arrays(4));
  for (int i = 0; i < N; i++)
    printf("%g ", field[i]);
  puts("");
  return 0;
}
