/* Memory that changes in all the ways memory can; a model of it tells what each page must hold.  changes MEBIBYTES
 * Goes on until SIGUSR1 comes, then looks at all pages. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096u
#define AREAS 16

static struct area { /* [pages], each filled with one value; 0: never written, or given back */
  unsigned char *memory;
  uint32_t *model;
  size_t pages;
} areas[AREAS];
static volatile sig_atomic_t asked;
static uint64_t seed = 12345, steps;

static void on_user(int sig) { asked = sig; }

static uint32_t choose(size_t below)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((seed >> 33) % below);
}

static void fill(struct area *a, size_t page)
{
  uint32_t value = (uint32_t)(seed >> 20) | 1;

  for (size_t i = 0; i < PAGE / 4; i++)
    ((uint32_t *)(void *)(a->memory + page * PAGE))[i] = value;
  a->model[page] = value;
}

static void check(const char *when)
{
  for (int i = 0; i < AREAS; i++)
    for (size_t p = 0; p < areas[i].pages; p++)
      for (size_t k = 0; k < PAGE / 4; k += 97)
        if (((uint32_t *)(void *)(areas[i].memory + p * PAGE))[k] != areas[i].model[p]) {
          fprintf(stderr, "%s: page %zu of area %d is wrong after %lu steps\n", when, p, i, (unsigned long)steps);
          exit(3);
        }
}

static void *map(size_t pages)
{
  void *p = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (p == MAP_FAILED)
    exit(4);
  return p;
}

static void change(void)
{
  struct area *a = &areas[choose(AREAS)];
  size_t first = choose(a->pages), count = choose(8) + 1;
  pid_t child;

  count = first + count > a->pages ? a->pages - first : count;
  switch (choose(60)) {
  case 0: /* given back */
    madvise(a->memory + first * PAGE, count * PAGE, MADV_DONTNEED);
    memset(a->model + first, 0, count * 4);
    break;
  case 1: /* another mapping at the place */
    mmap(a->memory + first * PAGE, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    memset(a->model + first, 0, count * 4);
    break;
  case 2: { /* elsewhere, with the content */
    unsigned char *to = map(a->pages);

    a->memory = mremap(a->memory + 0, a->pages * PAGE, a->pages * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    if (a->memory == MAP_FAILED) { /* it was of several mappings by now */
      a->memory = to;
      memset(a->model, 0, a->pages * 4);
    }
    break;
  }
  case 3: /* a child that writes to its own copy */
    child = fork();
    if (child == 0) {
      memset(a->memory, 99, PAGE);
      _exit(0);
    }
    waitpid(child, NULL, 0);
    break;
  case 4:
    mprotect(a->memory + first * PAGE, count * PAGE, PROT_READ);
    mprotect(a->memory + first * PAGE, count * PAGE, PROT_READ | PROT_WRITE);
    break;
  default:
    for (size_t i = 0; i < count; i++)
      fill(a, first + i);
  }
  steps++;
}

int main(int argc, char **argv)
{
  size_t pages = (size_t)(argc > 1 ? atoi(argv[1]) : 16) * 256 / AREAS;

  signal(SIGUSR1, on_user);
  for (int i = 0; i < AREAS; i++) {
    areas[i] = (struct area){ map(pages), calloc(pages, 4), pages };
    for (size_t p = 0; p < pages; p++)
      choose(2), fill(&areas[i], p);
  }
  fprintf(stderr, "ready\n");
  while (!asked) {
    change();
    if (steps % 4 == 0)
      usleep(1000);
  }
  check("at the end");
  printf("as before\n");
  return 0;
}
