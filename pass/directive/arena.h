/* Memory of one directive: many small arrays that live and die together. */
#ifndef DVM_DIRECTIVE_ARENA_H
#define DVM_DIRECTIVE_ARENA_H
#include <stddef.h>

struct dvm_arena_block;
struct dvm_arena {
  struct dvm_arena_block *last; /* NULL: nothing allocated yet */
};

/* Zeroed memory, aligned for any type, freed with the arena only.  NULL: out of memory; the arena stays usable. */
void *dvm_arena_alloc(struct dvm_arena *arena, size_t size);
/* Appends 'item' of 'size' bytes to the array (*array)[*count], which only this function may have grown.  The array may
 * move: keep no pointer into it.  Returns 0, or -ENOMEM with the array as it was. */
int dvm_arena_push(struct dvm_arena *arena, void *array, unsigned *count, const void *item, size_t size);
void dvm_arena_fini(struct dvm_arena *arena);
#endif
