/* Records of the recording thread, for the modules of this folder.  Nothing here allocates or takes a lock. */
#ifndef DVMT_EMIT_H
#define DVMT_EMIT_H
#include "runtime/trace/abi.h"
#include <stdbool.h>
#include <stddef.h>

/* Whether this thread records what is written now. */
bool dvmt_emit_wanted(void);
/* Room for a record of 'words', or NULL; then its first word. */
uint64_t *dvmt_emit_room(size_t words);
void dvmt_emit_close(uint64_t *r, const struct dvmt_site *site, enum dvmt_tag tag, size_t words);
/* A site that is new; its text stays. */
void dvmt_emit_define(struct dvmt_site *site);
/* The site is executed and not recorded: enum dvmt_why. */
void dvmt_emit_unrecorded(struct dvmt_site *site, unsigned why);
#endif
