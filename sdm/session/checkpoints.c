#define _GNU_SOURCE
#include "sdm/session/checkpoints.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wordexp.h>

#include "sdm/session/held.h"
#include "sdm/session/ssh.h"

#define END_US 10000000
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

const char *sdm_restart_words(void) {
  static struct dvm_text t = DVM_TEXT_INIT;
  char path[PATH_MAX];
  dvm_text_clear(&t);
  if (find_command("dvm-restart", path))
    dvm_text_add_shell_word(&t, path);
  else
    dvm_text_add(&t, "dvm restart");
  dvm_text_add(&t, " --crdebug");
  return dvm_text_str(&t);
}

char *sdm_handle_of(const char *typed) {
  char *path = realpath(typed, NULL);
  struct dvm_text t = DVM_TEXT_INIT;
  if (path)
    dvm_text_add_shell_word(&t, path);
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

/* Of a job of 'dvm run -n': all its ranks are saved, and one of those that are debugged has it done.  'of' is taken over. */
static struct sdm_answer *save_job(struct sdm_session *s, struct sdm_set *of, const char *options, json_t *commands) {
  json_int_t number = next_number(&s->checkpoints);
  struct sdm_set_iter it = sdm_set_iter(of);
  struct sdm_set *lead = sdm_set_new();
  sdm_id id;
  if (sdm_set_iter_id(&it, &id))
    sdm_set_add_element(lead, id);
  s->saves_job = true;
  struct sdm_answer *a =
      sdm_session_ask(s, lead, json_pack("{s:s, s:i, s:I, s:s}", "cmd", "checkpoint", "lead", 1, "number", number, "options", options),
                      SDM_REDUCE_SAME, SAVE_MS);
  json_t *r = a->n == 1 && a->classes[0].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[0]) : NULL;
  const char *handle = json_string_value(json_object_get(r, "handle"));
  if (handle) { /* the answer is that of all; asking has waited until each of them is held again */
    sdm_checkpoints_note(s, of, number, handle);
    struct sdm_answer *kept = sdm_session_ask(
        s, of, json_pack("{s:s, s:s, s:O*}", "cmd", "checkpoint", "points", handle, "commands", commands), SDM_REDUCE_SAME, SAVE_MS);
    struct sdm_answer *all = sdm_answer_new(SDM_REDUCE_SAME);
    sdm_answer_add(all, SDM_CLASS_OK, of, a->classes[0].body.p, a->classes[0].body.len, NULL, 0, 0);
    for (size_t i = 0; i < kept->n; i++)
      if (kept->classes[i].kind == SDM_CLASS_ERROR)
        sdm_answer_add(all, SDM_CLASS_ERROR, kept->classes[i].set, kept->classes[i].body.p, kept->classes[i].body.len, NULL, 0, 0);
    sdm_answer_free(kept);
    sdm_answer_free(a);
    a = all;
  }
  s->saves_job = false;
  json_decref(r);
  sdm_set_free(lead);
  sdm_set_free(of);
  return a;
}

/* Those whose answer says that they are ranks of a job; NULL if there are none. */
static struct sdm_set *ranks_of_job(const struct sdm_answer *a) {
  struct sdm_set *of = sdm_set_new();
  for (size_t i = 0; i < a->n; i++) {
    json_t *r = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    if (json_object_get(r, "job"))
      sdm_set_union(of, a->classes[i].set);
    json_decref(r);
  }
  if (!sdm_set_is_empty(of))
    return of;
  sdm_set_free(of);
  return NULL;
}

