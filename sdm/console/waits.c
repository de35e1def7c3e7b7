#include "sdm/console/waits.h"

#include <stdlib.h>
#include <string.h>

#include "sdm/console/show_private.h"

#define SHOWN_MAX 8 /* operations of one rank */

struct wait {
  sdm_id rank;
  json_t *record;        /* owned: what the rank's gdb says (queues.py, dvm_waits) */
  struct sdm_set *all;   /* it waits for each of them */
  struct sdm_set *any;   /* .. or for one of them */
  struct dvm_text what;  /* for people */
  bool shown;
};

struct waits {
  struct sdm_session *s;
  struct wait *items; /* [n], by rank */
  size_t n, in_mpi;
  struct sdm_set *stuck; /* those who cannot go on by what is known */
};

static const char *text_of(const json_t *j, const char *key) {
  const char *s = json_string_value(json_object_get(j, key));
  return s ? s : "";
}
static json_int_t number_of(const json_t *j, const char *key) { return json_integer_value(json_object_get(j, key)); }
static bool in_mpi(const struct wait *w) { return *text_of(w->record, "call"); }

/* ---- what the ranks say ---- */

static int by_rank(const void *a, const void *b) {
  sdm_id x = ((const struct wait *)a)->rank, y = ((const struct wait *)b)->rank;
  return (x > y) - (x < y);
}

static void take_lines(struct waits *w, const struct sdm_class *c) {
  const char *p = (const char *)c->body.p, *end = p + c->body.len;
  while (p < end) {
    const char *nl = memchr(p, '\n', (size_t)(end - p));
    size_t n = nl ? (size_t)(nl - p) : (size_t)(end - p);
    json_t *j = json_loadb(p, n, 0, NULL);
    if (json_is_object(j)) {
      w->items = sdm_realloc(w->items, (w->n + 1) * sizeof(*w->items));
      w->items[w->n++] =
          (struct wait){.rank = (sdm_id)number_of(j, "rank"), .record = json_incref(j), .all = sdm_set_new(), .any = sdm_set_new()};
      w->in_mpi += in_mpi(&w->items[w->n - 1]);
    }
    json_decref(j);
    p += n + 1;
  }
}

static void fini(struct waits *w) {
  for (size_t i = 0; i < w->n; i++) {
    json_decref(w->items[i].record);
    sdm_set_free(w->items[i].all);
    sdm_set_free(w->items[i].any);
    dvm_text_fini(&w->items[i].what);
  }
  sdm_set_free(w->stuck);
  free(w->items);
}

static struct wait *find(const struct waits *w, sdm_id rank) {
  struct wait key = {.rank = rank};
  return w->n ? bsearch(&key, w->items, w->n, sizeof(*w->items), by_rank) : NULL;
}

/* ---- what follows ---- */

static struct sdm_set *members_of(const json_t *comm) {
  struct sdm_set *set = sdm_set_new();
  json_t *list = json_object_get(comm, "members"), *one;
  size_t i;
  json_array_foreach(list, i, one) if (json_integer_value(one) >= 0) sdm_set_add_element(set, (sdm_id)json_integer_value(one));
  if (!list && number_of(comm, "size") > 0) /* all, in their order */
    sdm_set_add_range(set, 0, (sdm_id)number_of(comm, "size") - 1);
  return set;
}

static bool collective_on(const struct wait *w, json_int_t context) {
  json_t *c = json_object_get(w->record, "context");
  return json_is_integer(c) && json_integer_value(c) == context;
}

static const char *name_of(const json_t *comm) { return *text_of(comm, "name") ? text_of(comm, "name") : "an unnamed communicator"; }

/* How many collective operations it has begun on the communicator, where its MPI counts them; else -1. */
static json_int_t begun(const struct wait *w, json_int_t context) {
  char key[24];
  snprintf(key, sizeof(key), "%lld", (long long)context);
  json_t *n = json_object_get(json_object_get(w->record, "begun"), key);
  return json_is_integer(n) ? json_integer_value(n) : -1;
}

