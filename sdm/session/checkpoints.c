#define _GNU_SOURCE
#include "sdm/session/checkpoints.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SAVE_MS 600000u /* images of many gigabytes; ^C ends the wait */

/* Beside this program where it is installed, in the folder 'mpir' of a build tree. */
static bool find_command(const char *name, char path[PATH_MAX]) {
  static const char *const places[] = {"%s/%s", "%s/../mpir/%s"};
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  self[n > 0 ? n : 0] = 0;
  char *slash = strrchr(self, '/');
  if (slash)
    *slash = 0;
  for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
    if (snprintf(path, PATH_MAX, places[i], self, name) < PATH_MAX && !access(path, X_OK))
      return true;
  return false;
}

json_t *sdm_checkpointable_words(const char *const *options, struct dvm_error *err) {
  char path[PATH_MAX];
  if (!find_command("dvm-run", path)) {
    dvm_error_set(err, -ENOENT, "there is no 'dvm-run' beside this program: programs cannot be made checkpointable");
    return NULL;
  }
  json_t *words = json_pack("[s, s]", path, "--checkpointable");
  for (; *options; options++)
    json_array_append_new(words, json_string(*options));
  json_array_append_new(words, json_string("--"));
  return words;
}

static void put_quoted(struct dvm_text *t, const char *s) {
  dvm_text_add(t, "'");
  for (; *s; s++)
    if (*s == '\'')
      dvm_text_add(t, "'\\''");
    else
      dvm_text_add_n(t, s, 1);
  dvm_text_add(t, "'");
}

const char *sdm_restart_words(void) {
  static struct dvm_text t = DVM_TEXT_INIT;
  char path[PATH_MAX];
  dvm_text_clear(&t);
  if (find_command("dvm-restart", path))
    put_quoted(&t, path);
  else
    dvm_text_add(&t, "dvm restart");
  dvm_text_add(&t, " --crdebug");
  return dvm_text_str(&t);
}

char *sdm_handle_of(const char *typed) {
  char *path = realpath(typed, NULL);
  struct dvm_text t = DVM_TEXT_INIT;
  if (path)
    put_quoted(&t, path);
  else
    dvm_text_add(&t, typed); /* as a command has told it: a word or more of the shell's */
  free(path);
  char *handle = sdm_strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
  return handle;
}

void sdm_checkpoints_fini(struct sdm_checkpoints *c) {
  for (size_t i = 0; i < c->n; i++) {
    sdm_set_free(c->at[i].set);
    json_decref(c->at[i].handles);
  }
  free(c->at);
  *c = (struct sdm_checkpoints){0};
}

static struct sdm_checkpoint *find(struct sdm_checkpoints *c, json_int_t number) {
  for (size_t i = 0; i < c->n; i++)
    if (c->at[i].number == number)
      return &c->at[i];
  return NULL;
}

static json_int_t next_number(const struct sdm_checkpoints *c) { return c->n ? c->at[c->n - 1].number + 1 : 1; }

static struct sdm_checkpoint *add(struct sdm_checkpoints *c, json_int_t number, bool outside) {
  c->at = sdm_realloc(c->at, (c->n + 1) * sizeof(*c->at));
  c->at[c->n] = (struct sdm_checkpoint){number, time(NULL), sdm_set_new(), json_array(), outside};
  return &c->at[c->n++];
}

json_int_t sdm_checkpoints_note(struct sdm_session *s, const struct sdm_set *ids, json_int_t number, const char *handle) {
  struct sdm_checkpoint *k = number ? find(&s->checkpoints, number) : NULL;
  struct sdm_set_iter it = sdm_set_iter(ids);
  sdm_id id;
  if (!k)
    k = add(&s->checkpoints, number ? number : next_number(&s->checkpoints), !number);
  while (sdm_set_iter_id(&it, &id)) {
    while (json_array_size(k->handles) <= id)
      json_array_append_new(k->handles, json_null());
    json_array_set_new(k->handles, id, json_string(handle));
  }
  sdm_set_union(k->set, ids);
  return k->number;
}

static void note_answer(struct sdm_session *s, const struct sdm_answer *a) {
  for (size_t i = 0; i < a->n; i++) {
    json_t *r = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    const char *handle = json_string_value(json_object_get(r, "handle"));
    if (handle)
      sdm_checkpoints_note(s, a->classes[i].set, json_integer_value(json_object_get(r, "checkpoint")), handle);
    json_decref(r);
  }
}

