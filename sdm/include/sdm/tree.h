/* Shape of the tree and the routing table, without any I/O.
 *
 * A node owns a slice of an ordered table of servers.  The first entry of a slice is the slice's own server; the shape
 * splits the rest into the children's slices, and each child does the same with its own.  So a subtree is always one
 * contiguous piece of the table, a child needs only its slice to build everything below it, and a grandparent can
 * take over the children of a lost child from the slice it gave. */
#ifndef SDM_TREE_H
#define SDM_TREE_H
#include "base/error.h"
#include "sdm/bytes.h"
#include "sdm/set.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sdm_shape_kind { SDM_BINOMIAL, SDM_KARY, SDM_FLAT, SDM_HOSTS };

struct sdm_shape {
  uint8_t kind;
  uint32_t k; /* children of a node (kary), or of a host's first server among hosts (hosts); 1..4096 */
};

/* "binomial", "kary:8", "flat", "hosts:8".  Returns 0 or -EINVAL. */
int sdm_shape_parse(struct sdm_shape *shape, const char *text, struct dvm_error *err);

struct sdm_entry {
  sdm_id id;
  uint32_t host; /* index into 'hosts' */
  uint16_t port; /* 0: not known, the dialler starts from the base port */
};

struct sdm_table {
  struct sdm_shape shape;
  uint16_t base_port, port_tries; /* the dialler tries base_port .. base_port + port_tries - 1 */
  size_t n, nhosts;
  struct sdm_entry *entries; /* [n], owned */
  char **hosts;              /* [nhosts], owned; a host that starts with '/' is a folder of unix sockets */
};

void sdm_table_fini(struct sdm_table *t);
/* Adds a server at the end; a host name is copied, and stored once.  Cannot fail: without memory see bytes.h. */
void sdm_table_add(struct sdm_table *t, sdm_id id, const char *host, uint16_t port);
/* A shape that suits the servers of a table: few are attached to the root, more in two or three wide levels, those of other hosts below one of
 * theirs.  Wide trees cost the least: each level is one more process that wakes for every message. */
struct sdm_shape sdm_shape_choose(const struct sdm_table *t);
/* Orders by host for shape SDM_HOSTS, by id otherwise.  Returns 0, or -EEXIST if an id occurs twice. */
int sdm_table_order(struct sdm_table *t, struct dvm_error *err);
/* Text form, a line each: "id host port".  '#' starts a comment.  Adds to 't' and orders it.  Returns 0, or with file and line in *err: -EINVAL,
 * -EEXIST, or why the file cannot be read. */
int sdm_table_read(struct sdm_table *t, const char *path, struct dvm_error *err);

/* Walks the children of the owner of entries [lo, hi): each call gives one child's slice.  'self' tells whether
 * entries[lo] is the owner itself (a server) or already the first child (the master). */
struct sdm_split {
  const struct sdm_table *table;
  size_t start, at, hi, part;
};
struct sdm_split sdm_split(const struct sdm_table *t, size_t lo, size_t hi, bool self);
bool sdm_split_next(struct sdm_split *s, size_t *lo, size_t *hi);
/* Levels below the owner of a slice of n entries. */
unsigned sdm_tree_height(const struct sdm_table *t, size_t lo, size_t hi, bool self);

void sdm_table_ids(const struct sdm_table *t, size_t lo, size_t hi, struct sdm_set *into);
/* A slice on the wire, with just the hosts it needs. */
void sdm_table_encode(const struct sdm_table *t, size_t lo, size_t hi, struct sdm_bytes *out);
/* Returns 0 or -EBADMSG; refuses ids that occur twice, unknown hosts and unprintable host names. */
int sdm_table_decode(struct sdm_table *t, struct sdm_cursor *c);
#ifdef __cplusplus
}
#endif
#endif
