/* Where memory comes from: allocators, arenas, mappings, memory that processes share, other stacks. */
#define _GNU_SOURCE
#include <malloc.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#define N 64

#pragma dvm array distribute[block]
double field[8];

struct node { struct node *next; int value; };

/* A pool: pieces of one block, given back to a list that lies in the free pieces. */
static char *arena;
static struct node *released;
static struct node *piece(void) {
  struct node *n = released;
  if (n) {
    released = n->next;
    return n;
  }
  static size_t used;
  n = (struct node *)(arena + used);
  used += sizeof *n;
  return n;
}

static int pool(void) {
  struct node *list = NULL, *n;
  int sum = 0;
  arena = malloc(100 * sizeof *n);
  if (!arena)
    exit(1);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 20; i++) {
      n = piece();
      n->next = list;
      n->value = i;
      list = n;
    }
    while ((n = list)) {
      sum += n->value;
      list = n->next;
      n->next = released;
      released = n;
    }
  }
  free(arena);
  return sum;
}

static double grown(void) {
  double *v = NULL, sum = 0;
  size_t cap = 0;
  for (size_t n = 0; n < 1000; n++) {
    if (n == cap) {
      cap = cap ? 2 * cap : 3;
      v = realloc(v, cap * sizeof *v);
      if (!v)
        exit(1);
    }
    v[n] = n;
  }
  v = reallocarray(v, 900, sizeof *v);
  for (int i = 0; i < 900; i++)
    sum += v[i];
  char *bytes = realloc(v, 10);
  bytes[3] = 'b';
  sum += bytes[3];
  free(bytes);
  void *aligned;
  if (posix_memalign(&aligned, 256, 64))
    exit(1);
  ((int *)aligned)[3] = 4;
  int *other = aligned_alloc(64, 128), *third = memalign(64, 64), *fourth = valloc(16), *zero = calloc(5, 4);
  other[1] = third[2] = fourth[3] = 5;
  sum += ((int *)aligned)[3] + other[1] + third[2] + fourth[3] + zero[4] + (malloc_usable_size(zero) >= 20);
  free(aligned);
  free(other);
  free(third);
  free(fourth);
  free(zero);
  return sum;
}

/* Allocators behind pointers, and freed by one that is called directly. */
static void *(*get)(size_t) = malloc;
static void (*put)(void *) = free;
static void *xmalloc(size_t n) {
  void *p = get(n);
  if (!p)
    exit(1);
  return p;
}

static int through_pointers(void) {
  int sum = 0;
  for (int i = 0; i < 50; i++) {
    int *direct = malloc(40), *indirect;
    if (!direct)
      exit(1);
    direct[1] = i;
    put(direct);
    indirect = xmalloc(40);
    for (int k = 0; k < 10; k++)
      indirect[k] = k;
    sum += indirect[1] + indirect[9];
    char *copy = strdup("text of a length that fits the block");
    sum += copy[20];
    if (i % 2)
      free(indirect);
    else
      put(indirect);
    free(copy);
  }
  return sum;
}

static int mappings(void) {
  int *a = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *b, *shared, sum;
  if (a == MAP_FAILED)
    exit(1);
  sum = a[100];
  a[3] = 3;
  b = mremap(a, 8192, 4 << 20, MREMAP_MAYMOVE);
  sum += b[3] + b[5000];
  munmap(b, 4 << 20);
  shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int *own = malloc(64), status;
  if (!own || shared == MAP_FAILED)
    exit(1);
  pid_t pid = fork();
  if (!pid) {
    own[1] = 2;
    shared[0] = own[1] + 5;
    exit(0);
  }
  waitpid(pid, &status, 0);
  own[1] = shared[0];
  sum += own[1] + WEXITSTATUS(status);
  free(own);
  return sum;
}

static ucontext_t main_context, other_context;
static double coroutine_sum;
static void coroutine(void) {
  double buffer[N], *p = buffer;
  for (int i = 0; i < N; i++)
    p[i] = i;
  swapcontext(&other_context, &main_context);
  for (int i = 0; i < N; i++)
    coroutine_sum += p[i];
}

static double other_stack(void) {
  char *stack = malloc(65536);
  double here[N], *p = here;
  if (!stack)
    exit(1);
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = stack;
  other_context.uc_stack.ss_size = 65536;
  other_context.uc_link = &main_context;
  makecontext(&other_context, coroutine, 0);
  swapcontext(&main_context, &other_context);
  for (int i = 0; i < N; i++)
    p[i] = 2;
  swapcontext(&main_context, &other_context);
  free(stack);
  return coroutine_sum + p[N - 1];
}

/* What a frame that ended by longjmp leaves behind is nobody's. */
static jmp_buf back;
static void leave(int depth) {
  int junk[200], *p = junk;
  if (depth == 0)
    longjmp(back, 1);
  p[0] = depth;
  leave(depth - 1);
}
static int compare(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }

static int after_jumps(void) {
  int *v = malloc(300 * sizeof *v), sum = 0;
  if (!v)
    exit(1);
  for (int round = 0; round < 3; round++) {
    if (!setjmp(back))
      leave(4);
    for (int i = 0; i < 300; i++)
      v[i] = i * 7 % 300;
    qsort(v, 300, sizeof *v, compare);
    sum += v[17];
  }
  free(v);
  return sum;
}

int main(void) {
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < 8; i++)
    field[i] = i;
  printf("%d %g %d %d\n", pool(), grown(), through_pointers(), mappings());
  printf("%g %d\n", other_stack(), after_jumps());
  return 0;
}
