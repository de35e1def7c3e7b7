#define _GNU_SOURCE
#include "driver/fix/fix.h"
#include "driver/fix/repair.h"
#include "driver/fix/spawn.h"
#include "driver/fix/write.h"
#include "driver/plan.h"
#include "driver/run.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { EXIT_USAGE = 2, EXIT_LEFT = 66 };

const char dvm_fix_help[] =
    "usage: dvm fix [--in-place] FILE.c [compiler option...] [-- ARGUMENT...]\n"
    "\n"
    "Repairs the directives of a program.  Compiles it and runs it with the ARGUMENTs, as 'dvm check' does, applies the edits that the\n"
    "reports suggest, and repeats this until the program is silent or nothing more can be repaired.  Prints a unified diff; standard\n"
    "error lists what was repaired, what remains, and why.\n"
    "A repair is kept if it causes no other diagnostic and the program still prints what it prints without directives.  Once the program\n"
    "is silent, it must print the same under DVM_OPTIONS=reduction=emulate and device=emulate, and on two ranks where it can be executed "
    "so.\n"
    "\n"
    "  --in-place  change the files instead; a file that has changed in the meantime is left alone\n"
    "\n"
    "The program is run many times, and its output is not shown.  Its standard input is read from the beginning each time if it is a\n"
    "file, and is empty otherwise.\n"
    "Exit status: 0 if the program is silent, 66 if something remains, the compiler's if the program does not compile, 2 for a usage\n"
    "error.  Environment: DVM_OPTIONS for the program, TMPDIR for temporary files.\n";

struct call {
  bool in_place;
  struct fix_program program;
};

static int part(struct call *call, char *const *args, int n, struct dvm_error *err) {
  int begin = 0, end;
  for (; begin < n && !strcmp(args[begin], "--in-place"); begin++)
    call->in_place = true;
  for (end = begin; end < n && strcmp(args[end], "--");)
    end++;
  call->program.compile = args + begin;
  call->program.ncompile = (size_t)(end - begin);
  if (end < n) {
    call->program.run = args + end + 1;
    call->program.nrun = (size_t)(n - end - 1);
  }
  if (begin == end)
    return dvm_error_set(err, -EINVAL, "'dvm fix' needs a source file; 'dvm help fix' says more");
  for (int i = begin; i < end; i++) {
    if (!strncmp(args[i], "-o", 2) || !strcmp(args[i], "--output"))
      return dvm_error_set(err, -EINVAL, "'dvm fix' does not keep the program, so '%s' is meaningless; use 'dvmcc'", args[i]);
    if (!strcmp(args[i], "--in-place"))
      return dvm_error_set(err, -EINVAL, "'--in-place' must come before the source file");
    if (!strncmp(args[i], "-fdvm=", 6) && strcmp(args[i], "-fdvm=check"))
      return dvm_error_set(err, -EINVAL, "'dvm fix' checks the program, so '%s' is meaningless", args[i]);
    i += (int)cc_option_nvalues(args[i]);
  }
  return 0;
}

/* The sources of the call are read before anything is made of them. */
static int load(const struct fix_program *p, struct fix_files *files, struct dvm_error *err) {
  for (size_t i = 0; i < p->ncompile; i++) {
    const char *arg = p->compile[i];
    if (arg[0] != '-' && arg[0] != '@' && cc_language_of_file(arg) == CC_C && !fix_files_get(files, arg, err))
      return err->code;
    i += cc_option_nvalues(arg);
  }
  return files->n ? 0 : dvm_error_set(err, -EINVAL, "'dvm fix' needs a source file; 'dvm help fix' says more");
}

/* ---- what is said ---------------------------------------------------------------------------------------------------------- */

static void say_repaired(const struct fix_repair *r) {
  for (size_t i = 0; i < r->first.n; i++) {
    const struct fix_found *d = &r->first.v[i];
    if (!fix_findings_like(&r->left, d, false))
      fprintf(stderr, "dvm: %s:%zu: repaired [%s]: %s\n", d->file, d->origin, d->id, *d->help ? d->help : d->message);
  }
}

