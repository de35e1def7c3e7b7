/* Commands of the gdb back end that look at a program, and change its data. */
#include <ctype.h>
#include <unistd.h>

#include "sdm/gdb/gdb_private.h"

const char *sdm_gdb_no_frame(const struct sdm_call *c) {
  return !strcmp(sdm_call_text(c, "cmd", ""), "stack") || !strcmp(sdm_call_text(c, "kind", ""), "frames") ? "No stack."
                                                                                                          : "No frame selected.";
}

static void got_stack(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  const char *why = !strcmp(r->name, "error") ? sdm_gdb_field(r->results, "msg") : NULL;
  if (why && !strstr(why, "Not enough frames")) { /* past the end there are none: no error for who asks page by page */
    sdm_call_fail(p->call, "%s", strcmp(why, "No registers.") ? why : sdm_gdb_no_frame(p->call));
    return;
  }
  json_t *frames = json_array(), *addresses = json_array();
  size_t i;
  json_t *f;
  json_array_foreach(json_object_get(r->results, "stack"), i, f) {
    json_t *out = json_pack("{s:i}", "level", atoi(sdm_gdb_field(f, "level") ? sdm_gdb_field(f, "level") : "0"));
    sdm_gdb_put_place(out, f);
    if (sdm_call_number(p->call, "addresses", 0)) /* for one rank: they need not be the same on others */
      sdm_gdb_put_text(out, "address", sdm_gdb_field(f, "addr"));
    json_array_append_new(frames, out);
    json_array_append_new(addresses, json_string(sdm_gdb_field(f, "addr") ? sdm_gdb_field(f, "addr") : ""));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "frames", frames), addresses);
}

/* As gdb's own stacks do: of a struct or an array only that there is one. */
static json_t *arguments_of(const json_t *frame) {
  json_t *out = json_array(), *v;
  size_t i;
  json_array_foreach(json_object_get(frame, "args"), i, v)
      json_array_append_new(out, json_pack("{s:s, s:s}", "name", sdm_gdb_field(v, "name") ? sdm_gdb_field(v, "name") : "?", "value",
                                           sdm_gdb_field(v, "value") ? sdm_gdb_field(v, "value") : "..."));
  return out;
}

static void got_arguments(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *f;
  size_t i;
  json_array_foreach(json_object_get(r->results, "stack-args"), i, f) json_array_append_new(
      out, json_pack("{s:i, s:o}", "level", atoi(sdm_gdb_field(f, "level") ? sdm_gdb_field(f, "level") : "0"), "args", arguments_of(f)));
  sdm_call_done(p->call, json_pack("{s:o}", "frames", out), NULL);
}

/* The frames that are asked for: "low" to "high", or "this" one. */
static void list_frames(struct sdm_backend *b, struct sdm_call *c, gdb_reply_f fn, const char *command, long long low, long long high) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  sdm_gdb_send(b, c, fn, "-stack-list-%s%s%s %lld %lld", command, dvm_text_str(&t), *command == 'a' ? " --simple-values" : "", low, high)
      ->errors_too = fn == got_stack;
  dvm_text_fini(&t);
}

/* It is known how many there are: the outermost. */
static void got_depth(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  long long depth = sdm_gdb_field(r->results, "depth") ? atoll(sdm_gdb_field(r->results, "depth")) : 0;
  long long low = depth - sdm_call_number(p->call, "outermost", 0);
  bool arguments = !strcmp(sdm_call_text(p->call, "cmd", ""), "variables");
  list_frames(b, p->call, arguments ? got_arguments : got_stack, arguments ? "arguments" : "frames", low > 0 ? low : 0, depth);
}

static void ask_depth(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  sdm_gdb_send(b, c, got_depth, "-stack-info-depth%s", dvm_text_str(&t))->failed = "No stack.";
  dvm_text_fini(&t);
}

void sdm_gdb_stack(struct sdm_backend *b, struct sdm_call *c) {
  const char *only = sdm_call_number(c, "this", 0) ? "frame" : "low";
  if (!sdm_gdb_ready(b, c))
    return;
  if (sdm_call_number(c, "outermost", 0) > 0)
    ask_depth(b, c);
  else
    list_frames(b, c, got_stack, "frames", sdm_call_number(c, only, 0), sdm_call_number(c, *only == 'l' ? "high" : only, 99));
}

