/* Words of ordinary memory and of regions against one word a byte. */
#include "runtime/data/shadow.h"
#include "runtime/data/doubt.h"
#include "play.h"
#include "random.h"
#include "runtime/data/mem.h"
#include <string.h>
#include <sys/mman.h>

enum { PAGES = 6, SIZE = PAGES * 4096, ROUNDS = 60, STEPS = 400 };
static unsigned char *area;
static uint32_t model[SIZE];
static struct dvmrt_region region;
static uint32_t region_words[SIZE / 8];
static bool has_region;

static uint32_t some_word(void) {
  static const uint32_t words[] = {DVMRT_W_NEVER, DVMRT_W_PRIVATE, 17, DVMRT_W_ZERO, DVMRT_W_ASSIGNED, 4000, 4001};
  return words[random_below(sizeof(words) / sizeof(words[0]))];
}

static void some_range(uint32_t *at, uint32_t *n) {
  static const uint32_t grain[] = {1, 4, 8, 8, 4096};
  uint32_t g = grain[random_below(5)];
  *at = random_below(SIZE / g) * g;
  uint32_t most = (SIZE - *at) / g;
  if (g == 8 && most > 64)
    most = 64;
  *n = (1 + random_below(most)) * g;
}

/* A region's granule is one element: what touches a part of it touches all. */
static void widen(uint32_t *at, uint32_t *n) {
  if (!has_region)
    return;
  uint32_t low = (uint32_t)(region.base - (uintptr_t)area), high = (uint32_t)(region.end - (uintptr_t)area);
  uint32_t end = *at + *n;
  if (*at >= low && *at < high)
    *at -= *at % 8;
  if (end > low && end <= high)
    end = (end + 7) & ~7u;
  *n = end - *at;
}

static void check_all(void) {
  for (uint32_t i = 0; i < SIZE; i++)
    if (dvmrt_shadow_word((uintptr_t)area + i) != model[i])
      fail_msg("byte %u: word %u, model %u", i, dvmrt_shadow_word((uintptr_t)area + i), model[i]);
    else if (model[i] <= DVMRT_W_ZERO && !dvmrt_doubt_at((uintptr_t)area + i))
      fail_msg("byte %u: word %u, not in doubt", i, model[i]);
}

static void do_fill(void) {
  uint32_t at, n, w = some_word();
  some_range(&at, &n);
  dvmrt_shadow_fill((uintptr_t)area + at, n, w);
  widen(&at, &n);
  for (uint32_t i = 0; i < n; i++)
    model[at + i] = w;
}

static void do_write(void) {
  uint32_t size = 1u << random_below(4), at = random_below(SIZE / size) * size, w = some_word();
  struct dvmrt_span s;
  dvmrt_shadow_span((uintptr_t)area + at, size, true, &s);
  assert_non_null(s.words);
  for (uint32_t i = 0; i < s.count; i++)
    s.words[i] = w;
  if (w <= DVMRT_W_ZERO) /* whoever takes a value from words says so */
    dvmrt_doubt_set((uintptr_t)area + at, size);
  widen(&at, &size);
  for (uint32_t i = 0; i < size; i++)
    model[at + i] = w;
}

static void do_copy(void) {
  uint32_t g = 1u << random_below(4), n = (1 + random_below(200)) * g;
  if (has_region)
    g = 8, n = (1 + random_below(200)) * g;
  uint32_t dst = random_below((SIZE - n) / g) * g, src = random_below((SIZE - n) / g) * g;
  static uint32_t old[SIZE];
  memcpy(old, model, sizeof(old));
  dvmrt_shadow_copy((uintptr_t)area + dst, (uintptr_t)area + src, n, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
  uintptr_t low = has_region ? region.base - (uintptr_t)area : 0, high = has_region ? region.end - (uintptr_t)area : 0;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t w = old[src + i];
    for (uint32_t k = i & ~7u; dst + i >= low && dst + i < high && k < (i | 7) + 1; k++)
      w = old[src + k] > w ? old[src + k] : w; /* an element with a part that has a value has one */
    bool born = model[dst + i] > DVMRT_W_LOCAL && model[dst + i] < DVMRT_W_FIRST && !(dst + i >= low && dst + i < high);
    if (w >= DVMRT_W_FIRST || !born) /* where it was born stays known */
      model[dst + i] = w < DVMRT_W_FIRST ? w : DVMRT_W_ASSIGNED;
  }
}

