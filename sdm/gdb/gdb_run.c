/* Commands of the gdb back end that start programs, and set them running. */
#define _GNU_SOURCE
#include "sdm/gdb/gdb_private.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/process.h"
#include "base/text.h"
#include "sdm/gdb/core_file.h"

static bool term_output(void *arg, unsigned stream, bool eof, const void *p, size_t len) {
  struct sdm_backend *b = arg;
  return b->host.output(b->host.arg, stream, eof, p, len);
}

int sdm_gdb_open_term(struct sdm_backend *b, struct dvm_error *err) {
  if (!b->term)
    b->term = sdm_term_new(b->host.loop, term_output, b, err);
  return b->term ? 0 : err->code;
}

/* gdb takes both as the rest of a line. */
static bool fits_a_line(const json_t *program, const json_t *args) {
  const char *s = json_string_value(program);
  bool fits = !s || !strpbrk(s, "\r\n");
  const json_t *word;
  size_t i;
  json_array_foreach((json_t *)args, i, word) fits &= !json_string_value(word) || !strpbrk(json_string_value(word), "\r\n");
  return fits;
}

/* Words of a command that becomes the program. */
static void put_wrapper(struct sdm_backend *b, const json_t *words) {
  struct dvm_text t = DVM_TEXT_INIT;
  const json_t *word;
  size_t i;
  json_array_foreach((json_t *)words, i, word) {
    dvm_text_add(&t, " ");
    dvm_text_add_shell_word(&t, json_string_value(word) ? json_string_value(word) : "");
  }
  if (t.len)
    sdm_gdb_send(b, NULL, NULL, "-gdb-set exec-wrapper%s", dvm_text_str(&t));
  dvm_text_fini(&t);
}

void sdm_gdb_launch(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text args = DVM_TEXT_INIT, prog = DVM_TEXT_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  const json_t *list = json_object_get(sdm_call_args(c), "args");
  const json_t *word;
  size_t i;
  bool load = sdm_call_number(c, "load", 0); /* only made ready, for breakpoints */
  if (!fits_a_line(json_object_get(sdm_call_args(c), "program"), list) || strpbrk(sdm_call_text(c, "stdin", ""), "\r\n")) {
    sdm_call_fail(c, "gdb cannot start a program whose path or arguments contain line breaks");
    return;
  }
  if (!sdm_gdb_start(b, c))
    return;
  if (sdm_gdb_open_term(b, &err)) {
    sdm_call_fail(c, "%s", err.text);
    return;
  }
  json_array_foreach((json_t *)list, i, word) {
    dvm_text_add(&args, " ");
    dvm_text_add_shell_word(&args, json_string_value(word) ? json_string_value(word) : "");
  }
  dvm_text_printf(&args, " 2>%s", sdm_term_stderr(b->term));
  if (sdm_call_text(c, "stdin", NULL)) { /* else its terminal */
    dvm_text_add(&args, " <");
    dvm_text_add_shell_word(&args, sdm_call_text(c, "stdin", ""));
  }
  sdm_mi_quote(&prog, sdm_call_text(c, "program", ""));
  b->launched = true;
  b->core = false;
  sdm_gdb_checkpoint_forget(b);
  b->fatal_only = !strcmp(sdm_call_text(c, "signals", ""), "fatal");
  put_wrapper(b, json_object_get(sdm_call_args(c), "wrapper"));
  if (json_object_get(sdm_call_args(c), "wrapper") || !sdm_call_number(c, "stop", 1))
    sdm_gdb_checkpoint_expect(b); /* else it is looked for in main */
  sdm_gdb_send(b, NULL, NULL, "-inferior-tty-set %s", sdm_term_name(b->term));
  sdm_gdb_send(b, NULL, NULL, "-exec-arguments%s", dvm_text_str(&args));
  sdm_gdb_send(b, load ? c : NULL, NULL, "-file-exec-and-symbols %s", dvm_text_str(&prog));
  sdm_gdb_restore_breaks(b);
  if (!load)
    sdm_gdb_send(b, c, NULL, "-exec-run%s", sdm_call_number(c, "stop", 1) ? " --start" : "");
  dvm_text_fini(&args);
  dvm_text_fini(&prog);
}