/* Those who have begun the operation whose number 'one' waits in have come to it, wherever they are by now. */
static void wait_numbered(const struct waits *w, struct wait *one, const json_t *comm) {
  struct sdm_set *missing = members_of(comm);
  for (size_t i = 0; i < w->n; i++)
    if (begun(&w->items[i], number_of(comm, "context")) >= number_of(one->record, "number"))
      sdm_set_remove_element(missing, w->items[i].rank);
  sdm_set_remove_element(missing, one->rank);
  sdm_set_union(one->all, missing);
  dvm_text_printf(&one->what, "%s%s", name_of(comm), sdm_set_is_empty(missing) ? ", all have arrived" : "");
  sdm_set_free(missing);
}

/* It waits for those of the communicator that have not come. */
static void wait_collective(struct waits *w, struct wait *one, const json_t *comm) {
  if (json_object_get(one->record, "number")) {
    wait_numbered(w, one, comm);
    return;
  }
  struct sdm_set *missing = members_of(comm), *others = sdm_set_new();
  for (size_t i = 0; i < w->n; i++)
    if (collective_on(&w->items[i], number_of(comm, "context"))) {
      sdm_set_remove_element(missing, w->items[i].rank);
      if (strcmp(text_of(w->items[i].record, "call"), text_of(one->record, "call")))
        sdm_set_add_element(others, w->items[i].rank);
    }
  sdm_set_union(one->all, missing);
  dvm_text_printf(&one->what, "%s", name_of(comm));
  if (!sdm_set_is_empty(others)) {
    char *ranks = sdm_set_text(others);
    dvm_text_printf(&one->what, ", where {%s} are in another operation", ranks);
    free(ranks);
  } else if (sdm_set_is_empty(missing))
    dvm_text_add(&one->what, ", all have arrived");
  sdm_set_free(missing);
  sdm_set_free(others);
}

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

/* It comes back at once, and the program asks again: it does not stand there. */
static bool polls(const struct wait *one) {
  static const char *const calls[] = {"MPI_Test", "MPI_Iprobe", "MPI_Improbe", "MPI_Request_get_status"};
  for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
    if (begins(text_of(one->record, "call"), calls[i]))
      return true;
  return false;
}

/* Whether the call may wait for this queue: a receive does not wait for what is sent. */
static bool concerns(const char *call, const char *queue) {
  if (*queue == 'u' || strstr(call, "robe")) /* Probe, Iprobe, Mprobe: for messages, not for what has been asked for */
    return false;
  bool sends = begins(call, "MPI_Send") || begins(call, "MPI_Ssend") || begins(call, "MPI_Bsend") || begins(call, "MPI_Rsend");
  bool receives = begins(call, "MPI_Recv") || begins(call, "MPI_Mrecv");
  if (begins(call, "MPI_Sendrecv"))
    return true;
  return *queue == 's' ? !receives : !sends;
}

static void add_operation(struct wait *one, const json_t *comm, const char *queue, const json_t *op, bool only_one) {
  json_int_t world = number_of(op, "world");
  json_t *tag = json_object_get(op, "tag");
  bool wild = world < 0;
  struct sdm_set *from = wild ? members_of(comm) : sdm_set_new();
  if (!wild)
    sdm_set_add_element(from, (sdm_id)world);
  else
    sdm_set_remove_element(from, one->rank);
  sdm_set_union(wild || !only_one ? one->any : one->all, from);
  sdm_set_free(from);
  dvm_text_printf(&one->what, "%s%s ", one->what.len ? "; " : "", *queue == 's' ? "send to" : "receive from");
  if (wild)
    dvm_text_add(&one->what, "any");
  else
    dvm_text_printf(&one->what, "%lld", (long long)world);
  if (json_is_integer(tag))
    dvm_text_printf(&one->what, ", tag %lld", (long long)json_integer_value(tag));
  else
    dvm_text_add(&one->what, ", any tag");
  dvm_text_printf(&one->what, ", %lld byte%s, %s", (long long)number_of(op, "bytes"), number_of(op, "bytes") == 1 ? "" : "s",
                  name_of(comm));
}