struct sdm_answer *sdm_session_save(struct sdm_session *s, const struct sdm_set *to, const char *options, json_t *commands) {
  json_t *j = json_pack("{s:s, s:I, s:s}", "cmd", "checkpoint", "number", next_number(&s->checkpoints), "options", options);
  if (commands)
    json_object_set(j, "commands", commands);
  struct sdm_answer *a = sdm_session_ask(s, to, j, SDM_REDUCE_SAME, SAVE_MS);
  struct sdm_set *of_job = ranks_of_job(a);
  if (of_job) {
    sdm_answer_free(a);
    a = save_job(s, of_job, options, commands);
  } else
    note_answer(s, a);
  json_decref(commands);
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

/* The folder, owned, if the handle names the snapshot of a whole job; else NULL. */
static char *job_folder(const char *handle) {
  struct dvm_text t = DVM_TEXT_INIT;
  wordexp_t words;
  char *path = NULL;
  if (!handle || wordexp(handle, &words, WRDE_NOCMD | WRDE_UNDEF))
    return NULL;
  dvm_text_printf(&t, "%s/job", words.we_wordc ? words.we_wordv[0] : "");
  if (words.we_wordc && !access(dvm_text_str(&t), R_OK))
    path = sdm_strdup(words.we_wordv[0]);
  dvm_text_fini(&t);
  wordfree(&words);
  return path;
}

/* The ranks that run now end, and with them their job; another one comes from the snapshot, of which those of the session are taken
 * up.  'j' is taken over. */
static struct sdm_answer *restart_job(struct sdm_session *s, const char *folder, json_t *j, struct dvm_error *err) {
  struct sdm_targets t = {0};
  struct sdm_set *alive = sdm_set_diff(sdm_set_diff(sdm_set_copy(s->all), s->exited), s->dead);
  json_t *pids = json_array(), *others = json_array();
  if (!sdm_set_is_empty(alive))
    sdm_answer_free(sdm_session_ask(s, alive, json_pack("{s:s}", "cmd", "kill"), SDM_REDUCE_SAME, SAVE_MS));
  for (int64_t until = sdm_now_us() + END_US; !sdm_set_is_subset(alive, s->exited) && sdm_now_us() < until;)
    sdm_session_step(s, 50); /* what is told of their ends must not be taken for the end of those that come */
  sdm_set_free(alive);
  if (sdm_restart_set(folder, s->apart, &t, err)) {
    json_decref(pids);
    json_decref(others);
    json_decref(j);
    sdm_targets_fini(&t);
    return NULL;
  }
  struct sdm_set_iter it = sdm_set_iter(s->all);
  sdm_id first = 0;
  sdm_set_iter_id(&it, &first);
  for (size_t i = 0; i < t.n; i++) { /* the command tells them in the order of the ranks */
    json_array_append_new(pids, json_integer(t.at[i].pid));
    if (!sdm_set_contains(s->all, t.at[i].rank))
      json_array_append_new(others, json_integer(t.at[i].pid));
  }
  json_object_set_new(j, "pids", pids);
  json_object_set_new(j, "others", others);
  json_object_set_new(j, "others_of", json_integer(first));
  sdm_targets_fini(&t);
  return sdm_session_go(s, s->all, j, SAVE_MS); /* they stand when their stops have come */
}

struct sdm_answer *sdm_session_restart(struct sdm_session *s, const struct sdm_set *to, const char *which, struct dvm_error *err) {
  json_t *j = json_pack("{s:s, s:s}", "cmd", "restart", "command", sdm_restart_words());
  char *job = NULL;
  if (*which && !is_number(which)) {
    char *handle = sdm_handle_of(which);
    job = job_folder(handle);
    if (sdm_set_size(to) == 1 || job)
      json_object_set_new(j, "handle", json_string(handle));
    else
      dvm_error_set(err, -EINVAL,
                    "an image restores one process: name its rank first ('p0 restart ...'), or give the number of a checkpoint");
    free(handle);
  } else {
    const struct sdm_checkpoint *k = choose(s, to, which, err);
    if (k) {
      job = job_folder(json_string_value(json_array_get(k->handles, json_array_size(k->handles) - 1)));
      json_object_set(j, job ? "handle" : "handles", job ? json_array_get(k->handles, json_array_size(k->handles) - 1) : k->handles);
      json_object_set_new(j, "number", json_integer(k->number));
    }
  }
  if (job && !err->code && !sdm_set_equal(to, s->all))
    dvm_error_set(err, -EINVAL, "it is the snapshot of a whole job: all its ranks go back together");
  struct sdm_answer *a = NULL;
  if (err->code)
    json_decref(j);
  else
    a = job ? restart_job(s, job, j, err) : sdm_session_ask(s, to, j, SDM_REDUCE_SAME, SAVE_MS);
  free(job);
  return a;
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
