#include "runtime/data/shadow.h"
#include "runtime/data/doubt.h"
#include "runtime/data/mem.h"
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, L2_ENTRIES = 1 << 18, CHUNK_BYTES = 1 << 20, QUARANTINE = 256, FIRST_PIECE = 1 << 16 };
enum { CODE_WORD4 = 1, CODE_WORD8 = 2, CODE_RECORD = 3 };
#define BY_BITS dvmrt_shadow_entry_by_bits()

struct link {
  struct dvmrt_region *region;
  struct link *next;
};

struct dvmrt_page {
  uint32_t *words;     /* NULL: all are 'uniform' */
  uint32_t uniform;
  uint8_t shift;       /* of 'words' */
  bool shared;         /* stands behind many entries: never changed, never freed */
  struct link *regions;
} __attribute__((aligned(16)));

uintptr_t *__dvmrt_pages[1 << 17] __attribute__((aligned(4096)));
uint64_t dvmrt_shadow_known[(1 << 17) / 64];
static uintptr_t no_entries[L2_ENTRIES];           /* stays zero; what is not mapped here costs no memory */
static struct dvmrt_page uniform_pages[DVMRT_W_ZERO + 1];
struct dvmrt_page dvmrt_shadow_by_bits = {.uniform = DVMRT_W_NEVER, .shared = true};
static uint64_t bytes_held;

/* ---- blocks of words ------------------------------------------------------------------------------------------------------ */

/* An interrupted access may still hold the address of words that a signal handler's access has replaced, and other threads
 * read entries without a lock: retired blocks rest in a queue before they are used again. */
struct pool {
  uint32_t *free;                 /* linked through their first eight bytes */
  char *at, *end;
  uint32_t *rest[QUARANTINE];
  unsigned next;
};
static struct pool pools[4];

static size_t block_bytes(unsigned shift) { return ((size_t)PAGE >> shift) * 4; }

static uint32_t *block_get(unsigned shift) {
  struct pool *p = &pools[shift];
  size_t bytes = block_bytes(shift);
  uint32_t *b = p->free;
  if (b) {
    memcpy(&p->free, b, sizeof(p->free));
  } else {
    if ((size_t)(p->end - p->at) < bytes) {
      char *chunk = dvmrt_mem_map(CHUNK_BYTES);
      if (!chunk)
        return NULL;
      p->at = chunk;
      p->end = chunk + CHUNK_BYTES;
    }
    b = (uint32_t *)(void *)p->at;
    p->at += bytes;
  }
  bytes_held += bytes;
  return b;
}

static void block_put(uint32_t *b, unsigned shift) {
  struct pool *p = &pools[shift];
  uint32_t *old = p->rest[p->next];
  p->rest[p->next] = b;
  p->next = (p->next + 1) % QUARANTINE;
  bytes_held -= block_bytes(shift);
  if (old) {
    memcpy(old, &p->free, sizeof(p->free));
    p->free = old;
  }
}

static void words_set(uint32_t *w, size_t n, uint32_t value) {
  for (size_t i = 0; i < n; i++)
    w[i] = value;
}

/* ---- entries ---------------------------------------------------------------------------------------------------------------- */

