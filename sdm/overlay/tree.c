#include "sdm/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FANOUT_MAX 4096u
#define HOST_MAX 255u
#define WIDTH 32u /* of a tree that nobody has chosen */

int sdm_shape_parse(struct sdm_shape *shape, const char *text, struct dvm_error *err) {
  unsigned k = 8;
  int used = 0;
  if (!strcmp(text, "binomial") || !strcmp(text, "flat")) {
    *shape = (struct sdm_shape){text[0] == 'b' ? SDM_BINOMIAL : SDM_FLAT, 0};
    return 0;
  }
  bool kary = !strncmp(text, "kary", 4), hosts = !strncmp(text, "hosts", 5);
  const char *rest = text + (kary ? 4 : hosts ? 5 : 0);
  if ((kary || hosts) && (!*rest || (sscanf(rest, ":%u%n", &k, &used) == 1 && !rest[used])) && k && k <= FANOUT_MAX) {
    *shape = (struct sdm_shape){kary ? SDM_KARY : SDM_HOSTS, k};
    return 0;
  }
  return dvm_error_set(err, -EINVAL, "'%s' is not a tree shape; expected binomial, kary:K, flat or hosts:K, K up to %u", text, FANOUT_MAX);
}

struct sdm_shape sdm_shape_choose(const struct sdm_table *t) {
  if (t->n <= WIDTH)
    return (struct sdm_shape){SDM_FLAT, 0};
  return (struct sdm_shape){t->nhosts > 1 ? SDM_HOSTS : SDM_KARY, WIDTH};
}

void sdm_table_fini(struct sdm_table *t) {
  for (size_t i = 0; i < t->nhosts; i++)
    free(t->hosts[i]);
  free(t->hosts);
  free(t->entries);
  *t = (struct sdm_table){0};
}

static uint32_t host_index(struct sdm_table *t, const char *host) {
  for (size_t i = t->nhosts; i-- > 0;) /* neighbours mostly share a host */
    if (!strcmp(t->hosts[i], host))
      return (uint32_t)i;
  t->hosts = sdm_realloc(t->hosts, (t->nhosts + 1) * sizeof(char *));
  t->hosts[t->nhosts] = sdm_strdup(host);
  return (uint32_t)t->nhosts++;
}

void sdm_table_add(struct sdm_table *t, sdm_id id, const char *host, uint16_t port) {
  if ((t->n & (t->n - 1)) == 0)
    t->entries = sdm_realloc(t->entries, (t->n ? t->n * 2 : 1) * sizeof(*t->entries));
  t->entries[t->n++] = (struct sdm_entry){id, host_index(t, host), port};
}

static int by_id(const void *a, const void *b) {
  const struct sdm_entry *x = a, *y = b;
  return (x->id > y->id) - (x->id < y->id);
}

static int by_host(const void *a, const void *b) {
  const struct sdm_entry *x = a, *y = b;
  return x->host != y->host ? (x->host > y->host) - (x->host < y->host) : by_id(a, b);
}

int sdm_table_order(struct sdm_table *t, struct dvm_error *err) {
  qsort(t->entries, t->n, sizeof(*t->entries), by_id);
  for (size_t i = 1; i < t->n; i++)
    if (t->entries[i].id == t->entries[i - 1].id)
      return dvm_error_set(err, -EEXIST, "rank %u is in the routing table twice", t->entries[i].id);
  if (t->shape.kind == SDM_HOSTS)
    qsort(t->entries, t->n, sizeof(*t->entries), by_host);
  return 0;
}

