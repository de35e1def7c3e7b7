/* sdm_init and sdm_connect: contexts that are set up by an argument vector and speak in messages. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/net/layer.h"
#include "sdm/net/parts.h"
#include "sdm/net/rank.h"

static const char front_end_mark;
const struct sdm_set *const SDM_SET_FRONTEND = (const struct sdm_set *)&front_end_mark; /* only its address counts */

static int number(const char *word, const char *text, unsigned long max, unsigned long *out, struct dvm_error *err) {
  char *end;
  *out = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *out <= max ? 0
                                                              : dvm_error_set(err, -EINVAL, "%s: expected a number up to %lu", word, max);
}

enum kind { TEXT, NUMBER16, NUMBER32 };

#define ROW(name, kind, member, max) {name, kind, offsetof(struct sdm_options, member), max}
static const struct {
  const char *name;
  enum kind kind;
  size_t at;
  unsigned long max;
} rows[] = {
    ROW("--host=", TEXT, host, 0),
    ROW("--rendezvous=", TEXT, rendezvous, 0),
    ROW("--port=", NUMBER16, base_port, 65535),
    ROW("--port-tries=", NUMBER16, port_tries, 65535),
    ROW("--start-timeout=", NUMBER32, start_ms, 1u << 30),
    ROW("--orphan=", NUMBER32, orphan_ms, 1u << 30),
    ROW("--ping=", NUMBER32, ping_ms, 1u << 30),
};

static int take_row(struct sdm_options *o, const char *word, struct dvm_error *err) {
  unsigned long v;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const char *value = word + strlen(rows[i].name);
    if (strncmp(word, rows[i].name, strlen(rows[i].name)))
      continue;
    void *to = (char *)o + rows[i].at;
    if (rows[i].kind == TEXT)
      *(const char **)to = value;
    else if (number(word, value, rows[i].max, &v, err))
      return err->code;
    else if (rows[i].kind == NUMBER16)
      *(uint16_t *)to = (uint16_t)v;
    else
      *(uint32_t *)to = (uint32_t)v;
  }
  return 0;
}

static int take_words(int argc, char *const *argv, struct sdm_options *o, const char **secret_file, struct dvm_error *err) {
  unsigned long v;
  bool role = false, rank = false;
  int rc = 0;
  for (int i = 1; i < argc && !rc; i++) {
    const char *w = argv[i];
    if (!strcmp(w, "--master") || !strcmp(w, "--frontend") || !strcmp(w, "--server") || !strncmp(w, "--server=", 9)) {
      o->role = w[2] == 'm' ? SDM_ROLE_MASTER : w[2] == 'f' ? SDM_ROLE_FRONTEND : SDM_ROLE_SERVER;
      role = true;
      rank = !strncmp(w, "--server=", 9);
      if (rank && !(rc = number(w, w + 9, SDM_ID_MAX, &v, err)))
        o->id = (sdm_id)v;
    } else if (!strncmp(w, "--frontend=", 11))
      o->frontend = w + 11;
    else if (!strncmp(w, "--secret-file=", 14))
      *secret_file = w + 14;
    else
      rc = take_row(o, w, err);
  }
  if (!rc && !role)
    rc = dvm_error_set(err, -EINVAL, "one of --master, --server and --frontend must be given");
  if (!rc && o->role == SDM_ROLE_SERVER && !rank)
    rc = sdm_rank_from_environment(&o->id, err);
  return rc;
}

struct sdm_ctx *sdm_init(int argc, char *const *argv, struct dvm_error *err) {
  struct sdm_options o = {.handlers = &sdm_message_handlers};
  const char *secret_file = NULL;
  if (take_words(argc, argv, &o, &secret_file, err) || sdm_secret_take(&o.secret, secret_file, "--secret-file=", err))
    return NULL;
  struct sdm_ctx *c = sdm_open(&o, err);
  sdm_secret_wipe(&o.secret);
  if (!c)
    return NULL;
  c->opt.arg = c;
  int rc = sdm_message_init(c, argc, argv);
  rc = rc ? rc : sdm_aggregate_init(c, argc, argv);
  rc = rc ? rc : sdm_route_init(c, argc, argv);
  if (!rc)
    return c;
  sdm_finalize(c);
  dvm_error_set(err, rc, "the routing table or the shape of the tree is invalid");
  return NULL;
}

/* The rows of 't' whose servers are in 'ids'. */
static void pick(const struct sdm_table *t, const struct sdm_set *ids, struct sdm_table *out) {
  *out = (struct sdm_table){.shape = t->shape, .base_port = t->base_port, .port_tries = t->port_tries};
  for (size_t i = 0; i < t->n; i++)
    if (!ids || sdm_set_contains(ids, t->entries[i].id))
      sdm_table_add(out, t->entries[i].id, t->hosts[t->entries[i].host], t->entries[i].port);
}

int sdm_connect(struct sdm_ctx *c, const struct sdm_set *ids, struct dvm_error *err) {
  struct layer *l = c->layer;
  struct sdm_table t;
  if (ids == SDM_SET_FRONTEND)
    return sdm_front_dial(c, err);
  if (!l || c->opt.role == SDM_ROLE_SERVER)
    return dvm_error_set(err, -EINVAL, "a server is connected by its parent");
  if (!l->has_table) {
    int rc = c->opt.role == SDM_ROLE_MASTER ? sdm_gather(c, l->size, c->opt.start_ms, &l->table, NULL, NULL, err)
                                            : dvm_error_set(err, -EINVAL, "there is no routing table");
    if (rc)
      return rc;
    l->has_table = true;
  }
  pick(&l->table, ids, &t);
  int rc = sdm_connect_tree(c, &t, c->opt.start_ms, NULL, err);
  sdm_table_fini(&t);
  return rc;
}