struct sdm_answer *sdm_session_save(struct sdm_session *s, const struct sdm_set *to, const char *options, json_t *commands) {
  json_t *j = json_pack("{s:s, s:I, s:s}", "cmd", "checkpoint", "number", next_number(&s->checkpoints), "options", options);
  if (commands)
    json_object_set_new(j, "commands", commands);
  struct sdm_answer *a = sdm_session_ask(s, to, j, SDM_REDUCE_SAME, SAVE_MS);
  note_answer(s, a);
  return a;
}

static bool is_number(const char *s) {
  size_t n = strspn(s, "0123456789");
  return n && n < 10 && !s[n];
}

/* The last that all of them have, or that number. */
static struct sdm_checkpoint *choose(struct sdm_session *s, const struct sdm_set *to, const char *which, struct dvm_error *err) {
  struct sdm_checkpoint *k = is_number(which) ? find(&s->checkpoints, atoll(which)) : NULL;
  for (size_t i = s->checkpoints.n; !*which && !k && i-- > 0;)
    if (sdm_set_is_subset(to, s->checkpoints.at[i].set))
      k = &s->checkpoints.at[i];
  if (!k)
    dvm_error_set(err, -ENOENT,
                  *which ? "there is no checkpoint %s; 'checkpoint list' shows them" : "there is no checkpoint of all of them yet", which);
  else if (!sdm_set_is_subset(to, k->set)) {
    struct sdm_set *rest = sdm_set_diff(sdm_set_copy(to), k->set);
    char *ranks = sdm_set_text(rest);
    dvm_error_set(err, -ENOENT, "checkpoint %lld has no image of {%s}", (long long)k->number, ranks);
    free(ranks);
    sdm_set_free(rest);
    return NULL;
  }
  return k;
}

struct sdm_answer *sdm_session_restart(struct sdm_session *s, const struct sdm_set *to, const char *which, struct dvm_error *err) {
  json_t *j = json_pack("{s:s, s:s}", "cmd", "restart", "command", sdm_restart_words());
  if (*which && !is_number(which)) {
    char *handle = sdm_handle_of(which);
    if (sdm_set_size(to) == 1)
      json_object_set_new(j, "handle", json_string(handle));
    else
      dvm_error_set(err, -EINVAL, "an image is of one process: name its rank before it ('p0 restart ...'), or the number of a checkpoint");
    free(handle);
  } else {
    const struct sdm_checkpoint *k = choose(s, to, which, err);
    if (k) {
      json_object_set(j, "handles", k->handles);
      json_object_set_new(j, "number", json_integer(k->number));
    }
  }
  if (err->code) {
    json_decref(j);
    return NULL;
  }
  return sdm_session_ask(s, to, j, SDM_REDUCE_SAME, SAVE_MS);
}

/* One row a rank. */
static void add_rows(json_t *list, const struct sdm_checkpoint *k) {
  struct sdm_set_iter it = sdm_set_iter(k->set);
  char when[40];
  struct tm tm;
  sdm_id id;
  strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&k->when, &tm));
  while (sdm_set_iter_id(&it, &id)) {
    char rank[16];
    snprintf(rank, sizeof(rank), "%u", id);
    json_array_append_new(list, json_pack("{s:I, s:s, s:O, s:s, s:b}", "checkpoint", k->number, "ranks", rank, "handle",
                                          json_array_get(k->handles, id), "time", when, "outside", k->outside));
  }
}

static bool is_listed(const json_t *list, const char *handle) {
  const json_t *one;
  size_t i;
  json_array_foreach(list, i, one) if (!strcmp(json_string_value(json_object_get(one, "handle")), handle)) return true;
  return false;
}

json_t *sdm_session_images(struct sdm_session *s, const struct sdm_set *of) {
  json_t *list = json_array(), *others = json_array(), *one;
  size_t i;
  for (i = 0; i < s->checkpoints.n; i++)
    add_rows(list, &s->checkpoints.at[i]);
  struct sdm_answer *a = sdm_session_ask(s, of, json_pack("{s:s}", "cmd", "images"), SDM_REDUCE_SAME, 60000);
  for (size_t k = 0; k < a->n; k++) {
    json_t *r = a->classes[k].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[k]) : NULL;
    char *ranks = sdm_set_text(a->classes[k].set);
    json_array_foreach(json_object_get(r, "images"), i, one) if (json_is_string(one) && !is_listed(list, json_string_value(one)))
        json_array_append_new(others, json_pack("{s:s, s:O}", "ranks", ranks, "handle", one));
    free(ranks);
    json_decref(r);
  }
  sdm_answer_free(a);
  json_array_extend(list, others);
  json_decref(others);
  return list;
}