static void got_variables(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *v;
  const char *kind = sdm_call_text(p->call, "kind", "all");
  size_t i;
  json_array_foreach(json_object_get(r->results, "variables"), i, v) {
    bool arg = sdm_gdb_field(v, "arg") != NULL;
    if ((!strcmp(kind, "args") && !arg) || (!strcmp(kind, "locals") && arg))
      continue;
    json_array_append_new(out, json_pack("{s:s, s:s}", "name", sdm_gdb_field(v, "name") ? sdm_gdb_field(v, "name") : "?", "value",
                                         sdm_gdb_field(v, "value") ? sdm_gdb_field(v, "value") : "..."));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "variables", out), NULL);
}

/* The innermost frame whose source is here is the user's: those of the system's libraries rarely are. */
static void got_sourced(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  size_t i, first = sdm_frames_of_mpi(json_object_get(r->results, "stack"), "fullname");
  json_t *f;
  long long level = 0;
  json_array_foreach(json_object_get(r->results, "stack"), i,
                     f) if (i >= first && sdm_gdb_field(f, "fullname") && !access(sdm_gdb_field(f, "fullname"), R_OK)) {
    level = atoll(sdm_gdb_field(f, "level") ? sdm_gdb_field(f, "level") : "0");
    break;
  }
  sdm_gdb_send(b, p->call, got_variables, "-stack-list-variables --thread %d --frame %lld --all-values", b->thread ? b->thread : 1, level);
}

void sdm_gdb_variables(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  if (!strcmp(sdm_call_text(c, "kind", ""), "frames")) {
    if (sdm_gdb_ready(b, c) && sdm_call_number(c, "outermost", 0) > 0)
      ask_depth(b, c);
    else if (b->pid > 0)
      list_frames(b, c, got_arguments, "arguments", sdm_call_number(c, "low", 0), sdm_call_number(c, "high", 99));
  } else if (sdm_call_number(c, "sourced", 0)) {
    if (sdm_gdb_ready(b, c))
      sdm_gdb_send(b, c, got_sourced, "-stack-list-frames 0 63");
  } else if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, got_variables, "-stack-list-variables%s --all-values", dvm_text_str(&t));
  dvm_text_fini(&t);
}

static void got_value(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  const char *v = sdm_gdb_field(r->results, "value");
  sdm_call_done(p->call, json_pack("{s:s}", "value", v ? v : ""), NULL);
}

static void got_formatted(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b, (void)r;
  sdm_call_done(p->call, json_pack("{s:s}", "value", p->text.len ? p->text.s : ""), NULL);
}

/* MI has no formats for expressions: by the command line, without a number of the history. */
static void evaluate_formatted(struct sdm_backend *b, struct sdm_call *c, const char *format) {
  struct dvm_text t = DVM_TEXT_INIT, line = DVM_TEXT_INIT;
  dvm_text_printf(&line, "output/%s %s", format, sdm_call_text(c, "expression", ""));
  sdm_gdb_put_where(b, &t, c);
  dvm_text_add(&t, " console ");
  sdm_mi_quote(&t, dvm_text_str(&line));
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, got_formatted, "-interpreter-exec%s", dvm_text_str(&t));
  dvm_text_fini(&t);
  dvm_text_fini(&line);
}

void sdm_gdb_evaluate(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_facts_evaluate(b, c))
    sdm_gdb_evaluate_plain(b, c);
}

void sdm_gdb_evaluate_plain(struct sdm_backend *b, struct sdm_call *c) {
  if (sdm_call_text(c, "format", NULL)) {
    evaluate_formatted(b, c, sdm_call_text(c, "format", ""));
    return;
  }
  struct dvm_text t = DVM_TEXT_INIT, e = DVM_TEXT_INIT;
  const char *value = sdm_call_text(c, "value", NULL);
  sdm_gdb_put_where(b, &t, c);
  dvm_text_add(&e, sdm_call_text(c, "expression", ""));
  if (value)
    dvm_text_printf(&e, " = %s", value);
  dvm_text_add(&t, " ");
  sdm_mi_quote(&t, dvm_text_str(&e));
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, got_value, "-data-evaluate-expression%s", dvm_text_str(&t))->calls = true;
  dvm_text_fini(&t);
  dvm_text_fini(&e);
}

