/* Words of all data: a page table for ordinary memory (abi.h says how inserted code reads it), and regions, whose words lie in
 * one piece of their own (distributed arrays).
 *
 * Behind an entry with code 3 stands a record: a page in which regions lie, one with a word for each byte, or one of which
 * all words are equal and none is stored yet.  A page is refined (8 -> 4 -> 1 bytes a word) when an access or an object is
 * smaller than its granule: each new word is a copy of the old one.  Where no loop has been there are no words: what has no value
 * is what is in doubt (doubt.h). */
#ifndef DVMRT_SHADOW_H
#define DVMRT_SHADOW_H
#include "runtime/export.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmrt_page;

/* Memory of the program lies below 2^47 (x86-64); all addresses here do. */
enum { DVMRT_ADDRESS_BITS = 47 };

/* Data of one piece with words of their own.  The owner fills the first four fields; 'base' and 'end' are multiples of the
 * granule. */
struct dvmrt_region {
  uintptr_t base, end;
  uint32_t shift;       /* log2 of the granule's bytes */
  uint32_t *words;      /* owned by the region's owner */
  uint32_t losses;      /* counts what takes their value from words */
  uint32_t gains;       /* .. and what may give them one: at least one in each nest that writes, one for each write elsewhere */
  struct dvmrt_page *whole; /* shadow.c's: record of the pages that lie inside altogether */
};

/* A word that says: zero by calloc.  A value for all, except for an array that becomes distributed. */
enum { DVMRT_W_ZERO = 1024 };

/* Words of the first part of [a, a + n). */
struct dvmrt_span {
  uint32_t *words;   /* NULL: nothing known, all assigned */
  uint32_t count;
  uintptr_t end;     /* end of that part, at most a + n */
  struct dvmrt_region *region; /* or NULL */
};

/* A bit for each GiB of memory in which something is known to lie: objects, or words.  Most words that are looked through for pointers
 * lead elsewhere. */
extern uint64_t dvmrt_shadow_known[(1 << 17) / 64];
static inline bool dvmrt_shadow_is_known(uintptr_t a) { return dvmrt_shadow_known[(a >> 36) & 0x7ff] >> (a >> 30 & 63) & 1; }
/* Inside dvmrt_mem_enter. */
static inline void dvmrt_shadow_know(uintptr_t a) {
  if (!dvmrt_shadow_is_known(a))
    dvmrt_shadow_known[(a >> 36) & 0x7ff] |= (uint64_t)1 << (a >> 30 & 63);
}

/* May be called any number of times; the first one fills the page table. */
void dvmrt_shadow_init(void);
/* All below inside dvmrt_mem_enter. */
/* 'create': make words where nothing is known (they say assigned); else 'words' is NULL there. */
void dvmrt_shadow_span(uintptr_t a, uint64_t n, bool create, struct dvmrt_span *s);
/* Words of an access that needs no change of the page and no lock: '*count' words, or NULL with '*count' = 1 where all is
 * assigned.  '*count' = 0: ask dvmrt_shadow_span. */
uint32_t *dvmrt_shadow_peek(uintptr_t a, uint64_t n, uint32_t *count);
/* Sets all words of the range, those of regions too. */
void dvmrt_shadow_fill(uintptr_t a, uint64_t n, uint32_t word);
/* Forgets the words of ordinary memory in the range: all assigned. */
void dvmrt_shadow_drop(uintptr_t a, uint64_t n);
/* What src does not have, dst does not have after it; what it has gets 'word'.  May overlap, as memmove.
 * Ordinary data whose words are from 'base' on become 'lost' if they lose their value. */
void dvmrt_shadow_copy(uintptr_t dst, uintptr_t src, uint64_t n, uint32_t word, uint32_t base, uint32_t lost);
/* Sets valueless words in the range to 'word'; calls of unknown code are answered with it. */
void dvmrt_shadow_settle(uintptr_t a, uint64_t n, uint32_t word);
/* Is the range known to have been settled since anything in it lost its value?  A cheap question, of large ranges. */
bool dvmrt_shadow_settled(uintptr_t a, uint64_t n);
/* Word of the granule at 'a'; ASSIGNED where nothing is known. */
uint32_t dvmrt_shadow_word(uintptr_t a);

/* Has all of it a value, and is none of it in a region?  (Zeros by calloc are none where an array may come to lie.) */
bool dvmrt_shadow_certain(uintptr_t a, uint64_t n);

/* Are there neither words nor regions in the range?  What is in doubt has no value then, the rest has one. */
bool dvmrt_shadow_told_by_bits(uintptr_t a, uint64_t n);
/* Makes words where the map of doubts alone tells; doubt.c's. */
void dvmrt_shadow_leave_bits(uintptr_t a, uint64_t n);

void dvmrt_shadow_region_add(struct dvmrt_region *r);
void dvmrt_shadow_region_remove(struct dvmrt_region *r);
/* The owner has taken the value from some of its words. */
void dvmrt_shadow_lost(struct dvmrt_region *r);
/* First region that meets [a, a + n), or NULL. */
struct dvmrt_region *dvmrt_shadow_region_in(uintptr_t a, uint64_t n);
/* Calls f for each piece of stored words in the process, regions excepted. */
void dvmrt_shadow_each(void (*f)(uint32_t *words, size_t count));
/* Bytes of words held for ordinary memory. */
uint64_t dvmrt_shadow_bytes(void);

static inline uintptr_t dvmrt_shadow_entry(uintptr_t a) {
  return __atomic_load_n(&__dvmrt_pages[(a >> 30) & 0x1ffff][(a >> 12) & 0x3ffff], __ATOMIC_RELAXED);
}
/* The entry of pages without words of which only what is in doubt has no value. */
extern struct dvmrt_page dvmrt_shadow_by_bits;
static inline uintptr_t dvmrt_shadow_entry_by_bits(void) { return (uintptr_t)&dvmrt_shadow_by_bits | 3; }
/* For codes 1 and 2. */
static inline uint32_t *dvmrt_shadow_at(uintptr_t entry, uintptr_t a) {
  return (uint32_t *)((entry & ~(uintptr_t)3) + ((a >> ((entry & 3) + 1)) << 2));
}
#endif