static void do_settle(void) {
  uint32_t at, n;
  some_range(&at, &n);
  dvmrt_shadow_settle((uintptr_t)area + at, n, 77777);
  widen(&at, &n);
  for (uint32_t i = 0; i < n; i++)
    if (model[at + i] < DVMRT_W_FIRST)
      model[at + i] = 77777;
}

static void do_region(void) {
  if (has_region) {
    dvmrt_shadow_region_remove(&region);
    for (uintptr_t a = region.base; a < region.end; a++) {
      uintptr_t page = a & ~(uintptr_t)4095;
      if (page >= region.base && page + 4096 <= region.end)
        model[a - (uintptr_t)area] = DVMRT_W_ASSIGNED; /* partly covered pages keep what they had: see below */
    }
    /* What a partly covered page said before the region came is said again; put a known state there. */
    uint32_t at = (uint32_t)(region.base - (uintptr_t)area), n = (uint32_t)(region.end - region.base);
    dvmrt_shadow_fill((uintptr_t)area + at, n, DVMRT_W_ASSIGNED);
    for (uint32_t i = 0; i < n; i++)
      model[at + i] = DVMRT_W_ASSIGNED;
    has_region = false;
    return;
  }
  uint32_t at = random_below(SIZE / 8 - 2), n = 1 + random_below(SIZE / 8 - at - 1);
  region =
      (struct dvmrt_region){.base = (uintptr_t)area + at * 8, .end = (uintptr_t)area + (at + n) * 8, .shift = 3, .words = region_words};
  for (uint32_t i = 0; i < n; i++)
    region_words[i] = DVMRT_W_NEVER;
  dvmrt_shadow_region_add(&region);
  for (uint32_t i = at * 8; i < (at + n) * 8; i++)
    model[i] = DVMRT_W_NEVER;
  has_region = true;
  assert_ptr_equal(dvmrt_shadow_region_in((uintptr_t)area + at * 8, 1), &region);
}

static void test_model(void **state) {
  (void)state;
  random_seed();
  assert_true(dvmrt_mem_enter());
  for (int round = 0; round < ROUNDS; round++) {
    for (int step = 0; step < STEPS; step++) {
      switch (random_below(16)) {
      case 0:
      case 1:
      case 2: do_fill(); break;
      case 3:
      case 4: do_copy(); break;
      case 5: do_settle(); break;
      case 6: do_region(); break;
      default: do_write();
      }
    }
    check_all();
  }
  if (has_region)
    do_region();
  dvmrt_mem_leave();
}

/* Two areas that share a piece of the window, more than the map can tell apart: both keep their words. */
static void test_window(void **state) {
  (void)state;
  uintptr_t near = (uintptr_t)1 << 33 | 4096, far = near + 8 * (__dvmrt_doubt.mask + 1);
  assert_true(dvmrt_mem_enter());
  dvmrt_shadow_fill(near + 5, 20000, DVMRT_W_NEVER);
  assert_true(dvmrt_doubt_owned(near));
  dvmrt_shadow_fill(near + 100, 8, DVMRT_W_ASSIGNED);
  assert_false(dvmrt_doubt_any(near + 100, 8));
  for (unsigned i = 0; i < 3; i++) {
    for (uintptr_t a = 0; a < 20010; a++) {
      bool lost = a >= 5 && a < 20005 && !(a >= 100 && a < 108);
      assert_int_equal(dvmrt_shadow_word(near + a), lost ? DVMRT_W_NEVER : DVMRT_W_ASSIGNED);
      assert_int_equal(dvmrt_shadow_word(far + a), i == 1 && a >= 3000 && a < 3009 ? DVMRT_W_NEVER : DVMRT_W_ASSIGNED);
    }
    dvmrt_shadow_fill(far + 3000, 9, i ? DVMRT_W_ASSIGNED : DVMRT_W_NEVER);
    assert_false(dvmrt_doubt_owned(near));
    assert_true(dvmrt_doubt_any(near + 100, 8));
  }
  dvmrt_mem_leave();
}

/* Large pieces are mapped, small ones written: the edges meet. */
static void test_large(void **state) {
  (void)state;
  uintptr_t base = (uintptr_t)3 << 34 | 13;
  uint64_t n = (uint64_t)40 << 20;
  assert_true(dvmrt_mem_enter());
  dvmrt_shadow_fill(base, n, DVMRT_W_NEVER);
  for (uint64_t at = 0; at < n; at += at < 70000 || at > n - 70000 ? 1 : 4099)
    assert_true(dvmrt_doubt_at(base + at) && dvmrt_shadow_word(base + at) == DVMRT_W_NEVER);
  assert_false(dvmrt_doubt_at(base - 1) || dvmrt_doubt_at(base + n));
  dvmrt_shadow_fill(base + 1, n - 2, DVMRT_W_ASSIGNED);
  assert_true(dvmrt_doubt_at(base) && dvmrt_doubt_at(base + n - 1));
  assert_false(dvmrt_doubt_any(base + 1, n - 2));
  assert_true(dvmrt_shadow_certain(base + 1, n - 2));
  dvmrt_mem_leave();
}

