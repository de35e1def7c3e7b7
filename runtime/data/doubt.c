#include "runtime/data/doubt.h"
#include "runtime/abi_pieces.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* 2^37 bytes are for 2^40 bytes of memory: the segments of a process seldom meet in them. */
enum { LENGTH_LOG = 37, LEAST_LOG = 16, PIECES_LOG = 14, PIECE_LOG_LEAST = 12, PAGE = 4096 };
enum { SPAN_LOG = 16, SPANS_LOG = 14 }; /* of memory, for the times of changes */
enum { BIG = 1 << 18, BIG_LASTING = 1 << 14, ONES_BYTES = 1 << 21 }; /* from when on pages of the map are mapped anew */
#define NOBODY 0u
#define EVERYBODY UINT32_MAX

struct dvmrt_doubt __dvmrt_doubt = {__dvmrt_doubt.none, 0, {0}, {[0 ... sizeof(__dvmrt_doubt.all) - 1] = 0xff}};

static uint8_t *map; /* NULL: nothing is ever in doubt */
static unsigned length_log, piece_log;
static uint32_t owners[1 << PIECES_LOG]; /* of each piece: upper bits of its addresses, plus 1 */
static uint64_t last_set[1 << SPANS_LOG], sets; /* of each span and of those that share its number */
static int ones = -1;                    /* a file of ones, for pieces that are in doubt throughout and of which few bytes are read */

/* ---- the window ------------------------------------------------------------------------------------------------------------- */

/* Where the address space is limited, a small part of it. */
static unsigned log_wanted(void) {
  struct rlimit limit;
  unsigned log = LENGTH_LOG;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return log;
  while (log > LEAST_LOG && ((uint64_t)1 << log) > limit.rlim_cur / 32)
    log--;
  return log;
}

