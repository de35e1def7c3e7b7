/* Words that look like addresses and are none, or are ones with marks in their bits, in memory that unseen code is given: numbers in
 * boxes beside doubles, rows of pixels, all bits set, memory that the library has freed or nobody may read. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { N = 64, PAGE = 4096, BLOCK = 1 << 20 };
struct value { uint64_t bits; };
union either { double number; void *place; };
long lib_sum(const void *p, long words);
void lib_set(struct value *v, long n);
void lib_either(union either *e);
void lib_take(void *p);
void lib_look(void *p);
void *lib_nothing(void);

#pragma dvm array distribute[block]
static double A[N];
static double of_box[4];
static uint64_t row[512];

static void *block(size_t n) {
  void *p = malloc(n);
  if (!p)
    exit(1);
  return p;
}

/* The library assigns through the marks. */
static double boxed(void) {
  double near, *far = block(sizeof *far), sum;
  struct value v[4] = {{(uintptr_t)&near | 0xfffcull << 48}, {(uintptr_t)far | 0x8001ull << 48}, {(uintptr_t)&of_box[1] | 5}, {(uint64_t)-1}};
  lib_set(v, 3);
  sum = near + *far + of_box[1];
  free(far);
  double other;
  union either e = {.place = &other};
  lib_either(&e);
  return sum + other;
}

static long pixels(void) {
  uint64_t *heap = block(sizeof row);
  for (int i = 0; i < 512; i++)
    heap[i] = row[i] = 0x8000ull << 48 | (uintptr_t)&row[i] * (i % 2 ? 1 : 0x0101010101010101ull);
  long sum = lib_sum(row, 512) + lib_sum(heap, 512);
  free(heap);
  return sum;
}

/* Memory that is gone, and memory that may not be read, with its address still in a struct that is handed over. */
static void gone(void) {
  struct { void *p[3]; } places;
  places.p[0] = block(BLOCK);
  memset(places.p[0], 1, BLOCK);
  places.p[1] = aligned_alloc(PAGE, 2 * PAGE);
  places.p[2] = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!places.p[1] || places.p[2] == MAP_FAILED || mprotect(places.p[1], PAGE, PROT_NONE))
    exit(1);
  lib_take(places.p[0]);
  lib_look(&places);
  if (mprotect(places.p[1], PAGE, PROT_READ | PROT_WRITE))
    exit(1);
  free(places.p[1]);
}

int main(void) {
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++)
    A[i] = i;
  void *none = mmap(NULL, (size_t)-PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  lib_look((void *)-1);
  lib_look((void *)(uintptr_t)0xffff800000000000);
  lib_look((void *)(((uintptr_t)1 << 47) - 8));
  lib_look((void *)3);
  gone();
  printf("%d %d %g %d %d\n", none == MAP_FAILED, lib_nothing() == (void *)-1, boxed(), pixels() != 0,
         dlsym(RTLD_NEXT, "there is no such function") == NULL);
  return 0;
}
