/* What a checked program's run-time library knows, read out of the program's memory (base/facts.h) and put into JSON.
 * The memory is hostile: whatever it holds, reading ends, stays in bounds, and says what is wrong.  No state of its own: a
 * source that has not all bytes at hand answers -EAGAIN, fetches what was asked for, and the read is begun anew. */
#ifndef SDM_FACTS_H
#define SDM_FACTS_H
#include <jansson.h>
#include <stdint.h>

#include "base/error.h"

struct sdm_facts_source {
  /* 0; -EAGAIN: not yet; -EFAULT: there is no such memory. */
  int (*read)(void *arg, uint64_t at, void *to, size_t n);
  void *arg;
};

/* 'what': construct, arrays, shadow, diagnostics, stats, last (the latest diagnostic), or element (who has the one at 'address',
 * in a program that is executed in parallel); 'block' is the address of the program's __dvm_facts.  The result is docs/debug-facts.md's, and the caller's.  NULL: err has -EAGAIN, -EFAULT, -EINVAL
 * (there is no such 'what'), -ENOTSUP (this program does not know it), -ENOENT (no distributed array lies there) or -EPROTO (the block is not as it should be). */
json_t *sdm_facts_read(const struct sdm_facts_source *src, uint64_t block, const char *what, uint64_t address, struct dvm_error *err);
#endif