/* gdb itself knows the holder's number alone. */
static bool is_held(struct sdm_call *c, pid_t pid) {
  const pid_t tracer = (pid_t)dvm_process_last(pid, "TracerPid:", 0);
  char name[32];
  if (tracer <= 0)
    return false;
  dvm_process_name(tracer, name, sizeof(name));
  sdm_call_fail(c, "process %d is held by the debugger '%s' (process %d): end or detach that first", pid, name, tracer);
  return true;
}

void sdm_gdb_attach(struct sdm_backend *b, struct sdm_call *c) {
  if (is_held(c, (pid_t)sdm_call_number(c, "pid", 0)))
    return;
  if (!sdm_gdb_start(b, c))
    return;
  b->fatal_only = !strcmp(sdm_call_text(c, "signals", ""), "fatal");
  b->program = (pid_t)sdm_call_number(c, "pid", 0);
  b->launched = b->core = false;
  sdm_gdb_checkpoint_forget(b);
  sdm_gdb_send(b, c, NULL, "-target-attach %lld", sdm_call_number(c, "pid", 0));
  sdm_gdb_restore_breaks(b);
}

/* It stands where it stood: as a program that stops there. */
static void tell_core(struct sdm_backend *b, const json_t *frame) {
  char name[32] = "";
  const char *abbreviation = b->core_signal ? sigabbrev_np(b->core_signal) : NULL;
  json_t *e = json_pack("{s:s, s:s}", "event", "stopped", "reason", b->core_signal ? "signal-received" : "core");
  if (abbreviation)
    snprintf(name, sizeof(name), "SIG%s", abbreviation);
  else
    snprintf(name, sizeof(name), "SIG%d", b->core_signal); /* as gdb names those of real time */
  if (b->core_signal)
    sdm_gdb_put_text(e, "signal", name);
  if (frame)
    sdm_gdb_put_place(e, frame);
  b->host.event(b->host.arg, e);
}

static void got_core(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *warning = p->kept ? json_string_value(p->kept) : NULL;
  if (!warning && p->mismatch)
    warning = "the core file may be from a different program, or from this one before it was rebuilt";
  tell_core(b, json_object_get(r->results, "frame"));
  sdm_call_done(p->call, warning ? json_pack("{s:s}", "warning", warning) : NULL, NULL);
}

/* The next command is the one that opens the core file. */
static void got_symbols(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *why = !strcmp(r->name, "error") ? sdm_gdb_field(r->results, "msg") : NULL;
  struct dvm_text t = DVM_TEXT_INIT;
  (void)p;
  if (why && b->first && !b->first->kept) {
    dvm_text_printf(&t, "no symbols: %s", why);
    b->first->kept = json_string(dvm_text_str(&t));
  }
  dvm_text_fini(&t);
}

/* Why there are no symbols; NULL if there are.  'program' is the path of the one that the core names, or NULL. */
static json_t *without_symbols(const char *program) {
  struct dvm_text t = DVM_TEXT_INIT;
  if (program && !access(program, R_OK))
    return NULL;
  if (program)
    dvm_text_printf(&t, "no symbols: the core file is from '%s', which cannot be read here (%s)", program, strerror(errno));
  else
    dvm_text_add(&t, "no symbols: the core file does not say which program it is from");
  dvm_text_add(&t, "; name the program: dvm debug --core FILE PROGRAM");
  json_t *j = json_string(dvm_text_str(&t));
  dvm_text_fini(&t);
  return j ? j : json_string("no symbols: the name of the program is not UTF-8; name the program: dvm debug --core FILE PROGRAM");
}