/* What has come and does not match what it waits for: mostly the mistake itself. */
static void add_unexpected(struct wait *one) {
  json_t *comm, *op;
  size_t i, k, shown = 0;
  json_array_foreach(json_object_get(one->record, "communicators"), i, comm)
      json_array_foreach(json_object_get(json_object_get(comm, "queues"), "unexpected"), k, op) if (shown++ < SHOWN_MAX)
          dvm_text_printf(&one->what, "; no receive matches the message from %lld, tag %lld, %lld byte%s, %s",
                          (long long)number_of(op, "world"), (long long)number_of(op, "tag"), (long long)number_of(op, "bytes"),
                          number_of(op, "bytes") == 1 ? "" : "s", name_of(comm));
  if (shown > SHOWN_MAX)
    dvm_text_printf(&one->what, "; nor for %zu more", shown - SHOWN_MAX);
}

static size_t count_operations(const struct wait *one) {
  json_t *comm, *list;
  const char *queue;
  size_t i, n = 0;
  json_array_foreach(json_object_get(one->record, "communicators"), i, comm)
      json_object_foreach(json_object_get(comm, "queues"), queue, list) n +=
      concerns(text_of(one->record, "call"), queue) ? json_array_size(list) : 0;
  return n;
}

static void wait_point_to_point(struct wait *one) {
  const char *call = text_of(one->record, "call"), *queue;
  size_t n = count_operations(one), i, k, shown = 0;
  bool each = n <= 1 || begins(call, "MPI_Waitall") || begins(call, "MPI_Testall") ||
              begins(call, "MPI_Sendrecv"); /* else it may be for one of them alone */
  json_t *comm, *list, *op;
  json_array_foreach(json_object_get(one->record, "communicators"), i, comm)
      json_object_foreach(json_object_get(comm, "queues"), queue, list)
          json_array_foreach(list, k, op) if (concerns(call, queue) && shown++ < SHOWN_MAX) add_operation(one, comm, queue, op, each);
  if (shown > SHOWN_MAX)
    dvm_text_printf(&one->what, "; and %zu more", shown - SHOWN_MAX);
  add_unexpected(one);
}

static void conclude(struct waits *w, struct wait *one) {
  json_t *comm, *context = json_object_get(one->record, "context");
  size_t i;
  if (*text_of(one->record, "why"))
    dvm_text_printf(&one->what, "for which rank is unknown: %s", text_of(one->record, "why"));
  else if (json_is_integer(context)) {
    json_array_foreach(json_object_get(one->record, "communicators"), i,
                       comm) if (number_of(comm, "context") == json_integer_value(context)) wait_collective(w, one, comm);
  } else
    wait_point_to_point(one);
  if (!one->what.len && !polls(one))
    dvm_text_add(&one->what, "for which rank is unknown");
}

/* Could the rank go on by what is known: it is not in MPI, or polls, or those for whom it waits can.  Who has ended, or is dead, sends nothing. */
static bool may_go_on(const struct waits *w, sdm_id rank, const struct sdm_set *stuck) {
  const struct sdm_session *s = w->s;
  if (!find(w, rank))
    return !sdm_set_contains(s->exited, rank) && !sdm_set_contains(s->dead, rank);
  return !sdm_set_contains(stuck, rank);
}

/* Those of whom none can go on unless another of them does. */
static struct sdm_set *stuck_ranks(const struct waits *w) {
  struct sdm_set *stuck = sdm_set_new();
  for (size_t i = 0; i < w->n; i++)
    if (in_mpi(&w->items[i]) && !polls(&w->items[i]))
      sdm_set_add_element(stuck, w->items[i].rank);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < w->n; i++) {
      const struct wait *one = &w->items[i];
      bool all = true, any = sdm_set_is_empty(one->any);
      sdm_id id;
      if (!sdm_set_contains(stuck, one->rank))
        continue;
      struct sdm_set_iter it = sdm_set_iter(one->all);
      while (sdm_set_iter_id(&it, &id))
        all &= may_go_on(w, id, stuck);
      it = sdm_set_iter(one->any);
      while (sdm_set_iter_id(&it, &id))
        any |= may_go_on(w, id, stuck);
      if (all && any) {
        sdm_set_remove_element(stuck, one->rank);
        changed = true;
      }
    }
  }
  return stuck;
}

