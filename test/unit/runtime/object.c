/* The scan of memory that unseen code was given: objects, words and addresses at random, some pages gone or not to be read.  It ends,
 * what pointers lead to has values, and what none leads to is as it was. */
#define _GNU_SOURCE
#include "runtime/data/heap.h"
#include "runtime/rules/handed.h"
#include "play.h"
#include "random.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PAGES = 24, OBJECTS = 40, ROUNDS = 400, GAP = 16 };
static unsigned char *area;
static struct dvmrt_extent object[OBJECTS];
static unsigned nobjects;
static bool reached[OBJECTS], readable[PAGES];

/* ---- memory --------------------------------------------------------------------------------------------------------------------- */

static void *at(uintptr_t a) { return (void *)a; }

/* Some pages are none, not to be read, or behind the end of a file. */
static void make_pages(void) {
  int file = memfd_create("empty", 0);
  assert_true(mmap(area, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == area);
  for (int i = 0; i < PAGES; i++) {
    unsigned char *page = area + i * PAGE;
    readable[i] = random_below(4);
    if (!readable[i] && random_below(2))
      assert_true(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED, file, PAGE) == page);
    else if (!readable[i])
      assert_int_equal(random_below(2) ? munmap(page, PAGE) : mprotect(page, PAGE, PROT_NONE), 0);
  }
  close(file);
}

static bool can_read(uintptr_t a) { return a - (uintptr_t)area < PAGES * PAGE && readable[(a - (uintptr_t)area) / PAGE]; }

/* Objects with gaps between them, so that nothing is at the end of one and the beginning of another. */
static void make_objects(void) {
  uintptr_t a = (uintptr_t)area, end = a + PAGES * PAGE;
  for (nobjects = 0; nobjects < OBJECTS; nobjects++) {
    uint64_t size = random_below(3) ? 8 * (1 + random_below(40)) : random_below(2) ? 24 : 1 + random_below(6000);
    a += GAP + 8 * random_below(100);
    if (a + size + GAP > end)
      break;
    object[nobjects] = (struct dvmrt_extent){.start = a, .size = size};
    dvmrt_heap_add(a, size);
    dvmrt_shadow_fill(a, size, DVMRT_W_NEVER);
    a = (a + size + 7) & ~(uintptr_t)7;
  }
}

static void forget_objects(void) {
  struct dvmrt_extent x;
  for (unsigned i = 0; i < nobjects; i++)
    assert_true(dvmrt_heap_remove(object[i].start, &x));
  dvmrt_shadow_fill((uintptr_t)area, PAGES * PAGE, DVMRT_W_ASSIGNED);
}

/* ---- words ---------------------------------------------------------------------------------------------------------------------- */

static uint64_t random_bits(void) {
  return (uint64_t)random_below(1u << 31) << 33 ^ (uint64_t)random_below(1u << 31) << 11 ^ random_below(1u << 11);
}

static uint64_t pointer(void) {
  struct dvmrt_extent x = object[random_below(nobjects)];
  return x.start + random_below((uint32_t)x.size);
}

static uint64_t word_like_a_pointer(void) {
  switch (random_below(8)) {
  case 0: return (uint64_t)-1;
  case 1: return (uint64_t)-1 << random_below(64);
  case 2: return ((uint64_t)1 << 47) - random_below(100);
  case 3: return (uintptr_t)area + random_below(PAGES) * PAGE;
  case 4: return (uintptr_t)area + random_below(PAGES * PAGE);
  case 5: return (uintptr_t)__builtin_frame_address(0) + random_below(16 << 20);
  case 6: return (uintptr_t)&object + random_below(1 << 20);
  default: return random_bits();
  }
}

static uint64_t some_word(void) {
  double number = (double)random_below(1000) / 7;
  uint64_t bits;
  switch (random_below(12)) {
  case 0: return pointer();
  case 1: return pointer() | random_below(8);
  case 2: return pointer() | (uint64_t)random_below(1 << 16) << 48;     /* a mark above the address */
  case 3: return pointer() | 0xfff8ull << 48;                          /* boxed beside doubles */
  case 4: return pointer() | (uint64_t)0x1ffff << 47;                   /* as in the kernel's half */
  case 5: memcpy(&bits, &number, 8); return bits;
  case 6: return 0x0101010101010101ull * random_below(256);            /* pixels */
  case 7: return (uint64_t)random_below(1 << 24) << 40 | random_below(1 << 24);
  case 8: return (uint64_t)(48 + 16 * random_below(9)) << 32 | 8 * random_below(7); /* begins like a va_list */
  default: return word_like_a_pointer();
  }
}