static const char *reason(const struct fix_repair *r, const struct fix_found *d) {
  const char *why = fix_repair_why(r, d);
  return why           ? why
         : *d->no_edit ? d->no_edit
         : d->nedits   ? "there were too many trials"
                       : "what its help describes must be written by hand";
}

/* In the report's words; lines are those of the file as it now is. */
static void say_left(const struct fix_repair *r, bool in_place) {
  for (size_t i = 0; i < r->left.n; i++) {
    const struct fix_found *now = &r->left.v[i], *d = in_place ? NULL : fix_findings_like(&r->first, now, false);
    d = d ? d : now;
    fprintf(stderr, "%s:%zu:%zu: %s: %s [%s]\n", d->file, d->line, d->column, d->severity, d->message, d->id);
    for (const char *s = d->help, *end; *s; s = *end ? end + 1 : end) {
      end = strchrnul(s, '\n');
      fprintf(stderr, "help: %.*s\n", (int)(end - s), s);
    }
    fprintf(stderr, "dvm: not repaired: %s\n", reason(r, now));
  }
}

static void say_end(const struct fix_repair *r) {
  size_t repaired = 0;
  for (size_t i = 0; i < r->first.n; i++)
    repaired += !fix_findings_like(&r->left, &r->first.v[i], false);
  if (!r->first.n)
    fprintf(stderr, "dvm: nothing to repair\n");
  else
    fprintf(stderr, "dvm: %zu of %zu repaired; %s\n", repaired, r->first.n, r->left.n ? "the others remain" : "the program is silent");
}

/* ---- the whole of it --------------------------------------------------------------------------------------------------------- */

/* What the program reports as it is. */
static int begin(struct fix_repair *r, struct fix_program *p, int *status, struct dvm_error *err) {
  struct fix_outcome o;
  int rc = fix_program_begin(p, status, err);
  if (rc || *status)
    return rc;
  rc = fix_trial(p, &r->files, true, &o, err);
  if (!rc && o.verdict == FIX_COMPILE_ERROR) {
    *status = o.status;
    return 0;
  }
  if (!rc && p->varies)
    fprintf(stderr, "dvm: note: the program's output differs from run to run, so its output is not compared\n");
  else if (!rc && o.verdict == FIX_OTHER_OUTPUT && o.found.n)
    fprintf(stderr, "dvm: note: the program's output is different without directives and checks, so its output is not compared\n");
  p->varies |= o.verdict == FIX_OTHER_OUTPUT && o.found.n;
  if (!rc)
    rc = fix_findings_copy(&r->first, &o.found, err);
  r->left = o.found;
  return rc;
}

static int finish(const struct fix_repair *r, const struct call *call, struct dvm_error *err) {
  say_repaired(r);
  int rc = call->in_place ? fix_write_files(&r->files, err) : fix_write_diff(&r->files, call->program.folder, err);
  if (rc)
    return rc;
  say_left(r, call->in_place);
  say_end(r);
  return 0;
}

static int fix(struct call *call, int *status, struct dvm_error *err) {
  struct fix_repair r = {.program = &call->program};
  int rc = load(&call->program, &r.files, err);
  if (!rc)
    rc = begin(&r, &call->program, status, err);
  if (!rc && !*status) {
    rc = fix_repair(&r, err);
    if (!rc)
      rc = finish(&r, call, err);
    *status = r.left.n ? W_EXITCODE(EXIT_LEFT, 0) : 0;
  }
  fix_repair_fini(&r);
  return rc;
}

int dvm_fix(char *const *args, int n, const struct dvm_place *place) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct call call = {.program = {.bin = place->bin}};
  int status = 0;
  fflush(stdout);
  int rc = part(&call, args, n, &err);
  if (!rc) {
    fix_spawn_begin();
    rc = fix(&call, &status, &err);
    fix_program_end(&call.program);
  }
  if (fix_spawn_stopped())
    return dvm_run_end_like(W_EXITCODE(0, fix_spawn_stopped()));
  if (!rc)
    return dvm_run_end_like(status);
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc == -EINVAL ? EXIT_USAGE : 1;
}