/* Follows the waits from 'rank' on.  'path' [*n] gets the ranks; true: it has come back to one of them. */
static bool walk(const struct waits *w, sdm_id rank, sdm_id *path, size_t *n, struct sdm_set *seen) {
  for (size_t i = 0; i < *n; i++)
    if (path[i] == rank) {
      memmove(path, path + i, (*n - i) * sizeof(*path));
      *n -= i;
      return true;
    }
  const struct wait *one = find(w, rank);
  if (!one || sdm_set_contains(seen, rank) || !sdm_set_contains(w->stuck, rank))
    return false;
  sdm_set_add_element(seen, rank);
  path[(*n)++] = rank;
  struct sdm_set_iter it = sdm_set_iter(sdm_set_is_empty(one->all) ? one->any : one->all);
  for (sdm_id next; sdm_set_iter_id(&it, &next);)
    if (*n < w->n + 1 && walk(w, next, path, n, seen))
      return true;
  (*n)--;
  return false;
}

/* ---- what is shown ---- */

static void put_place(struct dvm_text *t, const json_t *record) {
  if (*text_of(record, "file"))
    dvm_text_printf(t, "%s at %s:%lld%s%s", text_of(record, "func"), text_of(record, "file"), (long long)number_of(record, "line"),
                    *text_of(record, "from") ? ", from " : "", text_of(record, "from"));
  else
    dvm_text_add(t, "a place without source");
}

static bool alike(const struct wait *a, const struct wait *b) {
  return !strcmp(text_of(a->record, "call"), text_of(b->record, "call")) &&
         !strcmp(text_of(a->record, "file"), text_of(b->record, "file")) && number_of(a->record, "line") == number_of(b->record, "line") &&
         !strcmp(text_of(a->record, "from"), text_of(b->record, "from")) && sdm_set_equal(a->all, b->all) &&
         sdm_set_equal(a->any, b->any) && !strcmp(dvm_text_str((struct dvm_text *)&a->what), dvm_text_str((struct dvm_text *)&b->what));
}

static void wait_json(const struct sdm_show *show, const struct wait *one, const struct sdm_set *who) {
  json_t *j = json_pack("{s:s, s:s, s:s, s:s, s:I, s:s}", "waits", text_of(one->record, "call"), "from", text_of(one->record, "from"),
                        "func", text_of(one->record, "func"), "file", text_of(one->record, "file"), "line", number_of(one->record, "line"),
                        "what", dvm_text_str((struct dvm_text *)&one->what));
  sdm_show_ranks(j, "ranks", who);
  sdm_show_ranks(j, "for", one->all);
  sdm_show_ranks(j, "any", one->any);
  sdm_show_json(show, j);
}

static void wait_text(const struct sdm_show *show, const struct wait *one, const struct sdm_set *who) {
  struct dvm_text t = DVM_TEXT_INIT;
  char *all = sdm_set_text(one->all), *any = sdm_set_text(one->any);
  put_place(&t, one->record);
  sdm_show_head(show, who);
  fprintf(show->out, "%s, called in %s: ", text_of(one->record, "call"), dvm_text_str(&t));
  const char *word = polls(one) ? "polls repeatedly for" : "waits for";
  if (*all)
    fprintf(show->out, "%s {%s}", word, all);
  if (*any)
    fprintf(show->out, "%s%s one of {%s}", *all ? ", " : "", word, any);
  if (!*all && !*any && polls(one))
    fprintf(show->out, "returns at once and is called repeatedly%s", one->what.len ? " " : "");
  fprintf(show->out, !one->what.len ? "\n" : *all || *any || polls(one) ? " (%s)\n" : "%s\n", dvm_text_str((struct dvm_text *)&one->what));
  free(all);
  free(any);
  dvm_text_fini(&t);
}