/* A large block that is settled again and again is looked at again when something in it may have lost its value. */
static void test_settled(void **state) {
  (void)state;
  enum { LARGE = 1 << 20, WORDS = 64 };
  static uint32_t words[WORDS];
  uintptr_t base = (uintptr_t)5 << 34;
  struct dvmrt_region r = {.base = base + 8192, .end = base + 8192 + 8 * WORDS, .shift = 3, .words = words};
  assert_true(dvmrt_mem_enter());
  for (unsigned i = 0; i < 3; i++) {
    dvmrt_shadow_fill(base + 5000 * i, i ? 3 : LARGE, DVMRT_W_NEVER);
    assert_false(dvmrt_shadow_certain(base, LARGE));
    for (unsigned k = 0; k < 3; k++)
      dvmrt_shadow_settle(base, LARGE, DVMRT_W_ASSIGNED);
    assert_true(dvmrt_shadow_certain(base, LARGE));
  }
  const uintptr_t without = base + 2 * LARGE;
  dvmrt_shadow_fill(without, 64, DVMRT_W_NEVER);
  for (unsigned i = 0; i < 3; i++) {
    dvmrt_shadow_copy(base + 5000 * i, without, 64, DVMRT_W_ASSIGNED, UINT32_MAX, 0);
    assert_false(dvmrt_shadow_certain(base, LARGE));
    dvmrt_shadow_settle(base, LARGE, DVMRT_W_ASSIGNED);
    assert_true(dvmrt_shadow_certain(base, LARGE));
  }
  dvmrt_shadow_region_add(&r);
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(words[7], DVMRT_W_NEVER);
    dvmrt_shadow_settle(base, LARGE, DVMRT_W_ASSIGNED);
    assert_int_equal(words[7], DVMRT_W_ASSIGNED);
    words[7] = DVMRT_W_NEVER;
    dvmrt_shadow_lost(&r);
  }
  dvmrt_shadow_region_remove(&r);
  dvmrt_mem_leave();
}

/* The addresses that inserted code computes are those of the words. */
static void test_entries(void **state) {
  (void)state;
  assert_true(dvmrt_mem_enter());
  uintptr_t a = (uintptr_t)area;
  dvmrt_shadow_fill(a, SIZE, DVMRT_W_ASSIGNED);
  assert_int_equal(dvmrt_shadow_entry(a), 0);
  struct dvmrt_span s;
  dvmrt_shadow_span(a + 64, 8, true, &s);
  uintptr_t e = dvmrt_shadow_entry(a);
  assert_int_equal(e & 3, 2);
  assert_ptr_equal((uint32_t *)((e & ~(uintptr_t)3) + (((a + 64) >> 3) << 2)), s.words);
  dvmrt_shadow_span(a + 68, 4, true, &s);
  e = dvmrt_shadow_entry(a);
  assert_int_equal(e & 3, 1);
  assert_ptr_equal((uint32_t *)((e & ~(uintptr_t)3) + (((a + 68) >> 2) << 2)), s.words);
  dvmrt_shadow_span(a + 69, 1, true, &s);
  assert_int_equal(dvmrt_shadow_entry(a) & 3, 3);
  dvmrt_mem_leave();
}

/* Pages that are taken and given back again and again do not grow without end. */
static void test_bounded(void **state) {
  (void)state;
  assert_true(dvmrt_mem_enter());
  struct dvmrt_span s;
  for (int i = 0; i < 100000; i++) {
    dvmrt_shadow_fill((uintptr_t)area, 4096, DVMRT_W_ASSIGNED);
    dvmrt_shadow_span((uintptr_t)area, 8, true, &s);
    assert_non_null(s.words);
  }
  assert_true(dvmrt_shadow_bytes() < 1 << 20);
  dvmrt_mem_leave();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_entries), cmocka_unit_test(test_model),   cmocka_unit_test(test_window),
      cmocka_unit_test(test_large),   cmocka_unit_test(test_settled), cmocka_unit_test(test_bounded),
  };
  dvmrt_shadow_init();
  area = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < SIZE; i++)
    model[i] = DVMRT_W_ASSIGNED;
  return area == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
