/* Where a pointer leads, as a word of a trace that is the same whatever the addresses of a run are: 0 null, 1 somewhere (nobody knows the
 * object), else an object and the signed distance from its beginning in bytes. */
#ifndef DVMT_LEAD_H
#define DVMT_LEAD_H
#include <stdbool.h>
#include <stdint.h>

#define DVMT_LEAD_KNOWN (1ull << 63)
#define DVMT_LEAD_NAMED (1ull << 62) /* a variable: the number is a hash of its name; else of the allocation, from 1 */
enum { DVMT_LEAD_SHIFT = 36, DVMT_LEAD_NUMBERS = 1 << 26, DVMT_SITE_LEADS = 8 };

/* 'named' or 0, number, distance; 1 where it finds no room. */
static inline uint64_t dvmt_lead(uint64_t named, uint64_t number, int64_t distance) {
  const int64_t most = (int64_t)1 << (DVMT_LEAD_SHIFT - 1);
  if (number >= DVMT_LEAD_NUMBERS || distance >= most || distance < -most)
    return 1;
  return DVMT_LEAD_KNOWN | named | number << DVMT_LEAD_SHIFT | ((uint64_t)distance & ((1ull << DVMT_LEAD_SHIFT) - 1));
}
static inline bool dvmt_lead_known(uint64_t word) { return word >> 63; }
/* The object alone: unlike that of every other one. */
static inline uint32_t dvmt_lead_object(uint64_t word) { return (uint32_t)(word >> DVMT_LEAD_SHIFT); }
/* The beginning of a variable that stands right behind the end of another (a hash too): nobody knows which of them is meant. */
static inline uint64_t dvmt_lead_seam(uint64_t number, uint64_t before) {
  return DVMT_LEAD_KNOWN | DVMT_LEAD_NAMED | number << DVMT_LEAD_SHIFT | 1ull << (DVMT_LEAD_SHIFT - 1) | before;
}
static inline bool dvmt_lead_is_seam(uint64_t word) {
  return (word & DVMT_LEAD_NAMED) && (word >> 26 & ((1u << (DVMT_LEAD_SHIFT - 26)) - 1)) == 1u << (DVMT_LEAD_SHIFT - 1 - 26);
}
static inline int64_t dvmt_lead_distance(uint64_t word) {
  if (dvmt_lead_is_seam(word))
    return 0;
  return (int64_t)(word << (64 - DVMT_LEAD_SHIFT)) >> (64 - DVMT_LEAD_SHIFT);
}
static inline uint32_t dvmt_lead_hash(const char *name) {
  uint32_t h = 2166136261u;
  for (; *name; name++)
    h = (h ^ (unsigned char)*name) * 16777619u;
  return (h ^ h >> 26) & (DVMT_LEAD_NUMBERS - 1);
}
#endif