/* The table takes memory only where it is changed: a small program shall stay small. */
static bool map_nothing(void) {
  char *table = (char *)__dvmrt_pages;
  uintptr_t *some[PAGE / sizeof(uintptr_t *)];
  for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
    some[i] = no_entries;
  int fd = (uintptr_t)table % PAGE ? -1 : dvmrt_mem_file("dvm-pages", some, FIRST_PIECE / PAGE);
  bool done = fd >= 0;
  for (size_t at = 0; done && at < sizeof(__dvmrt_pages); at += FIRST_PIECE)
    done = mmap(table + at, FIRST_PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED;
  if (fd >= 0)
    close(fd);
  return done;
}

void dvmrt_shadow_init(void) {
  if (__dvmrt_pages[0])
    return;
  bool mapped = map_nothing();
  for (size_t i = 0; !mapped && i < sizeof(__dvmrt_pages) / sizeof(__dvmrt_pages[0]); i++)
    __dvmrt_pages[i] = no_entries;
  for (uint32_t i = 0; i <= DVMRT_W_ZERO; i++)
    uniform_pages[i] = (struct dvmrt_page){.uniform = i, .shared = true};
  dvmrt_doubt_init();
}

/* The entry of a's page, to be changed; NULL: no memory for the table. */
static uintptr_t *entry_slot(uintptr_t a) {
  uintptr_t **l1 = &__dvmrt_pages[(a >> 30) & 0x1ffff];
  if (*l1 == no_entries) {
    uintptr_t *l2 = dvmrt_mem_map(sizeof(no_entries));
    if (!l2)
      return NULL;
    __atomic_store_n(l1, l2, __ATOMIC_RELEASE);
    dvmrt_shadow_know(a);
  }
  return &(*l1)[(a >> 12) & 0x3ffff];
}

static void entry_store(uintptr_t *slot, uintptr_t e) { __atomic_store_n(slot, e, __ATOMIC_RELEASE); }

static struct dvmrt_page *record_of(uintptr_t e) { return (e & 3) == CODE_RECORD ? (struct dvmrt_page *)(e & ~(uintptr_t)3) : NULL; }

static uintptr_t page_of(uintptr_t a) { return a & ~(uintptr_t)(PAGE - 1); }

static uintptr_t entry_for_words(uintptr_t page, uint32_t *words, unsigned shift) {
  return ((uintptr_t)words - ((page >> shift) << 2)) | (shift - 1);
}

/* What an entry says of the ordinary bytes of its page. */
struct view_of_page {
  uint32_t *words;   /* first word of the page, or NULL */
  unsigned shift;
  uint32_t uniform;  /* when words is NULL */
  struct dvmrt_page *record; /* or NULL */
  bool by_bits;      /* when words is NULL: what is in doubt has no value, the rest has one */
};

static struct view_of_page page_read(uintptr_t e, uintptr_t page) {
  struct dvmrt_page *r = record_of(e);
  if (r)
    return (struct view_of_page){r->words, r->shift, r->uniform, r, r == &dvmrt_shadow_by_bits};
  if ((e & 3) == 0)
    return (struct view_of_page){NULL, 3, DVMRT_W_ASSIGNED, NULL, false};
  return (struct view_of_page){dvmrt_shadow_at(e, page), (e & 3) + 1, 0, NULL, false};
}

static uint32_t word_by_bits(uintptr_t a) { return dvmrt_doubt_at(a) ? DVMRT_W_NEVER : DVMRT_W_ASSIGNED; }

/* log2 of the largest granule, up to 'most', of which each on the page is in doubt throughout, or not at all. */
static unsigned shift_by_bits(uintptr_t page, unsigned most) {
  for (uintptr_t a = page; a < page + PAGE; a += 8) {
    uint8_t bits = dvmrt_doubt_byte(a);
    if (most == 3 && bits != 0 && bits != 0xff)
      most = 2;
    if (most == 2 && bits != 0 && bits != 0xff && bits != 0x0f && bits != 0xf0)
      return 0;
  }
  return most;
}

/* Puts new words (or NULL: uniform) on the page, keeping its regions; the old ones are retired. */
static void page_write(uintptr_t *slot, uintptr_t page, uint32_t *words, unsigned shift, uint32_t uniform) {
  struct view_of_page old = page_read(*slot, page);
  struct dvmrt_page *r = old.record;
  struct link *regions = r ? r->regions : NULL;
  if (r && r->shared)
    r = NULL;
  if (!regions && words && shift) {
    entry_store(slot, entry_for_words(page, words, shift));
    if (r)
      dvmrt_mem_free(r, sizeof(*r));
  } else if (!regions && !words && (uniform == DVMRT_W_ASSIGNED || uniform <= DVMRT_W_ZERO)) {
    entry_store(slot, uniform == DVMRT_W_ASSIGNED ? 0 : (uintptr_t)&uniform_pages[uniform] | CODE_RECORD);
    if (r)
      dvmrt_mem_free(r, sizeof(*r));
  } else {
    bool fresh = !r;
    if (fresh)
      r = dvmrt_mem_alloc(sizeof(*r));
    r->words = words;
    r->shift = (uint8_t)shift;
    r->uniform = uniform;
    r->regions = regions;
    if (fresh)
      entry_store(slot, (uintptr_t)r | CODE_RECORD);
  }
  if (old.words && old.words != words)
    block_put(old.words, old.shift);
}

/* Gives the page words of at most 1 << shift bytes a granule.  False: no memory. */
static bool page_refine(uintptr_t *slot, uintptr_t page, unsigned shift) {
  struct view_of_page v = page_read(*slot, page);
  if (v.words && v.shift <= shift)
    return true;
  if (v.by_bits)
    shift = shift_by_bits(page, shift);
  uint32_t *words = block_get(shift);
  if (!words)
    return false;
  size_t n = (size_t)PAGE >> shift;
  for (size_t i = 0; i < n; i++)
    words[i] = v.words ? v.words[i >> (v.shift - shift)] : v.by_bits ? word_by_bits(page + (i << shift)) : v.uniform;
  page_write(slot, page, words, shift, 0);
  return true;
}

/* The bits of these pages are about to be lost. */
void dvmrt_shadow_leave_bits(uintptr_t a, uint64_t n) {
  for (uintptr_t page = page_of(a); page < a + n; page += PAGE)
    if (dvmrt_shadow_entry(page) == BY_BITS && !page_refine(entry_slot(page), page, 3))
      entry_store(entry_slot(page), 0);
}

static unsigned shift_for(uintptr_t a, uintptr_t end) {
  uintptr_t bits = a | end;
  return (bits & 7) == 0 ? 3 : (bits & 3) == 0 ? 2 : 0;
}

/* ---- spans ------------------------------------------------------------------------------------------------------------------ */

static uintptr_t min_of(uintptr_t a, uintptr_t b) { return a < b ? a : b; }

/* The region at 'a' in the page, or where the next one begins ('*limit'). */
static struct dvmrt_region *region_at(const struct dvmrt_page *r, uintptr_t a, uintptr_t *limit) {
  for (struct link *l = r->regions; l; l = l->next) {
    if (a >= l->region->base && a < l->region->end)
      return l->region;
    if (l->region->base > a && l->region->base < *limit)
      *limit = l->region->base;
  }
  return NULL;
}

static void span_set(struct dvmrt_span *s, uint32_t *first, uintptr_t origin, unsigned shift, uintptr_t a, uintptr_t end) {
  s->words = first + ((a - origin) >> shift);
  s->count = (uint32_t)(((end - 1 - origin) >> shift) - ((a - origin) >> shift) + 1);
  s->end = end;
}

void dvmrt_shadow_span(uintptr_t a, uint64_t n, bool create, struct dvmrt_span *s) {
  uintptr_t page = page_of(a), end = min_of(a + n, page + PAGE);
  uintptr_t e = dvmrt_shadow_entry(a);
  struct dvmrt_page *r = record_of(e);
  *s = (struct dvmrt_span){NULL, 0, end, NULL};
  if (r && r->regions) {
    uintptr_t limit = end;
    struct dvmrt_region *region = region_at(r, a, &limit);
    if (region) {
      s->region = region;
      span_set(s, region->words, region->base, region->shift, a, min_of(a + n, region->end));
      return;
    }
    end = s->end = limit;
  }
  struct view_of_page v = page_read(e, page);
  if (!v.words && v.uniform == DVMRT_W_ASSIGNED && !create)
    return;
  uintptr_t *slot = entry_slot(a);
  if (!slot || !page_refine(slot, page, shift_for(a, end)))
    return;
  v = page_read(*slot, page);
  span_set(s, v.words, page, v.shift, a, end);
}

uint32_t *dvmrt_shadow_peek(uintptr_t a, uint64_t n, uint32_t *count) {
  uintptr_t e = dvmrt_shadow_entry(a), page = page_of(a), limit = UINTPTR_MAX;
  struct dvmrt_page *r = record_of(e);
  *count = 0;
  if (a + n > page + PAGE || (r && r->regions && (region_at(r, a, &limit) || a + n > limit)))
    return NULL;
  struct view_of_page v = page_read(e, page);
  if (!v.words) {
    *count = v.by_bits ? !dvmrt_doubt_any(a, n) : v.uniform == DVMRT_W_ASSIGNED;
    return NULL;
  }
  if ((a | n) & (((uintptr_t)1 << v.shift) - 1))
    return NULL;
  *count = (uint32_t)(n >> v.shift);
  return v.words + ((a - page) >> v.shift);
}

uint32_t dvmrt_shadow_word(uintptr_t a) {
  uintptr_t e = dvmrt_shadow_entry(a), page = page_of(a), limit = UINTPTR_MAX;
  struct dvmrt_page *r = record_of(e);
  struct dvmrt_region *region = r ? region_at(r, a, &limit) : NULL;
  if (region)
    return region->words[(a - region->base) >> region->shift];
  struct view_of_page v = page_read(e, page);
  return v.words ? v.words[(a - page) >> v.shift] : v.by_bits ? word_by_bits(a) : v.uniform;
}

bool dvmrt_shadow_told_by_bits(uintptr_t a, uint64_t n) {
  for (uintptr_t page = page_of(a); page < a + n; page += PAGE) {
    uintptr_t e = dvmrt_shadow_entry(page);
    if (e && e != BY_BITS)
      return false;
  }
  return true;
}

bool dvmrt_shadow_certain(uintptr_t a, uint64_t n) {
  if (!dvmrt_doubt_any(a, n))
    return true;
  if (dvmrt_shadow_told_by_bits(a, n) || dvmrt_shadow_region_in(a, n))
    return false;
  struct dvmrt_span s;
  for (uintptr_t end = a + n; a < end; a = s.end) {
    dvmrt_shadow_span(a, end - a, false, &s);
    for (uint32_t i = 0; i < s.count; i++)
      if (s.words[i] <= DVMRT_W_ZERO)
        return false;
  }
  return true;
}

/* ---- ranges ----------------------------------------------------------------------------------------------------------------- */

/* Of a part of a page without words, the bits alone tell what has no value.  (The caller changes them.)  True: done. */
static bool fill_part(uintptr_t a, uint32_t word) {
  uintptr_t e = dvmrt_shadow_entry(a), *slot;
  if (e == BY_BITS)
    return word == DVMRT_W_NEVER || word == DVMRT_W_ASSIGNED;
  if (e != 0 || word != DVMRT_W_NEVER || !dvmrt_doubt_owned(a) || !(slot = entry_slot(a)))
    return false;
  entry_store(slot, BY_BITS);
  return true;
}

/* Whole pages take the value without words of their own where that can be said; true: done. */
static bool fill_page(uintptr_t page, uint32_t word) {
  uintptr_t e = dvmrt_shadow_entry(page);
  struct dvmrt_page *r = record_of(e);
  if (r && r->regions)
    return false;
  if (word != DVMRT_W_ASSIGNED && word > DVMRT_W_ZERO)
    return false;
  if (e == 0 && word == DVMRT_W_ASSIGNED)
    return true;
  if (word != DVMRT_W_ASSIGNED && page_read(e, page).words)
    return false; /* a stack page that is born again and again keeps its words */
  uintptr_t *slot = entry_slot(page);
  if (!slot)
    return true; /* no table: assigned */
  if (word == DVMRT_W_NEVER && dvmrt_doubt_owned(page)) {
    entry_store(slot, BY_BITS);
    return true;
  }
  page_write(slot, page, NULL, 0, word);
  return true;
}

/* Words from which an access outside of loops is to be looked at. */
static bool doubtful(uint32_t word) { return word < DVMRT_W_FIRST || word == DVMRT_W_ZERO; }

/* Regions stay in doubt. */
static void doubt_piece(uintptr_t *from, uintptr_t a, const struct dvmrt_span *s) {
  if (!s->region)
    return;
  dvmrt_doubt_clear(*from, a - *from);
  *from = s->end;
}

static void fill(uintptr_t a, uint64_t n, uint32_t word, bool regions) {
  uintptr_t end = a + n, certain = a;
  if (doubtful(word))
    dvmrt_doubt_set(a, n);
  while (a < end) {
    if (page_of(a) == a && end - a >= PAGE && fill_page(a, word)) {
      a += PAGE;
      continue;
    }
    if (fill_part(a, word)) {
      a = min_of(page_of(a) + PAGE, end);
      continue;
    }
    struct dvmrt_span s;
    dvmrt_shadow_span(a, end - a, word != DVMRT_W_ASSIGNED, &s);
    if (s.words && (regions || !s.region))
      words_set(s.words, s.count, word);
    if (s.region && word < DVMRT_W_FIRST)
      s.region->losses++;
    else if (s.region)
      s.region->gains++;
    if (!doubtful(word))
      doubt_piece(&certain, a, &s);
    a = s.end;
  }
  if (!doubtful(word) && certain < end)
    dvmrt_doubt_clear(certain, end - certain);
}

void dvmrt_shadow_fill(uintptr_t a, uint64_t n, uint32_t word) { fill(a, n, word, true); }
void dvmrt_shadow_drop(uintptr_t a, uint64_t n) { fill(a, n, DVMRT_W_ASSIGNED, false); }

/* True: nothing of it is in doubt any more. */
static bool settle_words(const struct dvmrt_span *s, uint32_t word) {
  bool zero = false;
  for (uint32_t i = 0; i < s->count; i++) {
    if (s->words[i] < DVMRT_W_FIRST)
      s->words[i] = word;
    zero |= s->words[i] == DVMRT_W_ZERO;
  }
  return !zero;
}

/* Objects that had values throughout, by their start: a function that is handed the same ones each time costs little, however large
 * they are. */
static struct whole {
  uintptr_t a;
  uint64_t n, count; /* of doubts, then */
} whole[1024];
enum { WHOLE_LEAST = 1 << 12, WHOLES = sizeof(whole) / sizeof(whole[0]) };

static struct whole *whole_at(uintptr_t a) { return &whole[((uint64_t)a >> 12) * 0x9e3779b97f4a7c15u >> 54 & (WHOLES - 1)]; }

bool dvmrt_shadow_settled(uintptr_t a, uint64_t n) {
  const struct whole *w = whole_at(a);
  return n >= WHOLE_LEAST && w->a == a && n <= w->n && dvmrt_doubt_last(a, n) <= w->count;
}

static void settle(uintptr_t a, uint64_t n, uint32_t word);

void dvmrt_shadow_settle(uintptr_t a, uint64_t n, uint32_t word) {
  if (dvmrt_shadow_settled(a, n))
    return;
  settle(a, n, word);
  if (n >= WHOLE_LEAST)
    *whole_at(a) = (struct whole){a, n, dvmrt_doubt_count()};
}

static void settle(uintptr_t a, uint64_t n, uint32_t word) {
  uintptr_t end = a + n;
  while (a < end) {
    uintptr_t here = min_of(page_of(a) + PAGE, end);
    if (!dvmrt_doubt_any(a, here - a)) {
      a = here; /* what is not in doubt has a value, whatever its words are like */
      continue;
    }
    struct dvmrt_page *r = record_of(dvmrt_shadow_entry(a));
    if (r && !r->words && !r->regions && word == DVMRT_W_ASSIGNED && page_of(a) == a && end - a >= PAGE) {
      fill_page(a, word);
      dvmrt_doubt_clear(a, PAGE);
      a += PAGE;
      continue;
    }
    if (word == DVMRT_W_ASSIGNED && dvmrt_shadow_entry(a) == BY_BITS) {
      uintptr_t next = min_of(page_of(a) + PAGE, end);
      dvmrt_doubt_clear(a, next - a);
      a = next;
      continue;
    }
    struct dvmrt_span s;
    dvmrt_shadow_span(a, end - a, false, &s);
    if (s.region)
      s.region->gains++;
    if (settle_words(&s, word) && !s.region)
      dvmrt_doubt_clear(a, s.end - a);
    a = s.end;
  }
}

static bool all_assigned(uintptr_t a, uint64_t n) {
  for (uintptr_t p = page_of(a); p < a + n; p += PAGE)
    if (dvmrt_shadow_entry(p))
      return false;
  return true;
}

/* Has all of the range a value?  What is copied mostly has, and this walk is much shorter than the copy. */
static bool has_value(uintptr_t a, uint64_t n) {
  struct dvmrt_span s;
  if (dvmrt_shadow_told_by_bits(a, n))
    return !dvmrt_doubt_any(a, n);
  for (uintptr_t end = a + n; a < end; a = s.end) {
    dvmrt_shadow_span(a, end - a, false, &s);
    for (uint32_t i = 0; s.words && i < s.count; i++)
      if (s.words[i] < DVMRT_W_FIRST)
        return false;
  }
  return true;
}

/* log2 of the bytes that share a word at 'a', up to 'most'. */
static unsigned granule_of(uintptr_t a, unsigned most) {
  uintptr_t e = dvmrt_shadow_entry(a);
  struct dvmrt_page *r = record_of(e);
  uintptr_t limit = UINTPTR_MAX;
  const struct dvmrt_region *in = r ? region_at(r, a, &limit) : NULL;
  unsigned shift = 3;
  if (in)
    shift = in->shift;
  else if (e == BY_BITS)
    shift = shift_by_bits(page_of(a), 3);
  else if ((e & 3) == CODE_WORD4)
    shift = 2;
  else if (r && r->words)
    shift = r->shift;
  return shift < most ? shift : most;
}

struct carry {
  uint32_t word;       /* of what has a value */
  uint32_t base, lost; /* ordinary data whose words are from 'base' on: the word of what has none */
};

/* The word of ordinary data that had the word 'old' and gets one, 'w', that says there is no value.  Where it was born counts more
   than where the copy comes from. */
static uint32_t without_value(uint32_t old, uint32_t w, const struct carry *c) {
  if (old > DVMRT_W_LOCAL && old < DVMRT_W_FIRST)
    return old;
  return old >= c->base ? c->lost : w;
}

static void copy_to(uintptr_t dst, unsigned bytes, uint32_t w, const struct carry *c) {
  struct dvmrt_span s;
  bool has_value = w >= DVMRT_W_FIRST;
  if (has_value && c->word == DVMRT_W_ASSIGNED && dvmrt_shadow_entry(dst) == 0)
    return;
  dvmrt_shadow_span(dst, bytes, true, &s);
  if (!has_value)
    dvmrt_doubt_set(dst, bytes);
  else if (!s.region)
    dvmrt_doubt_clear(dst, bytes);
  if (s.region && !has_value)
    s.region->losses++;
  else if (s.region)
    s.region->gains++;
  for (uint32_t i = 0; i < s.count; i++)
    s.words[i] = has_value ? c->word : s.region ? w : without_value(s.words[i], w, c);
}

/* In an aligned piece of 1 << shift bytes, in which a region may begin or end. */
static unsigned granule_at(uintptr_t a, unsigned shift) { return granule_of(a, granule_of(a + ((uintptr_t)1 << shift) - 1, shift)); }

/* One aligned piece, on one page on either side.  A granule of a region has a value if a part of it has. */
static void copy_piece(uintptr_t dst, uintptr_t src, unsigned shift, bool up, const struct carry *c) {
  struct dvmrt_page *r = record_of(dvmrt_shadow_entry(dst));
  uintptr_t limit = UINTPTR_MAX;
  unsigned from = 1u << granule_at(src, shift), to = r && region_at(r, dst, &limit) ? 1u << granule_at(dst, shift) : 1;
  unsigned piece = 1u << shift, step = from > to ? from : to;
  for (unsigned i = 0; i < piece; i += step) {
    unsigned k = up ? i : piece - i - step;
    uint32_t best = 0;
    for (unsigned j = k; j < k + step; j += from) {
      uint32_t w = dvmrt_shadow_word(src + j);
      best = w > best ? w : best;
    }
    copy_to(dst + k, step, best, c);
  }
}

/* Pages without words may lack some values from now on.  False: there must be words. */
static bool may_lack_values(uintptr_t a, uint64_t n) {
  if (!dvmrt_shadow_told_by_bits(a, n))
    return false;
  for (uintptr_t page = page_of(a); page < a + n; page += PAGE)
    if (!fill_part(page, DVMRT_W_NEVER))
      return false;
  return true;
}

void dvmrt_shadow_copy(uintptr_t dst, uintptr_t src, uint64_t n, uint32_t word, uint32_t base, uint32_t lost) {
  if (!dvmrt_doubt_any(src, n) || all_assigned(src, n) || has_value(src, n)) {
    dvmrt_shadow_fill(dst, n, word);
    return;
  }
  if (word == DVMRT_W_ASSIGNED && dvmrt_shadow_told_by_bits(src, n) && may_lack_values(dst, n)) {
    dvmrt_doubt_copy(dst, src, n);
    return;
  }
  unsigned shift = shift_for(dst | src, n);
  uint64_t piece = (uint64_t)1 << shift;
  bool up = dst <= src;
  const struct carry c = {word, base, lost};
  for (uint64_t done = 0; done < n; done += piece) {
    uint64_t at = up ? done : n - done - piece;
    copy_piece(dst + at, src + at, shift, up, &c);
  }
}

/* ---- regions ---------------------------------------------------------------------------------------------------------------- */

static bool region_covers(const struct dvmrt_region *r, uintptr_t page) { return r->base <= page && page + PAGE <= r->end; }

static void region_enter_page(struct dvmrt_region *r, uintptr_t page) {
  uintptr_t *slot = entry_slot(page);
  if (!slot)
    return;
  if (region_covers(r, page)) {
    page_write(slot, page, NULL, 0, DVMRT_W_ASSIGNED);
    entry_store(slot, (uintptr_t)r->whole | CODE_RECORD);
    return;
  }
  if (*slot == BY_BITS && !page_refine(slot, page, 3))
    return;
  struct view_of_page v = page_read(*slot, page);
  struct dvmrt_page *p = v.record;
  if (!p || p->shared) {
    p = dvmrt_mem_alloc(sizeof(*p));
    *p = (struct dvmrt_page){v.words, v.uniform, (uint8_t)v.shift, false, NULL};
  }
  struct link *l = dvmrt_mem_alloc(sizeof(*l));
  *l = (struct link){r, p->regions};
  p->regions = l;
  entry_store(slot, (uintptr_t)p | CODE_RECORD);
}

static void region_leave_page(struct dvmrt_region *r, uintptr_t page) {
  uintptr_t e = dvmrt_shadow_entry(page);
  struct dvmrt_page *p = record_of(e);
  if (!p)
    return;
  if (p == r->whole) { /* its doubt goes with that of the others */
    entry_store(entry_slot(page), 0);
    return;
  }
  if (p->shared)
    return;
  for (struct link **l = &p->regions; *l; l = &(*l)->next) {
    if ((*l)->region == r) {
      struct link *gone = *l;
      *l = gone->next;
      dvmrt_mem_free(gone, sizeof(*gone));
      break;
    }
  }
  if (p->regions)
    return;
  page_write(entry_slot(page), page, p->words, p->shift, p->uniform);
  if (!dvmrt_shadow_entry(page))
    dvmrt_doubt_clear(page, PAGE);
}

void dvmrt_shadow_region_add(struct dvmrt_region *r) {
  r->whole = dvmrt_mem_alloc(sizeof(*r->whole));
  struct link *l = dvmrt_mem_alloc(sizeof(*l));
  *l = (struct link){r, NULL};
  *r->whole = (struct dvmrt_page){NULL, DVMRT_W_ASSIGNED, 0, true, l};
  for (uintptr_t page = page_of(r->base); page < r->end; page += PAGE)
    region_enter_page(r, page);
  dvmrt_doubt_set_lasting(r->base, r->end - r->base);
}

void dvmrt_shadow_region_remove(struct dvmrt_region *r) {
  uintptr_t from = 0, page = page_of(r->base); /* pages from 'from' on were of this region alone; 0: none is waiting */
  for (; page < r->end; page += PAGE) {
    bool own = record_of(dvmrt_shadow_entry(page)) == r->whole;
    if (!own && from)
      dvmrt_doubt_clear_lasting(from, page - from);
    from = !own ? 0 : from ? from : page;
    region_leave_page(r, page);
  }
  if (from)
    dvmrt_doubt_clear_lasting(from, page - from);
  dvmrt_mem_free(r->whole->regions, sizeof(struct link));
  dvmrt_mem_free(r->whole, sizeof(*r->whole));
  r->whole = NULL;
}

void dvmrt_shadow_lost(struct dvmrt_region *r) {
  r->losses++;
  dvmrt_doubt_set_lasting(r->base, r->end - r->base);
}

struct dvmrt_region *dvmrt_shadow_region_in(uintptr_t a, uint64_t n) {
  for (uintptr_t page = page_of(a); page < a + n; page += PAGE) {
    struct dvmrt_page *p = record_of(dvmrt_shadow_entry(page));
    for (struct link *l = p ? p->regions : NULL; l; l = l->next)
      if (l->region->base < a + n && a < l->region->end)
        return l->region;
  }
  return NULL;
}

/* ---- all ------------------------------------------------------------------------------------------------------------------- */

void dvmrt_shadow_each(void (*f)(uint32_t *words, size_t count)) {
  for (size_t i = 0; i < sizeof(__dvmrt_pages) / sizeof(__dvmrt_pages[0]); i++) {
    if (__dvmrt_pages[i] == no_entries)
      continue;
    for (size_t k = 0; k < L2_ENTRIES; k++) {
      uintptr_t e = __dvmrt_pages[i][k];
      struct view_of_page v = page_read(e, ((uintptr_t)i << 30) | ((uintptr_t)k << 12));
      if (v.words)
        f(v.words, (size_t)PAGE >> v.shift);
    }
  }
}

uint64_t dvmrt_shadow_bytes(void) { return bytes_held; }
