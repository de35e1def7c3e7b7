/* Breakpoints and watchpoints of the gdb back end.  Their numbers are the front end's, the same on all ranks. */
#include <stdio.h>

#include "base/facts.h"
#include "sdm/gdb/gdb_checkpoint.h"

long long sdm_gdb_break_id(const struct sdm_backend *b, const char *number) {
  for (size_t i = 0; number && i < b->nbreaks; i++) /* "2.1" is a place of breakpoint 2 */
    if (b->breaks[i].id && b->breaks[i].number && !strncmp(b->breaks[i].number, number, strcspn(number, ".")) &&
        strcspn(number, ".") == strlen(b->breaks[i].number))
      return b->breaks[i].id;
  return 0;
}

static struct sdm_gdb_break *find_break(const struct sdm_backend *b, long long id) {
  for (size_t i = 0; i < b->nbreaks && id; i++)
    if (b->breaks[i].id == id)
      return &b->breaks[i];
  return NULL;
}

/* Keeps what has become of the command, under gdb's number. */
static bool keep_break(struct sdm_backend *b, const struct sdm_call *c, const char *number) {
  const char *cmd = sdm_call_text(c, "cmd", ""), *where = sdm_call_text(c, "where", "");
  bool lasts = !strcmp(cmd, "break") && !sdm_call_number(c, "temporary", 0), diagnostic = !strcmp(where, DVM_FACTS_STOP);
  b->breaks = sdm_realloc(b->breaks, (b->nbreaks + 1) * sizeof(*b->breaks));
  b->breaks[b->nbreaks++] = (struct sdm_gdb_break){sdm_call_number(c, "id", 0), sdm_strdup(number ? number : ""),
                                                   json_copy((json_t *)sdm_call_args(c)), diagnostic, lasts};
  return diagnostic;
}

void sdm_gdb_break_note(struct sdm_backend *b, const json_t *args, const char *number) {
  b->breaks = sdm_realloc(b->breaks, (b->nbreaks + 1) * sizeof(*b->breaks));
  b->breaks[b->nbreaks++] =
      (struct sdm_gdb_break){json_integer_value(json_object_get(args, "id")), sdm_strdup(number), json_deep_copy(args), false, false};
}

void sdm_gdb_break_renumber(struct sdm_backend *b, const json_t *numbers) {
  for (size_t i = 0; i < b->nbreaks; i++) {
    const char *now = b->breaks[i].id && b->breaks[i].number ? sdm_gdb_field(numbers, b->breaks[i].number) : NULL;
    if (!now)
      continue;
    free(b->breaks[i].number);
    b->breaks[i].number = sdm_strdup(now);
  }
}

static void got_break(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const json_t *k = json_object_get(r->results, "bkpt");
  if (!k)
    k = json_object_get(r->results, "wpt");
  if (!k)
    k = json_object_get(r->results, "hw-rwpt");
  if (json_is_array(k))
    k = json_array_get(k, 0);
  bool diagnostic = keep_break(b, p->call, sdm_gdb_field(k, "number"));
  json_t *result = json_pack("{s:I}", "id", (json_int_t)sdm_call_number(p->call, "id", 0));
  if (diagnostic && !sdm_gdb_field(k, "pending"))
    sdm_gdb_put_text(result, "stops", "at each new diagnostic");
  else {
    const json_t *places = json_object_get(k, "locations"); /* of a loop with two bodies, or an inlined function */
    size_t n = json_array_size(places);
    sdm_gdb_put_place(result, n ? json_array_get(places, 0) : k);
    if (n > 1)
      json_object_set_new(result, "places", json_integer((json_int_t)n));
  }
  sdm_gdb_put_text(result, "pending", sdm_gdb_field(k, "pending"));
  sdm_gdb_put_text(result, "expression", sdm_gdb_field(k, "exp"));
  if (sdm_gdb_field(k, "exp") && !sdm_gdb_hardware_watchpoints())
    json_object_set_new(result, "software", json_true());
  sdm_call_done(p->call, result, NULL);
}