int sdm_table_read(struct sdm_table *t, const char *path, struct dvm_error *err) {
  FILE *in = fopen(path, "r");
  if (!in)
    return dvm_error_errno(err, "cannot read the routing table '%s'", path);
  char line[512], host[HOST_MAX + 1];
  int rc = 0;
  for (unsigned number = 1; !rc && fgets(line, sizeof(line), in); number++) {
    unsigned id, port;
    line[strcspn(line, "#\n")] = 0;
    if (!line[strspn(line, " \t")])
      continue;
    if (sscanf(line, "%u %255s %u", &id, host, &port) != 3 || id > SDM_ID_MAX || port > 65535)
      rc = dvm_error_set(err, -EINVAL, "%s:%u: expected 'rank host port', found '%s'", path, number, line);
    else
      sdm_table_add(t, id, host, (uint16_t)port);
  }
  fclose(in);
  return rc ? rc : sdm_table_order(t, err);
}

struct sdm_split sdm_split(const struct sdm_table *t, size_t lo, size_t hi, bool self) {
  return (struct sdm_split){t, lo, lo + (self && lo < hi), hi, 0};
}

static size_t host_end(const struct sdm_table *t, size_t at, size_t hi) {
  uint32_t host = t->entries[at].host;
  while (at < hi && t->entries[at].host == host)
    at++;
  return at;
}

/* Servers of the owner's own host are its leaves; the other hosts form k near-equal parts, cut between hosts. */
static size_t hosts_part(struct sdm_split *s) {
  const struct sdm_table *t = s->table;
  if (s->at > s->start && !s->part && t->entries[s->start].host == t->entries[s->at].host)
    return s->at + 1;
  size_t parts = t->shape.k > s->part ? t->shape.k - s->part : 1;
  size_t want = s->at + (s->hi - s->at + parts - 1) / parts, end = s->at;
  while (end < want)
    end = host_end(t, end, s->hi);
  s->part++;
  return end;
}

bool sdm_split_next(struct sdm_split *s, size_t *lo, size_t *hi) {
  if (s->at >= s->hi)
    return false;
  size_t left = s->hi - s->at, end;
  switch (s->table->shape.kind) {
  case SDM_BINOMIAL:
    end = s->at + ((size_t)1 << s->part);
    s->part++;
    break;
  case SDM_KARY: {
    size_t parts = s->table->shape.k - s->part;
    end = s->at + (left + parts - 1) / parts;
    s->part++;
    break;
  }
  case SDM_HOSTS: end = hosts_part(s); break;
  default: end = s->at + 1;
  }
  *lo = s->at;
  *hi = s->at = end < s->hi ? end : s->hi;
  return true;
}

unsigned sdm_tree_height(const struct sdm_table *t, size_t lo, size_t hi, bool self) {
  struct sdm_split s = sdm_split(t, lo, hi, self);
  size_t a, b;
  unsigned height = 0, levels = 0;
  switch (t->shape.kind) { /* closed forms: the walk below would visit the whole subtree */
  case SDM_BINOMIAL:
    for (size_t n = hi - lo + !self; n > 1; n = (n + 1) / 2)
      levels++;
    return levels;
  case SDM_FLAT: return hi > lo + self;
  case SDM_KARY:
    for (size_t n = hi - lo + !self; n > 1; n = (n - 1 + t->shape.k - 1) / t->shape.k)
      levels++;
    return levels;
  default:
    while (sdm_split_next(&s, &a, &b)) {
      unsigned below = 1 + sdm_tree_height(t, a, b, true);
      height = below > height ? below : height;
    }
    return height;
  }
}

void sdm_table_ids(const struct sdm_table *t, size_t lo, size_t hi, struct sdm_set *into) {
  while (lo < hi) {
    size_t end = lo + 1;
    while (end < hi && t->entries[end].id == t->entries[end - 1].id + 1)
      end++;
    sdm_set_add_range(into, t->entries[lo].id, t->entries[end - 1].id);
    lo = end;
  }
}

