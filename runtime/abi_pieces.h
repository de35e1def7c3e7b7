/* The part of abi.h that few need. */
#ifndef DVMRT_ABI_PIECES_H
#define DVMRT_ABI_PIECES_H
#include "runtime/export.h"
#include <stdbool.h>

/* Asked outside of nests before __dvmrt_turns. */
struct dvmrt_pieces { /* 'bytes' at first[n] in the first turn, and 'step' further in each of the others */
  int64_t step;
  uint64_t bytes;
};
/* 1: nothing of it is in doubt, and no iteration is being executed.  0: that is not known.  Not for what DVMRT_STRETCH_NAMED is set of. */
DVMRT_EXPORT int __dvmrt_certain(const struct dvmrt_pieces *pieces, uint64_t n, uint64_t turns, const uintptr_t *first);

/* Of data/doubt.c: is any byte of them in doubt? */
bool dvmrt_doubt_any_piece(const struct dvmrt_pieces *pieces, uint64_t n, uint64_t turns, const uintptr_t *first);
#endif