static struct gdb_pending *insert_break(struct sdm_backend *b, struct sdm_call *c, gdb_reply_f fn, const json_t *args) {
  struct dvm_text t = DVM_TEXT_INIT;
  long long ignore = json_integer_value(json_object_get(args, "ignore"));
  dvm_text_add(&t, "-break-insert -f");
  if (json_integer_value(json_object_get(args, "temporary")))
    dvm_text_add(&t, " -t");
  if (json_integer_value(json_object_get(args, "disabled")))
    dvm_text_add(&t, " -d");
  if (ignore)
    dvm_text_printf(&t, " -i %lld", ignore);
  if (sdm_gdb_field(args, "condition") && *sdm_gdb_field(args, "condition")) {
    dvm_text_add(&t, " -c ");
    sdm_mi_quote(&t, sdm_gdb_field(args, "condition"));
  }
  dvm_text_add(&t, " ");
  sdm_mi_quote(&t, sdm_gdb_field(args, "where") ? sdm_gdb_field(args, "where") : "main");
  struct gdb_pending *p = sdm_gdb_send(b, c, fn, "%s", dvm_text_str(&t));
  dvm_text_fini(&t);
  return p;
}

static void got_logpoint(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct dvm_text why = DVM_TEXT_INIT;
  json_t *found = sdm_gdb_python_answer(p, &why);
  (void)r;
  if (found) {
    keep_break(b, p->call, sdm_gdb_field(found, "number"));
    json_object_del(found, "number");
    json_object_del(found, "symbol");
    json_object_set_new(found, "id", json_integer(sdm_call_number(p->call, "id", 0)));
    if (json_is_true(json_object_get(found, "pending")))
      json_object_set_new(found, "pending", json_string(sdm_call_text(p->call, "where", "")));
    else
      json_object_del(found, "pending");
    sdm_call_done(p->call, found, NULL);
  } else
    sdm_call_fail(p->call, "%s", dvm_text_str(&why));
  dvm_text_fini(&why);
}

/* gdb's number in "Catchpoint 2 (throw)"; its end is put there. */
static char *number_of_catch(struct gdb_pending *p) {
  char *at = p->text.len ? strstr(p->text.s, "atchpoint ") : NULL;
  if (!at)
    return NULL;
  at += sizeof("atchpoint ") - 1;
  size_t n = strspn(at, "0123456789");
  char *number = sdm_alloc(n + 1);
  memcpy(number, at, n);
  return number;
}

/* The condition of a catchpoint is a command of its own.  'c' NULL: nobody waits for it. */
static struct gdb_pending *set_catch_condition(struct sdm_backend *b, struct sdm_call *c, gdb_reply_f fn, const char *number,
                                               const json_t *args) {
  const char *condition = sdm_gdb_field(args, "condition");
  return condition && *condition ? sdm_gdb_send(b, c, fn, "-break-condition %s %s", number, condition) : NULL;
}

/* A condition that gdb does not take is no reason to stop always. */
static void got_catch_condition(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *number = json_string_value(p->kept);
  if (!strcmp(r->name, "error")) {
    const char *msg = sdm_gdb_field(r->results, "msg");
    sdm_gdb_send(b, NULL, NULL, "-break-delete %s", number);
    sdm_call_fail(p->call, "%s", msg ? msg : "gdb does not accept this condition");
    return;
  }
  keep_break(b, p->call, number);
  sdm_call_done(p->call,
                json_pack("{s:I, s:s}", "id", (json_int_t)sdm_call_number(p->call, "id", 0), "stops", sdm_call_text(p->call, "catch", "")),
                NULL);
}

static void got_catch(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  char *number = number_of_catch(p);
  struct gdb_pending *condition = number ? set_catch_condition(b, p->call, got_catch_condition, number, sdm_call_args(p->call)) : NULL;
  (void)r;
  if (condition) {
    condition->errors_too = true;
    condition->kept = json_string(number);
  } else if (number) {
    keep_break(b, p->call, number);
    sdm_call_done(
        p->call, json_pack("{s:I, s:s}", "id", (json_int_t)sdm_call_number(p->call, "id", 0), "stops", sdm_call_text(p->call, "catch", "")),
        NULL);
  } else
    sdm_call_fail(p->call, "gdb did not set the catchpoint: %s", p->text.len ? p->text.s : "it gave no reason");
  free(number);
}

static struct gdb_pending *insert_catch(struct sdm_backend *b, struct sdm_call *c, gdb_reply_f fn, const json_t *args) {
  struct dvm_text line = DVM_TEXT_INIT, t = DVM_TEXT_INIT;
  dvm_text_printf(&line, "%scatch %s", json_integer_value(json_object_get(args, "temporary")) ? "t" : "", sdm_gdb_field(args, "catch"));
  sdm_mi_quote(&t, dvm_text_str(&line));
  struct gdb_pending *p = sdm_gdb_send(b, c, fn, "-interpreter-exec console %s", dvm_text_str(&t));
  dvm_text_fini(&line);
  dvm_text_fini(&t);
  return p;
}