static void write_words(void) {
  for (uintptr_t a = (uintptr_t)area; a < (uintptr_t)area + PAGES * PAGE; a += 8)
    if (can_read(a))
      *(uint64_t *)at(a) = some_word();
}

/* ---- what must have a value ------------------------------------------------------------------------------------------------------- */

static uintptr_t low_bits(uint64_t word) { return word << 17 >> 17; }

static int object_at(uintptr_t a) {
  for (unsigned i = 0; i < nobjects; i++)
    if (a - object[i].start < object[i].size)
      return (int)i;
  return -1;
}

/* Leads there, whether or not all marks are passed over: what must not be settled is led to by nothing. */
static void model_word(uint64_t word, bool marks) {
  uintptr_t a = low_bits(word);
  const uintptr_t try[] = {marks ? a : word, a & ~(uintptr_t)7, a - 1, (a & ~(uintptr_t)7) - 1};
  for (unsigned i = 0; i < (marks ? 4 : 1); i++) {
    int k = object_at(try[i]);
    if (k >= 0)
      reached[k] = true;
  }
}

static void model(uint64_t given, bool marks) {
  bool scanned[OBJECTS] = {false}, more = true;
  memset(reached, 0, sizeof(reached));
  model_word(given, marks);
  while (more) {
    more = false;
    for (unsigned i = 0; i < nobjects; i++) {
      if (!reached[i] || scanned[i])
        continue;
      scanned[i] = more = true;
      uintptr_t a = (object[i].start + 7) & ~(uintptr_t)7, end = object[i].start + object[i].size;
      for (; a + 8 <= end && can_read(a); a += 8)
        model_word(*(uint64_t *)at(a), marks);
    }
  }
}

static bool without_value(struct dvmrt_extent x) {
  for (uint64_t i = 0; i < x.size; i++)
    if (dvmrt_shadow_word(x.start + i) < DVMRT_W_FIRST)
      return true;
  return false;
}

static void check(uint64_t given) {
  /* First those that must not be, for a report that is due settles more. */
  model(given, true);
  for (unsigned i = 0; i < nobjects; i++)
    if (!reached[i] && !without_value(object[i]))
      fail_msg("%#lx: object %u is not reached and has a value", (unsigned long)given, i);
  model(given, false);
  for (unsigned i = 0; i < nobjects; i++)
    if (reached[i] && without_value(object[i]) && !dvmrt_handed_wrote(object[i].start))
      fail_msg("%#lx: object %u is reached and has no value", (unsigned long)given, i);
}

/* ---- tests ---------------------------------------------------------------------------------------------------------------------- */

/* One with pages of the area around it, so that their ends are ends of mappings. */
static void make_area(void) {
  area = mmap(NULL, (PAGES + 2) * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(area != MAP_FAILED);
  area += PAGE;
}

static void scan_at_random(int rounds) {
  for (int round = 0; round < rounds; round++) {
    make_pages();
    make_objects();
    write_words();
    for (int k = 0; k < 4; k++) {
      for (unsigned i = 0; i < nobjects; i++)
        dvmrt_shadow_fill(object[i].start, object[i].size, DVMRT_W_NEVER);
      uint64_t word = some_word();
      dvmrt_handed_given(word, word, 0);
      check(word);
    }
    forget_objects();
  }
}

static void test_random_memory(void **state) {
  (void)state;
  random_seed();
  make_area();
  assert_true(dvmrt_mem_enter());
  scan_at_random(ROUNDS);
  dvmrt_mem_leave();
}

/* A filter of system calls as of a sandbox: 'process_vm_readv' is refused. */
static void refuse_copies(void) {
  struct sock_filter f[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
                            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const struct sock_fprog program = {sizeof(f) / sizeof(f[0]), f};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    exit(3);
}

static void in_a_sandbox(void) {
  refuse_copies();
  make_area();
  dvmrt_mem_enter();
  scan_at_random(ROUNDS / 10);
  dvmrt_mem_leave();
}

static void test_sandbox(void **state) {
  (void)state;
  struct played p;
  play(in_a_sandbox, 0, &p);
  if (p.status == 3)
    skip(); /* no filters here */
  assert_int_equal(p.status, 0);
}

static void test_no_addresses(void **state) {
  (void)state;
  static const uint64_t words[] = {
      0, 1, 7, (uint64_t)-1, (uint64_t)-8, (uint64_t)1 << 47, ((uint64_t)1 << 47) - 1, (uint64_t)1 << 63, 0xffff800000000000};
  assert_true(dvmrt_mem_enter());
  for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
    dvmrt_handed_given(words[i], words[i], 0);
  dvmrt_mem_leave();
}

int main(void) {
  dvmrt_shadow_init();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_addresses), cmocka_unit_test(test_random_memory),
                                     cmocka_unit_test(test_sandbox)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