void sdm_table_encode(const struct sdm_table *t, size_t lo, size_t hi, struct sdm_bytes *out) {
  uint32_t *map = sdm_alloc(t->nhosts * sizeof(*map)), used = 0;
  struct sdm_bytes hosts = {0}, body = {0};
  sdm_id next = 0;
  for (size_t i = lo; i < hi; i++) {
    const struct sdm_entry *e = &t->entries[i];
    if (!map[e->host]) {
      map[e->host] = ++used;
      sdm_bytes_block(&hosts, t->hosts[e->host], strlen(t->hosts[e->host]));
    }
    sdm_bytes_varint(&body, e->id >= next ? (uint64_t)(e->id - next) << 1 : (uint64_t)(next - e->id) << 1 | 1);
    next = e->id + 1;
    sdm_bytes_varint(&body, map[e->host] - 1);
    sdm_bytes_varint(&body, e->port);
  }
  sdm_bytes_u8(out, t->shape.kind);
  sdm_bytes_varint(out, t->shape.k);
  sdm_bytes_varint(out, t->base_port);
  sdm_bytes_varint(out, t->port_tries);
  sdm_bytes_varint(out, used);
  sdm_bytes_add(out, hosts.p, hosts.len);
  sdm_bytes_varint(out, hi - lo);
  sdm_bytes_add(out, body.p, body.len);
  sdm_bytes_fini(&hosts);
  sdm_bytes_fini(&body);
  free(map);
}

static bool host_good(const uint8_t *p, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (p[i] <= ' ' || p[i] > '~')
      return false;
  return len > 0 && len <= HOST_MAX;
}

static bool read_hosts(struct sdm_table *t, struct sdm_cursor *c) {
  uint64_t n = sdm_cursor_varint(c);
  if (c->bad || n > sdm_cursor_left(c))
    return false;
  t->hosts = sdm_alloc((size_t)n * sizeof(char *));
  while (t->nhosts < n) {
    size_t len;
    const uint8_t *p = sdm_cursor_block(c, &len);
    if (!p || !host_good(p, len))
      return false;
    char *host = sdm_alloc(len + 1);
    memcpy(host, p, len);
    t->hosts[t->nhosts++] = host;
  }
  return true;
}

static bool read_entries(struct sdm_table *t, struct sdm_cursor *c) {
  uint64_t n = sdm_cursor_varint(c);
  if (c->bad || n > sdm_cursor_left(c) / 3)
    return false;
  t->entries = sdm_alloc((size_t)n * sizeof(*t->entries));
  struct sdm_set *seen = sdm_set_new();
  uint64_t next = 0;
  bool good = true;
  for (; good && t->n < n; t->n++) {
    uint64_t step = sdm_cursor_varint(c), host = sdm_cursor_varint(c), port = sdm_cursor_varint(c);
    uint64_t id = step & 1 ? next - (step >> 1) : next + (step >> 1);
    good = !c->bad && host < t->nhosts && port <= 65535 && id <= SDM_ID_MAX && !sdm_set_contains(seen, (sdm_id)id);
    if (!good)
      break;
    sdm_set_add_element(seen, (sdm_id)id);
    t->entries[t->n] = (struct sdm_entry){(sdm_id)id, (uint32_t)host, (uint16_t)port};
    next = id + 1;
  }
  sdm_set_free(seen);
  return good;
}

int sdm_table_decode(struct sdm_table *t, struct sdm_cursor *c) {
  *t = (struct sdm_table){0};
  uint8_t kind = sdm_cursor_u8(c);
  uint64_t k = sdm_cursor_varint(c), base = sdm_cursor_varint(c), tries = sdm_cursor_varint(c);
  bool needs_k = kind == SDM_KARY || kind == SDM_HOSTS;
  if (!c->bad && kind <= SDM_HOSTS && k <= FANOUT_MAX && (k || !needs_k) && base <= 65535 && tries <= 65535) {
    t->shape = (struct sdm_shape){kind, (uint32_t)k};
    t->base_port = (uint16_t)base;
    t->port_tries = (uint16_t)tries;
    if (read_hosts(t, c) && read_entries(t, c))
      return 0;
  }
  sdm_table_fini(t);
  return -EBADMSG;
}