static void show_waits(struct waits *w, const struct sdm_show *show) {
  for (size_t i = 0; i < w->n; i++) {
    struct wait *one = &w->items[i];
    if (!in_mpi(one) || one->shown)
      continue;
    struct sdm_set *who = sdm_set_new();
    for (size_t k = i; k < w->n; k++)
      if (in_mpi(&w->items[k]) && !w->items[k].shown && alike(one, &w->items[k])) {
        w->items[k].shown = true;
        sdm_set_add_element(who, w->items[k].rank);
      }
    (show->json ? wait_json : wait_text)(show, one, who);
    sdm_set_free(who);
  }
}

static bool show_cycle(struct waits *w, const struct sdm_show *show) {
  sdm_id *path = sdm_alloc((w->n + 2) * sizeof(*path));
  struct sdm_set *seen = sdm_set_new();
  size_t n = 0;
  bool found = false;
  for (size_t i = 0; i < w->n && !found; i++) {
    n = 0;
    found = walk(w, w->items[i].rank, path, &n, seen);
  }
  if (found && show->json) {
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
      json_array_append_new(list, json_integer(path[i]));
    sdm_show_json(show, json_pack("{s:o}", "cycle", list));
  } else if (found) {
    fprintf(show->out, "a cycle, which cannot end unless a message is in transit: ");
    for (size_t i = 0; i < n; i++)
      fprintf(show->out, "%u -> ", path[i]);
    fprintf(show->out, "%u\n", path[0]);
  }
  sdm_set_free(seen);
  free(path);
  return found;
}

/* Of a collective operation that most have come to: who has left it out, or is not there yet, and is in MPI elsewhere. */
static void show_left_out(struct waits *w, const struct sdm_show *show) {
  for (size_t i = 0; i < w->n; i++) {
    const struct wait *late = &w->items[i], *there = NULL;
    struct dvm_text t = DVM_TEXT_INIT;
    for (size_t k = 0; k < w->n && !there && in_mpi(late); k++)
      if (json_is_integer(json_object_get(w->items[k].record, "context")) && sdm_set_contains(w->items[k].all, late->rank))
        there = &w->items[k];
    if (!there)
      continue;
    dvm_text_printf(&t, "has not reached %s of %s", text_of(there->record, "call"), dvm_text_str((struct dvm_text *)&there->what));
    dvm_text_printf(&t, ": it is in %s, called in ", text_of(late->record, "call"));
    put_place(&t, late->record);
    if (show->json)
      sdm_show_json(show, json_pack("{s:I, s:s, s:s}", "left_out_by", (json_int_t)late->rank, "call", text_of(there->record, "call"), "why",
                                    dvm_text_str(&t)));
    else
      fprintf(show->out, "{%u} %s\n", late->rank, dvm_text_str(&t));
    dvm_text_fini(&t);
  }
}

/* Who is waited for and is not in MPI: there the reason lies, if not in a cycle. */
static void show_outside(struct waits *w, const struct sdm_show *show) {
  struct sdm_set *wanted = sdm_set_new();
  for (size_t i = 0; i < w->n; i++) {
    sdm_set_union(wanted, w->items[i].all);
    sdm_set_union(wanted, w->items[i].any);
  }
  struct sdm_set_iter it = sdm_set_iter(wanted);
  for (sdm_id rank; sdm_set_iter_id(&it, &rank);) {
    const struct wait *one = find(w, rank);
    struct dvm_text t = DVM_TEXT_INIT;
    if (one && in_mpi(one))
      continue;
    if (one) {
      dvm_text_add(&t, "is not in MPI, but in ");
      put_place(&t, one->record);
    } else
      dvm_text_add(&t, sdm_set_contains(w->s->exited, rank)    ? "has ended"
                       : sdm_set_contains(w->s->running, rank) ? "is running; stop it to see where"
                       : sdm_set_contains(w->s->dead, rank)    ? "is dead"
                                                               : "was not asked");
    if (show->json)
      sdm_show_json(show, json_pack("{s:I, s:s}", "waited_for", (json_int_t)rank, "why", dvm_text_str(&t)));
    else
      fprintf(show->out, "{%u} is waited for and %s\n", rank, dvm_text_str(&t));
    dvm_text_fini(&t);
  }
  sdm_set_free(wanted);
}