static void got_text(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b, (void)r;
  while (p->text.len && isspace((unsigned char)p->text.s[p->text.len - 1]))
    p->text.s[--p->text.len] = 0;
  sdm_call_done(p->call, json_pack("{s:s}", "text", dvm_text_str(&p->text)), NULL);
}

static void console(struct sdm_backend *b, struct sdm_call *c, const char *command) {
  struct dvm_text t = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  dvm_text_add(&t, " console ");
  sdm_mi_quote(&t, command);
  if (sdm_gdb_start(b, c))
    sdm_gdb_send(b, c, got_text, "-interpreter-exec%s", dvm_text_str(&t))->calls = true;
  dvm_text_fini(&t);
}

static void console_with(struct sdm_backend *b, struct sdm_call *c, const char *verb, const char *rest) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s%s", verb, rest);
  console(b, c, dvm_text_str(&t));
  dvm_text_fini(&t);
}

void sdm_gdb_type(struct sdm_backend *b, struct sdm_call *c) { console_with(b, c, "ptype ", sdm_call_text(c, "expression", "")); }
void sdm_gdb_handle(struct sdm_backend *b, struct sdm_call *c) {
  const char *what = sdm_call_text(c, "what", "");
  if (*what)
    sdm_gdb_signal_handle(b, what);
  console_with(b, c, *what ? "handle " : "info signals", what);
}
void sdm_gdb_registers(struct sdm_backend *b, struct sdm_call *c) { console_with(b, c, "info registers ", sdm_call_text(c, "names", "")); }

static void got_listing(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b, (void)r;
  while (p->text.len && isspace((unsigned char)p->text.s[p->text.len - 1]))
    p->text.s[--p->text.len] = 0;
  if (!p->text.len)
    sdm_call_fail(p->call, "there is no source");
  else if (p->at)
    sdm_call_done(p->call, json_pack("{s:s, s:I}", "text", p->text.s, "here", (json_int_t)p->at), NULL);
  else
    sdm_call_done(p->call, json_pack("{s:s}", "text", p->text.s), NULL);
}

/* gdb's own place for listing is not that of a frame that is only named in a command. */
static void got_place_of_list(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const json_t *frame = json_object_get(r->results, "frame");
  const char *file = sdm_gdb_field(frame, "fullname"), *line = sdm_gdb_field(frame, "line"), *func = sdm_gdb_field(frame, "func");
  struct dvm_text t = DVM_TEXT_INIT, command = DVM_TEXT_INIT;
  bool before = !strcmp(sdm_call_text(p->call, "where", ""), "-");
  if (!file || !line || strchr(file, '"')) {
    sdm_call_fail(p->call, "there is no source for %s%s%s", func ? "'" : "this place", func ? func : "", func ? "'" : "");
    return;
  }
  if (access(file, R_OK)) {
    sdm_call_fail(p->call, "there is no source '%s' here", file);
    return;
  }
  dvm_text_printf(&t, "list -source \"%s\" -line %s", file, line);
  sdm_mi_quote(&command, dvm_text_str(&t));
  struct gdb_pending *listing =
      sdm_gdb_send(b, before ? NULL : p->call, before ? NULL : got_listing, "-interpreter-exec console %s", dvm_text_str(&command));
  listing->at = strtoull(line, NULL, 10);
  if (before)
    sdm_gdb_send(b, p->call, got_listing, "-interpreter-exec console \"list -\"");
  dvm_text_fini(&t);
  dvm_text_fini(&command);
}

/* Of which file were these lines?  The mark is for that of the frame. */
static void got_file_of_list(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  static const char located[] = "\nLocated in ";
  const char *file = sdm_gdb_field(p->kept, "file"), *line = sdm_gdb_field(p->kept, "line");
  const char *at = p->text.len ? strstr(p->text.s, located) : NULL;
  size_t n = file ? strlen(file) : 0;
  bool same = at && n && !strncmp(at + sizeof(located) - 1, file, n) && at[sizeof(located) - 1 + n] == '\n';
  (void)b, (void)r;
  json_t *result = json_pack("{s:O}", "text", json_object_get(p->kept, "text"));
  if (same && line)
    json_object_set_new(result, "here", json_integer(atoll(line)));
  sdm_call_done(p->call, result, NULL);
}

