/* Memory that reaches unseen code in a struct by value, as a number or behind a va_list, blocks that it frees and allocates again,
 * and its own stack, where frames of ours have ended by longjmp or held what alloca gave.  The directive has all of it judged. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct places { void *number, *real, *text; long n; };
union handle { long number; void *place; };
struct node { struct node *next; int *data; };
void lib_by_value(struct places p);
void lib_union(union handle h);
void lib_address(uintptr_t a);
void lib_list(int n, va_list list);
void lib_free(struct node *head);
char *lib_text(int n);
void lib_call(void (*call)(const int *, int *), int *sum);

#pragma dvm array distribute[block]
static double A[8];
static jmp_buf back;

static void *block(size_t n) {
  void *p = malloc(n);
  if (!p)
    exit(1);
  return p;
}

static void structs(void) {
  int a, b, *heap = block(sizeof *heap);
  double c, *d = block(sizeof *d);
  char text[8], *other = block(8);
  lib_by_value((struct places){&a, &c, text, 1});
  lib_by_value((struct places){heap, d, other, 1});
  printf("%d %g %c %d %g %c\n", a, c, text[2], *heap, *d, other[2]);
  union handle h = {.place = &b};
  lib_union(h);
  h.place = block(sizeof(int));
  lib_union(h);
  printf("%d %d\n", b, *(int *)h.place);
  free(heap);
  free(d);
  free(other);
  free(h.place);
}

static void numbers(void) {
  int a, *heap = block(sizeof *heap), ends[2];
  char text[4], *other = block(4);
  lib_address((uintptr_t)&a);
  lib_address((uintptr_t)heap);
  if (pipe(ends) || write(ends[1], "abcdefgh", 8) != 8 || syscall(SYS_read, ends[0], (long)text, 4L) != 4)
    exit(1);
  printf("%d %d %c\n", a, *heap, text[3]);
#ifdef __x86_64__
  long got;
  __asm__ volatile("syscall" : "=a"(got) : "a"((long)SYS_read), "D"((long)ends[0]), "S"((long)other), "d"(4L) : "rcx", "r11", "memory");
#else
  long got = read(ends[0], other, 4);
#endif
  printf("%ld %c\n", got, other[3]);
  free(heap);
  free(other);
}

static void fill(int n, ...) {
  va_list list;
  va_start(list, n);
  lib_list(n, list);
  va_end(list);
}

static int sum_of(const char *text, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += text[i];
  return sum;
}

/* Blocks without a value that others free come back from others with one. */
static void blocks(void) {
  struct node *head = NULL;
  int v[8], sum = 0;
  for (int i = 0; i < 12; i++) {
    struct node *n = block(sizeof *n);
    n->data = block(40);
    n->next = head;
    head = n;
  }
  lib_free(head);
  for (int i = 0; i < 8; i++) {
    char *text = lib_text(40), *copy = strdup("0123456789012345678901234567890123456");
    if (!text || !copy)
      exit(1);
    sum += sum_of(text, 40) + sum_of(copy, 37); /* both stay, so that all blocks come back */
  }
  fill(8, v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7);
  printf("%d %d %d\n", sum, v[0], v[7]);
}

static int deep(int n) {
  int valueless[400];
  if (!n)
    longjmp(back, 1);
  valueless[n] = n;
  return deep(n - 1) + valueless[n];
}

static int wide(int n) {
  int valueless[n];
  valueless[0] = n;
  return valueless[0];
}

static void add(const int *v, int *sum) {
  for (int i = 0; i < 200; i++)
    *sum += v[i];
}

static void frames(void) {
  int sum = 0;
  if (!setjmp(back))
    deep(6);
  lib_call(add, &sum);
  int n = wide(3000);
  lib_call(add, &sum);
  printf("%d %d\n", sum, n);
}

int main(void) {
  double s = 0;
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < 8; i++)
    A[i] = i;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 0; i < 8; i++)
    s += A[i];
  printf("%g\n", s);
  structs();
  numbers();
  blocks();
  frames();
  return 0;
}
