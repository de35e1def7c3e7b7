/* What WHERE and FORALL of Fortran keep outside of parallel loops (pass/fortran/Masked.cpp): values of masks, in the order of the loops, and
 * what is assigned when the statement is over.  Each rank keeps its own. */
#include "runtime/parallel/fail.h"
#include "runtime/export.h"
#include <stdlib.h>
#include <string.h>

static void *grown(void *p, size_t bytes) {
  p = realloc(p, bytes);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

/* ---- masks -------------------------------------------------------------------------------------------------------------------- */

struct mask {
  unsigned char *bits;
  size_t n, room, next;
};

DVMRT_EXPORT void *__dvmp_mask_begin(void);
void *__dvmp_mask_begin(void) {
  struct mask *m = grown(NULL, sizeof(*m));
  *m = (struct mask){0};
  return m;
}

/* One more value, false. */
DVMRT_EXPORT void __dvmp_mask_step(struct mask *m);
void __dvmp_mask_step(struct mask *m) {
  if (m->n == m->room)
    m->bits = grown(m->bits, m->room = 2 * m->room + 256);
  m->bits[m->n++] = 0;
}

/* The last one. */
DVMRT_EXPORT void __dvmp_mask_set(struct mask *m, int bit);
void __dvmp_mask_set(struct mask *m, int bit) { m->bits[m->n - 1] = bit != 0; }

DVMRT_EXPORT void __dvmp_mask_again(struct mask *m);
void __dvmp_mask_again(struct mask *m) { m->next = 0; }

DVMRT_EXPORT int __dvmp_mask_next(struct mask *m);
int __dvmp_mask_next(struct mask *m) { return m->next < m->n ? m->bits[m->next++] : 0; }

DVMRT_EXPORT void __dvmp_mask_end(struct mask *m);
void __dvmp_mask_end(struct mask *m) {
  free(m->bits);
  free(m);
}

/* ---- assignments -------------------------------------------------------------------------------------------------------------- */

enum { VALUE_MAX = 32 };

struct kept {
  void *to;
  size_t bytes;
  char value[VALUE_MAX];
};

static struct {
  struct kept *at;
  size_t n, room;
} kept;

DVMRT_EXPORT void __dvmp_keep(void *to, const void *value, uint64_t bytes);
void __dvmp_keep(void *to, const void *value, uint64_t bytes) {
  if (kept.n == kept.room)
    kept.at = grown(kept.at, (kept.room = 2 * kept.room + 64) * sizeof(*kept.at));
  struct kept *k = &kept.at[kept.n++];
  *k = (struct kept){.to = to, .bytes = bytes < VALUE_MAX ? bytes : VALUE_MAX};
  memcpy(k->value, value, k->bytes);
}

/* Where a statement's begin: functions that it calls may have such statements. */
DVMRT_EXPORT int64_t __dvmp_keep_from(void);
int64_t __dvmp_keep_from(void) { return (int64_t)kept.n; }

DVMRT_EXPORT void __dvmp_assign_kept(int64_t from);
void __dvmp_assign_kept(int64_t from) {
  for (size_t i = (size_t)from; i < kept.n; i++)
    memcpy(kept.at[i].to, kept.at[i].value, kept.at[i].bytes);
  kept.n = (size_t)from;
  if (kept.n)
    return;
  free(kept.at);
  memset(&kept, 0, sizeof(kept));
}