void sdm_gdb_core(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text prog = DVM_TEXT_INIT;
  struct sdm_core_file file;
  const char *core = sdm_call_text(c, "file", ""), *program = sdm_call_text(c, "program", "");
  if (!*core || strpbrk(core, "\r\n")) {
    sdm_call_fail(c, "no core file was given");
    return;
  }
  if (*program && access(program, R_OK)) {
    sdm_call_fail(c, "cannot read the program '%s': %s", program, strerror(errno));
    return;
  }
  if (!sdm_gdb_start(b, c))
    return;
  sdm_core_file_read(core, &file);
  b->core = true;
  b->core_signal = file.signal;
  json_t *warning = *program ? NULL : without_symbols(file.program);
  if (!*program && !warning)
    program = file.program;
  sdm_mi_quote(&prog, program);
  if (*program)
    sdm_gdb_send(b, NULL, got_symbols, "-file-exec-and-symbols %s", dvm_text_str(&prog));
  sdm_gdb_send(b, c, got_core, "-target-select core %s", core)->kept = warning; /* the rest of the line is the name: no quotes */
  dvm_text_fini(&prog);
  free(file.program);
}

static void exec_command(struct sdm_backend *b, struct sdm_call *c, const char *command) {
  struct dvm_text t = DVM_TEXT_INIT;
  long long count = sdm_call_number(c, "count", 1), thread = sdm_call_number(c, "thread", 0);
  if (thread > 0)
    dvm_text_printf(&t, " --thread %lld", thread);
  if (count > 1)
    dvm_text_printf(&t, " %lld", count);
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, NULL, "-exec-%s%s", command, dvm_text_str(&t));
  dvm_text_fini(&t);
}

void sdm_gdb_cont(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "continue"); }
void sdm_gdb_step(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "step"); }
void sdm_gdb_next(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "next"); }
void sdm_gdb_stepi(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "step-instruction"); }
void sdm_gdb_nexti(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "next-instruction"); }
void sdm_gdb_finish(struct sdm_backend *b, struct sdm_call *c) { exec_command(b, c, "finish"); }
void sdm_gdb_until(struct sdm_backend *b, struct sdm_call *c) {
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, NULL, "-exec-until %s", sdm_call_text(c, "where", ""));
}
/* MI has no word for it.  Like all that sets a program running it is over when it runs; the stop is an event. */
void sdm_gdb_advance(struct sdm_backend *b, struct sdm_call *c) {
  struct dvm_text line = DVM_TEXT_INIT, t = DVM_TEXT_INIT;
  dvm_text_printf(&line, "advance %s", sdm_call_text(c, "where", ""));
  sdm_mi_quote(&t, dvm_text_str(&line));
  if (sdm_gdb_ready(b, c))
    sdm_gdb_send(b, c, NULL, "-interpreter-exec console %s", dvm_text_str(&t));
  dvm_text_fini(&line);
  dvm_text_fini(&t);
}
void sdm_gdb_interrupt(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_ready(b, c))
    return;
  if (sdm_gdb_save_interrupt(b, c))
    return;
  if (sdm_gdb_signal_end_call(b, SIGINT)) {
    sdm_call_done(c, NULL, NULL);
    return;
  }
  if (sdm_call_number(c, "calls", 0)) { /* that only; what runs goes on */
    sdm_call_done(c, NULL, NULL);
    return;
  }
  b->interrupting = true;
  sdm_gdb_signal_stale(b, false);
  sdm_gdb_send(b, c, NULL, "-exec-interrupt --all");
}

/* gdb does not say that the program is no longer its own. */
static void got_detach(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)r;
  b->left = false;
  b->host.event(b->host.arg, json_pack("{s:s, s:s}", "event", "exited", "reason", "detached"));
  sdm_call_done(p->call, NULL, NULL);
}
static void got_kill(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)r;
  b->left = false;
  sdm_gdb_checkpoint_forget(b);
  b->host.event(b->host.arg, json_pack("{s:s, s:s, s:s}", "event", "exited", "reason", "exited-signalled", "signal", "SIGKILL"));
  sdm_call_done(p->call, NULL, NULL);
}

void sdm_gdb_detach(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_ready(b, c))
    return;
  sdm_gdb_checkpoint_leave(b);
  sdm_gdb_send(b, c, got_detach, "-target-detach");
}
void sdm_gdb_kill(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_ready(b, c) || sdm_gdb_save_kill(b, c))
    return;
  if (sdm_gdb_signal_end_call(b, SIGKILL))
    sdm_call_done(c, NULL, NULL); /* gdb tells the end itself */
  else
    sdm_gdb_send(b, c, got_kill, "-interpreter-exec console kill");
}