static void got_lines(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (!p->kept || !p->text.len) {
    got_listing(b, p, r);
    return;
  }
  while (p->text.len && isspace((unsigned char)p->text.s[p->text.len - 1]))
    p->text.s[--p->text.len] = 0;
  json_object_set_new(p->kept, "text", json_string(dvm_text_str(&p->text)));
  sdm_gdb_send(b, p->call, got_file_of_list, "-interpreter-exec console \"info source\"")->kept = json_incref(p->kept);
}

static void got_here(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const json_t *frame = json_object_get(r->results, "frame");
  const char *file = sdm_gdb_field(frame, "fullname"), *line = sdm_gdb_field(frame, "line");
  struct dvm_text t = DVM_TEXT_INIT, command = DVM_TEXT_INIT;
  if (sdm_call_number(p->call, "anew", 0) && file && line && !strchr(file, '"') && !access(file, R_OK)) {
    dvm_text_printf(&t, "list -source \"%s\" -line %s", file, line);
    sdm_mi_quote(&command, dvm_text_str(&t));
    sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console %s", dvm_text_str(&command));
    dvm_text_clear(&t);
    dvm_text_clear(&command);
  }
  dvm_text_printf(&t, "list %s", sdm_call_text(p->call, "where", ""));
  sdm_mi_quote(&command, dvm_text_str(&t));
  struct gdb_pending *lines = sdm_gdb_send(b, p->call, got_lines, "-interpreter-exec console %s", dvm_text_str(&command));
  lines->kept = file && line ? json_pack("{s:s, s:s}", "file", file, "line", line) : NULL;
  dvm_text_fini(&t);
  dvm_text_fini(&command);
}

void sdm_gdb_list(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  bool around = sdm_call_number(c, "around", 0);
  if (b->place || around || sdm_call_number(c, "anew", 0))
    sdm_gdb_put_where(b, &t, c);
  if (sdm_gdb_start(b, c)) /* lines can be shown where no program is */
    sdm_gdb_send(b, c, around ? got_place_of_list : got_here, "-stack-info-frame%s", dvm_text_str(&t))->errors_too = !around;
  dvm_text_fini(&t);
}

static void got_memory(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *m = json_array_get(json_object_get(r->results, "memory"), 0);
  sdm_call_done(p->call, json_pack("{s:s}", "bytes", sdm_gdb_field(m, "contents") ? sdm_gdb_field(m, "contents") : ""),
                json_pack("{s:s}", "address", sdm_gdb_field(m, "begin") ? sdm_gdb_field(m, "begin") : ""));
}

void sdm_gdb_memory(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *bytes = sdm_call_text(c, "bytes", NULL); /* hexadecimal: to be written */
  sdm_mi_quote(&t, sdm_call_text(c, "address", ""));
  if (!sdm_gdb_ready(b, c))
    ;
  else if (bytes)
    sdm_gdb_send(b, c, NULL, "-data-write-memory-bytes %s \"%s\"", dvm_text_str(&t), bytes);
  else
    sdm_gdb_send(b, c, got_memory, "-data-read-memory-bytes %s %lld", dvm_text_str(&t), sdm_call_number(c, "count", 64));
  dvm_text_fini(&t);
}

static void got_threads(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)b;
  json_t *out = json_array(), *detail = json_array(), *t;
  size_t i;
  json_array_foreach(json_object_get(r->results, "threads"), i, t) {
    if (sdm_gdb_field(t, "name") && !strcmp(sdm_gdb_field(t, "name"), "dvm-cr"))
      continue; /* the checkpointer's own */
    json_t *one = json_object();
    json_object_set_new(one, "id", json_integer(atoi(sdm_gdb_field(t, "id") ? sdm_gdb_field(t, "id") : "0")));
    sdm_gdb_put_text(one, "name", sdm_gdb_field(t, "name"));
    sdm_gdb_put_text(one, "state", sdm_gdb_field(t, "state"));
    if (json_object_get(t, "frame"))
      sdm_gdb_put_place(one, json_object_get(t, "frame"));
    json_array_append_new(out, one);
    json_array_append_new(detail, json_string(sdm_gdb_field(t, "target-id") ? sdm_gdb_field(t, "target-id") : ""));
  }
  sdm_call_done(p->call, json_pack("{s:o}", "threads", out), detail);
}

void sdm_gdb_threads(struct sdm_backend *b, struct sdm_call *c) {
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, got_threads, "-thread-info");
}