static void *map_zeros(void *at, size_t n) {
  return mmap(at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

void dvmrt_doubt_init(void) {
  uint8_t *p = MAP_FAILED;
  unsigned log;
  for (log = log_wanted(); p == MAP_FAILED && log >= LEAST_LOG; log--)
    p = map_zeros(NULL, ((size_t)1 << log) + PAGE); /* a wide access may begin in the last byte */
  if (p == MAP_FAILED) {
    dvmrt_mem_scarce();
    return;
  }
  length_log = log + 1;
  piece_log = length_log > PIECES_LOG + PIECE_LOG_LEAST ? length_log - PIECES_LOG : PIECE_LOG_LEAST;
  madvise(p, ((size_t)1 << length_log) + PAGE, MADV_DONTDUMP);
  map = p;
  __dvmrt_doubt.bits = p;
  __dvmrt_doubt.mask = ((uintptr_t)1 << length_log) - 1;
}

static int file_of_ones(void) {
  if (ones >= 0)
    return ones;
  static const uint8_t full[PAGE] = {[0 ... PAGE - 1] = 0xff};
  return ones = dvmrt_mem_file("dvm-doubt", full, ONES_BYTES / PAGE);
}

/* Whole pages of the map; false: they are as they were. */
static bool map_ones(uint8_t *at, size_t n) {
  int fd = file_of_ones();
  for (size_t done = 0, part; fd >= 0 && done < n; done += part) {
    part = n - done < ONES_BYTES ? n - done : ONES_BYTES;
    if (mmap(at + done, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED)
      return false;
  }
  if (fd >= 0)
    madvise(at, n, MADV_DONTDUMP);
  return fd >= 0;
}

/* ---- bytes of the map -------------------------------------------------------------------------------------------------------- */

static void zero_words(uint8_t *at, size_t n) {
  size_t i = 0;
  for (uint64_t w; i + 8 <= n; i += 8) { /* only what is set: other pages of the map have no memory yet */
    memcpy(&w, at + i, 8);
    if (w)
      memset(at + i, 0, 8);
  }
  for (; i < n; i++)
    if (at[i])
      at[i] = 0;
}

static void fill_small(uint8_t *at, size_t n, bool set) {
  if (set)
    memset(at, 0xff, n);
  else
    zero_words(at, n);
}

static void fill_bytes(uint8_t *at, size_t n, bool set, size_t big) {
  uint8_t *low = (uint8_t *)(((uintptr_t)at + PAGE - 1) & ~(uintptr_t)(PAGE - 1)), *high = at + n;
  high -= (uintptr_t)high & (PAGE - 1);
  if (n < big || !(set ? map_ones(low, (size_t)(high - low)) : map_zeros(low, (size_t)(high - low)) != MAP_FAILED)) {
    fill_small(at, n, set);
    return;
  }
  if (!set)
    madvise(low, (size_t)(high - low), MADV_DONTDUMP);
  fill_small(at, (size_t)(low - at), set);
  fill_small(high, (size_t)(at + n - high), set);
}

/* Those of [a, end), which lie in one piece. */
static void fill_piece(uintptr_t a, uintptr_t end, bool set, size_t big) {
  uintptr_t low = a, high = end;
  if ((a & 7) || end - a < 8) {
    dvmrt_doubt_change(a, dvmrt_doubt_part(a, end - a, a), set);
    low = (a | 7) + 1;
  }
  if (low < end && (end & 7)) {
    dvmrt_doubt_change(end, dvmrt_doubt_part(a, end - a, end), set);
    high = end & ~(uintptr_t)7;
  }
  if (low < high)
    fill_bytes(map + ((low >> 3) & __dvmrt_doubt.mask), (high - low) >> 3, set, big);
}

/* ---- ranges ------------------------------------------------------------------------------------------------------------------- */

static uint32_t owner_of(uintptr_t a) { return (uint32_t)(a >> 3 >> length_log) + 1; }
static size_t piece_number(uintptr_t a) { return ((a >> 3) & __dvmrt_doubt.mask) >> piece_log; }
static uint32_t *piece_of(uintptr_t a) { return &owners[piece_number(a)]; }
static uintptr_t piece_end(uintptr_t a) { return ((a >> 3 >> piece_log) + 1) << piece_log << 3; }

/* May bits of a's piece be set for it? */
static bool own_piece(uintptr_t a) {
  uint32_t *owner = piece_of(a), me = owner_of(a);
  if (*owner == NOBODY)
    *owner = me;
  if (*owner != me && *owner != EVERYBODY) {
    uintptr_t at = ((a >> 3) & __dvmrt_doubt.mask) >> piece_log << piece_log;
    dvmrt_shadow_leave_bits(((uintptr_t)(*owner - 1) << length_log | at) << 3, (uint64_t)8 << piece_log);
    *owner = EVERYBODY;
    fill_bytes(map + at, (size_t)1 << piece_log, true, BIG);
  }
  return *owner == me;
}

static uint64_t *last_set_at(uintptr_t a) { return &last_set[a >> SPAN_LOG & ((1 << SPANS_LOG) - 1)]; }
static uintptr_t span_end(uintptr_t a) { return ((a >> SPAN_LOG) + 1) << SPAN_LOG; }
/* Spans of the range that differ in their number. */
static uintptr_t spans_end(uintptr_t a, uint64_t n) {
  const uint64_t all = (uint64_t)1 << (SPAN_LOG + SPANS_LOG);
  return a + (n < all ? n : all);
}

static void note_set(uintptr_t a, uint64_t n) {
  sets++;
  for (uintptr_t at = a, end = spans_end(a, n); at < end; at = span_end(at))
    *last_set_at(at) = sets;
}

static void set_range(uintptr_t a, uint64_t n, size_t big) {
  note_set(a, n);
  for (uintptr_t end = a + n, next; map && a < end; a = next) {
    next = piece_end(a) < end ? piece_end(a) : end;
    if (own_piece(a))
      fill_piece(a, next, true, big);
  }
}

static void clear_range(uintptr_t a, uint64_t n, size_t big) {
  for (uintptr_t end = a + n, next; map && a < end; a = next) {
    next = piece_end(a) < end ? piece_end(a) : end;
    if (*piece_of(a) == owner_of(a))
      fill_piece(a, next, false, big);
  }
}

void dvmrt_doubt_set(uintptr_t a, uint64_t n) { set_range(a, n, BIG); }
void dvmrt_doubt_clear(uintptr_t a, uint64_t n) { clear_range(a, n, BIG); }
void dvmrt_doubt_set_lasting(uintptr_t a, uint64_t n) { set_range(a, n, BIG_LASTING); }
void dvmrt_doubt_clear_lasting(uintptr_t a, uint64_t n) { clear_range(a, n, BIG_LASTING); }

/* Mostly few bytes: objects of the stack. */
static inline void fill_few(uint8_t *at, size_t n, bool set) {
  const uint64_t all = set ? UINT64_MAX : 0;
  if (n > 64) {
    memset(at, set ? 0xff : 0, n);
  } else if (n >= 8) {
    for (size_t i = 0; i + 8 < n; i += 8)
      memcpy(at + i, &all, 8);
    memcpy(at + n - 8, &all, 8);
  } else if (n >= 4) {
    memcpy(at, &all, 4);
    memcpy(at + n - 4, &all, 4);
  } else {
    for (size_t i = 0; i < n; i++)
      at[i] = (uint8_t)all;
  }
}

static void change_own(uintptr_t a, uint64_t n, bool set) {
  uintptr_t end = a + n, low = (a + 7) & ~(uintptr_t)7, high = end & ~(uintptr_t)7;
  if (a < low)
    dvmrt_doubt_change(a, dvmrt_doubt_part(a, n, a), set);
  if (high < end && high >= low)
    dvmrt_doubt_change(high, dvmrt_doubt_part(a, n, high), set);
  uint8_t *to = map; /* as the mask, in a register: what is written may be anything, for all that the compiler knows */
  const uintptr_t mask = __dvmrt_doubt.mask;
  if (low < high && ((high - 1) >> 3 & mask) >= (low >> 3 & mask)) {
    fill_few(to + (low >> 3 & mask), (high - low) >> 3, set);
    return;
  }
  for (uintptr_t at = low; at < high; at += 8)
    to[(at >> 3) & mask] = set ? 0xff : 0;
}

void dvmrt_doubt_set_own(uintptr_t a, uint64_t n) {
  *last_set_at(a) = *last_set_at(a + n - 1) = ++sets;
  change_own(a, n, true);
}

void dvmrt_doubt_clear_own(uintptr_t a, uint64_t n) { change_own(a, n, false); }

uint64_t dvmrt_doubt_count(void) { return sets; }

uint64_t dvmrt_doubt_last(uintptr_t a, uint64_t n) {
  uint64_t last = map ? 0 : UINT64_MAX;
  for (uintptr_t end = spans_end(a, n); map && a < end; a = span_end(a))
    last = *last_set_at(a) > last ? *last_set_at(a) : last;
  return last;
}

bool dvmrt_doubt_owned(uintptr_t a) { return map && own_piece(a); }

bool dvmrt_doubt_set_if_own(uintptr_t a, uint64_t n) {
  if (!map || (DVMRT_UNLIKELY(*piece_of(a) != owner_of(a)) && !own_piece(a)))
    return false;
  dvmrt_doubt_set_own(a, n);
  return true;
}

static inline uint64_t load8(const uint8_t *p) {
  uint64_t v;
  memcpy(&v, p, 8);
  return v;
}

static inline uint32_t load4(const uint8_t *p) {
  uint32_t v;
  memcpy(&v, p, 4);
  return v;
}

/* Of the map's bytes [p, end). */
static inline bool any_byte(const uint8_t *p, const uint8_t *end) {
  if (end - p >= 8) {
    for (; end - p > 8; p += 8)
      if (load8(p))
        return true;
    return load8(end - 8);
  }
  if (end - p >= 4)
    return load4(p) | load4(end - 4);
  for (; p < end; p++)
    if (*p)
      return true;
  return false;
}

static inline bool any(uintptr_t a, uint64_t n) {
  const uintptr_t mask = __dvmrt_doubt.mask, last = a + n - 1, low = (a >> 3) & mask, high = (last >> 3) & mask;
  const uint8_t *bits = __dvmrt_doubt.bits;
  const uint8_t first_part = (uint8_t)(0xff << (a & 7)), last_part = (uint8_t)(0xff >> (7 - (last & 7)));
  if (low == high && n <= 8)
    return bits[low] & first_part & last_part;
  if ((bits[low] & first_part) | (bits[high] & last_part))
    return true;
  if (n >> 3 > mask)
    return any_byte(bits, bits + mask + 1);
  return low < high ? any_byte(bits + low + 1, bits + high) : any_byte(bits + low + 1, bits + mask + 1) || any_byte(bits, bits + high);
}

bool dvmrt_doubt_any(uintptr_t a, uint64_t n) { return n && any(a, n); }

bool dvmrt_doubt_any_piece(const struct dvmrt_pieces *pieces, uint64_t n, uint64_t turns, const uintptr_t *first) {
  for (uint64_t i = 0; i < n; i++) {
    const int64_t way = pieces[i].step * (int64_t)(turns - 1);
    if (any(way < 0 ? first[i] + (uint64_t)way : first[i], (uint64_t)(way < 0 ? -way : way) + pieces[i].bytes))
      return true;
  }
  return false;
}

enum { COPIED = 4096 };

/* At most so many bytes at once. */
static void copy_few(uintptr_t dst, uintptr_t src, uint64_t n) {
  uint8_t bits[COPIED / 8 + 1];
  uintptr_t low = dst & ~(uintptr_t)7, from = src - (dst - low);
  size_t count = (dst + n - low + 7) / 8;
  for (size_t i = 0; i < count; i++)
    bits[i] = (uint8_t)((dvmrt_doubt_byte(from + 8 * i) | dvmrt_doubt_byte(from + 8 * i + 7) << 8) >> (from & 7));
  for (size_t i = 0; i < count; i++) {
    uint8_t part = dvmrt_doubt_part(dst, n, low + 8 * i);
    dvmrt_doubt_change(low + 8 * i, bits[i] & part, true);
    dvmrt_doubt_change(low + 8 * i, (uint8_t)(~bits[i] & part), false);
  }
}

void dvmrt_doubt_copy(uintptr_t dst, uintptr_t src, uint64_t n) {
  note_set(dst, n);
  for (uint64_t done = 0, part; done < n; done += part) {
    part = n - done < COPIED ? n - done : COPIED;
    uint64_t at = dst <= src ? done : n - done - part;
    copy_few(dst + at, src + at, part);
  }
}