void sdm_gdb_break(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_start(b, c))
    return;
  if (sdm_call_text(c, "catch", NULL))
    insert_catch(b, c, got_catch, sdm_call_args(c));
  else if (sdm_call_text(c, "message", NULL))
    sdm_gdb_python(b, c, sdm_call_args(c), "logpoint", got_logpoint);
  else
    insert_break(b, c, got_break, sdm_call_args(c));
}

static void got_catch_again(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct sdm_gdb_break *k = find_break(b, json_integer_value(p->kept));
  (void)r;
  if (k && !k->number && (k->number = number_of_catch(p)))
    set_catch_condition(b, NULL, NULL, k->number, k->args);
}

static void got_logpoint_again(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct dvm_text why = DVM_TEXT_INIT;
  json_t *found = sdm_gdb_python_answer(p, &why);
  struct sdm_gdb_break *k = find_break(b, json_integer_value(p->kept));
  (void)r;
  if (k && !k->number && sdm_gdb_field(found, "number"))
    k->number = sdm_strdup(sdm_gdb_field(found, "number"));
  json_decref(found);
  dvm_text_fini(&why);
}

static void got_break_again(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct sdm_gdb_break *k = find_break(b, json_integer_value(p->kept));
  const char *number = sdm_gdb_field(json_object_get(r->results, "bkpt"), "number");
  if (k && !k->number && number)
    k->number = sdm_strdup(number);
}

/* A gdb that took the place of one that died gets its breakpoints. */
void sdm_gdb_restore_breaks(struct sdm_backend *b) {
  for (size_t i = 0; i < b->nbreaks; i++) {
    const json_t *args = b->breaks[i].args;
    if (!b->breaks[i].id || b->breaks[i].number || !b->breaks[i].lasts)
      continue;
    struct gdb_pending *p = sdm_gdb_field(args, "catch")     ? insert_catch(b, NULL, got_catch_again, args)
                            : sdm_gdb_field(args, "message") ? sdm_gdb_python(b, NULL, args, "logpoint", got_logpoint_again)
                                                             : insert_break(b, NULL, got_break_again, args);
    p->kept = json_integer(b->breaks[i].id);
  }
}

void sdm_gdb_watch(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *access = sdm_call_text(c, "access", "write");
  if (*access != 'w' && !sdm_gdb_hardware_watchpoints()) {
    sdm_call_fail(c, "reads are seen by hardware watchpoints alone, and those do not stop programs on this machine: 'watch' sees changes");
    return;
  }
  sdm_mi_quote(&t, sdm_call_text(c, "expression", ""));
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, got_break, "-break-watch %s%s", *access == 'r' ? "-r " : *access == 'a' ? "-a " : "", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void break_command(struct sdm_backend *b, struct sdm_call *c, const char *command, const char *rest) {
  struct sdm_gdb_break *k = find_break(b, sdm_call_number(c, "id", 0));
  if (!k || !k->number) {
    sdm_call_fail(c, "no breakpoint %lld", sdm_call_number(c, "id", 0));
    return;
  }
  if (!sdm_gdb_ready(b, c))
    return;
  if (k->args && *command == 'c')
    json_object_set_new(k->args, "condition", json_string(rest));
  if (k->args && (*command == 'd' || *command == 'e'))
    json_object_set_new(k->args, "disabled", json_integer(*command == 'd'));
  sdm_gdb_send(b, c, NULL, "-break-%s %s %s", command, k->number, rest);
}

void sdm_gdb_delete(struct sdm_backend *b, struct sdm_call *c) {
  long long id = sdm_call_number(c, "id", 0);
  break_command(b, c, "delete", "");
  struct sdm_gdb_break *k = find_break(b, id);
  if (k)
    k->id = 0;
}
void sdm_gdb_enable(struct sdm_backend *b, struct sdm_call *c) { break_command(b, c, "enable", ""); }
void sdm_gdb_disable(struct sdm_backend *b, struct sdm_call *c) { break_command(b, c, "disable", ""); }
void sdm_gdb_condition(struct sdm_backend *b, struct sdm_call *c) { break_command(b, c, "condition", sdm_call_text(c, "condition", "")); }
void sdm_gdb_ignore(struct sdm_backend *b, struct sdm_call *c) {
  char count[24];
  snprintf(count, sizeof(count), "%lld", sdm_call_number(c, "count", 0));
  break_command(b, c, "after", count);
}