static void show_queue(FILE *out, const char *name, const json_t *list) {
  json_t *op;
  size_t i;
  json_array_foreach((json_t *)list, i, op) {
    json_t *tag = json_object_get(op, "tag");
    fprintf(out, "    %-10s  %s ", name, !strcmp(name, "send") ? "to" : "from");
    if (number_of(op, "peer") < 0)
      fprintf(out, "any");
    else
      fprintf(out, "%lld", (long long)number_of(op, "peer"));
    if (number_of(op, "peer") >= 0 && number_of(op, "peer") != number_of(op, "world"))
      fprintf(out, " (%lld of all)", (long long)number_of(op, "world"));
    if (json_is_integer(tag))
      fprintf(out, "  tag %lld", (long long)json_integer_value(tag));
    else
      fprintf(out, "  any tag");
    fprintf(out, "  %lld bytes\n", (long long)number_of(op, "bytes"));
  }
}

bool sdm_show_queues(FILE *out, const json_t *result) {
  json_t *comms = json_object_get(result, "communicators"), *comm, *list;
  const char *queue;
  size_t i;
  if (!comms)
    return false;
  fprintf(out, "\n");
  json_array_foreach(comms, i, comm) {
    fprintf(out, "  %s, rank %lld of %lld%s\n", name_of(comm), (long long)number_of(comm, "rank"), (long long)number_of(comm, "size"),
            json_object_size(json_object_get(comm, "queues")) ? "" : ": nothing pending outside of collective operations");
    json_object_foreach(json_object_get(comm, "queues"), queue, list) show_queue(out, queue, list);
  }
  return true;
}

size_t sdm_waits_show(struct sdm_session *s, const struct sdm_show *show, const struct sdm_set *to, uint32_t timeout_ms, bool quiet) {
  struct waits w = {.s = s};
  struct sdm_set *stand = sdm_set_intersect(sdm_set_copy(to), s->stopped);
  json_t *command = json_pack("{s:s, s:s, s:s}", "cmd", "inspect", "what", "waits", "reduce", "lines");
  struct sdm_answer *a = sdm_session_ask(s, stand, command, SDM_REDUCE_CONCAT, timeout_ms);
  for (size_t i = 0; i < a->n; i++)
    if (a->classes[i].kind == SDM_CLASS_OK)
      take_lines(&w, &a->classes[i]);
    else if (!quiet)
      sdm_show_class_error(show, &a->classes[i]);
  if (w.n)
    qsort(w.items, w.n, sizeof(*w.items), by_rank);
  for (size_t i = 0; i < w.n; i++)
    if (in_mpi(&w.items[i]))
      conclude(&w, &w.items[i]);
  if (w.in_mpi && quiet && !show->json)
    fprintf(show->out, "== who waits for whom\n");
  w.stuck = stuck_ranks(&w);
  show_outside(&w, show); /* mostly the reason, so it comes first */
  show_left_out(&w, show);
  show_waits(&w, show);
  show_cycle(&w, show);
  if (!w.in_mpi && !quiet)
    sdm_show_error(show, !sdm_set_is_empty(stand)        ? "none of them is in MPI"
                         : !sdm_set_is_empty(s->running) ? "they are running; 'interrupt' stops them"
                                                         : "none of them is stopped");
  if (!quiet && !show->json)
    sdm_show_missing(show, a);
  fflush(show->out);
  size_t n = w.in_mpi;
  fini(&w);
  sdm_answer_free(a);
  sdm_set_free(stand);
  return n;
}
