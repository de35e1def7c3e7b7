#include "pass/directive/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE 2048 /* holds all of a directive of the usual length */

struct dvm_arena_block {
  struct dvm_arena_block *before;
  size_t used, size;
  alignas(max_align_t) unsigned char bytes[];
};

static struct dvm_arena_block *block_create(struct dvm_arena *arena, size_t size) {
  if (size < BLOCK_SIZE)
    size = BLOCK_SIZE;
  struct dvm_arena_block *block = malloc(sizeof *block + size);
  if (!block)
    return NULL;
  block->before = arena->last;
  block->used = 0;
  block->size = size;
  return arena->last = block;
}

void *dvm_arena_alloc(struct dvm_arena *arena, size_t size) {
  size = (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
  struct dvm_arena_block *block = arena->last;
  if (!block || block->size - block->used < size)
    block = block_create(arena, size);
  if (!block)
    return NULL;
  void *at = block->bytes + block->used;
  block->used += size;
  return memset(at, 0, size);
}

int dvm_arena_push(struct dvm_arena *arena, void *array, unsigned *count, const void *item, size_t size) {
  void *items;
  memcpy(&items, array, sizeof items); /* 'array' points to a pointer of another type */
  if ((*count & (*count - 1)) == 0) {  /* 0 or a power of two: full */
    void *more = dvm_arena_alloc(arena, size * (*count ? 2 * (size_t)*count : 1));
    if (!more)
      return -ENOMEM;
    if (*count)
      memcpy(more, items, size * *count);
    items = more;
    memcpy(array, &items, sizeof items);
  }
  memcpy((unsigned char *)items + size * (*count)++, item, size);
  return 0;
}

void dvm_arena_fini(struct dvm_arena *arena) {
  while (arena->last) {
    struct dvm_arena_block *before = arena->last->before;
    free(arena->last);
    arena->last = before;
  }
}
