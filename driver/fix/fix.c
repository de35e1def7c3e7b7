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
#include <sys/stat.h>
#include <sys/wait.h>

enum { EXIT_USAGE = 2, EXIT_LEFT = 66 };

const char dvm_fix_help[] =
    "usage: dvm fix [--in-place] FILE.c|FILE.f90.. [compiler option...] [-- ARGUMENT...]\n"
    "       dvm fix [--in-place] --compile-commands[=FILE] [FILE.c...] [link option...] [-- ARGUMENT...]\n"
    "       dvm fix [--in-place] [--root DIR] -- COMMAND...\n"
    "\n"
    "Repairs the directives of a program.  Compiles it and runs it with the ARGUMENTs, as 'dvm check' does, applies the edits that the\n"
    "reports suggest, and repeats this until the program is silent or nothing more can be repaired.  Prints a unified diff; standard\n"
    "error lists what was repaired, what remains, and why.\n"
    "A repair is kept if it causes no other diagnostic and the program still prints what it prints without directives.  Once the program\n"
    "is silent, it must print the same under DVM_OPTIONS=reduction=emulate and device=emulate, and on two ranks where it can be executed "
    "so.\n"
    "\n"
    "  --in-place  change the files instead; a file that has changed in the meantime is left alone\n"
    "  --compile-commands[=FILE]\n"
    "              the program is made of the C and Fortran sources that this compilation database lists, or of those FILEs of it\n"
    "              (FILE: compile_commands.json or the folder that it lies in; here if not given)\n"
    "  --root DIR  the folder that is copied for COMMAND; the root of the git working tree, or this folder, if not given\n"
    "\n"
    "Without a source file, COMMAND ('make check') builds the program and runs it, in a copy of the project each time; its compiler is\n"
    "the one in CC or FC, or called cc, gcc, clang, gfortran or flang.  The files of the project itself are changed at the end, by "
    "--in-place alone.\n"
    "Loops that the program does not execute with these arguments are left as they are.\n"
    "The program is run many times, and its output is not shown.  Its standard input is read from the beginning each time if it is a\n"
    "file, and is empty otherwise.\n"
    "Exit status: 0 if the program is silent, 66 if something remains, the compiler's or COMMAND's if that fails, 2 for a usage\n"
    "error.  Environment: DVM_OPTIONS for the program, TMPDIR for temporary files.\n";

struct call {
  bool in_place;
  const char *database, *root;
  struct fix_program program;
};

static bool is_database(const char *arg) {
  struct stat st;
  size_t n = strlen(arg);
  return (n > 5 && !strcmp(arg + n - 5, ".json")) || (!stat(arg, &st) && S_ISDIR(st.st_mode));
}

/* Our own options, which come first.  The number of arguments that they are. */
static int part_options(struct call *call, char *const *args, int n) {
  static const char option[] = "--compile-commands";
  int i = 0;
  for (; i < n; i++)
    if (!strcmp(args[i], "--in-place"))
      call->in_place = true;
    else if (!strncmp(args[i], option, sizeof option - 1) && args[i][sizeof option - 1] == '=')
      call->database = args[i] + sizeof option;
    else if (!strcmp(args[i], option))
      call->database = i + 1 < n && is_database(args[i + 1]) ? args[++i] : ".";
    else if (!strncmp(args[i], "--root=", 7))
      call->root = args[i] + 7;
    else if (!strcmp(args[i], "--root") && i + 1 < n)
      call->root = args[++i];
    else
      break;
  return i;
}

static int look_at_options(char *const *args, int n, struct dvm_error *err) {
  for (int i = 0; i < n; i++) {
    if (!strncmp(args[i], "-o", 2) || !strcmp(args[i], "--output"))
      return dvm_error_set(err, -EINVAL, "'dvm fix' does not keep the program, so '%s' is meaningless; use 'dvmcc'", args[i]);
    if (!strcmp(args[i], "--in-place") || !strncmp(args[i], "--compile-commands", 18) || !strncmp(args[i], "--root", 6))
      return dvm_error_set(err, -EINVAL, "'%s' must come first", args[i]);
    if (!strncmp(args[i], "-fdvm=", 6) && strcmp(args[i], "-fdvm=check"))
      return dvm_error_set(err, -EINVAL, "'dvm fix' checks the program, so '%s' is meaningless", args[i]);
    i += (int)cc_option_nvalues(args[i]);
  }
  return 0;
}

static int part(struct call *call, char *const *args, int n, struct dvm_error *err) {
  struct fix_program *p = &call->program;
  int begin = part_options(call, args, n), end;
  for (end = begin; end < n && strcmp(args[end], "--");)
    end++;
  p->compile = args + begin;
  p->ncompile = (size_t)(end - begin);
  if (end < n) {
    p->run = args + end + 1;
    p->nrun = (size_t)(n - end - 1);
  }
  for (int i = begin; i < end; i++)
    p->fortran |= args[i][0] != '-' && cc_is_fortran(args[i]);
  p->is_project = begin == end && p->nrun && !call->database;
  if (begin == end && !p->is_project && !call->database)
    return dvm_error_set(err, -EINVAL, "'dvm fix' needs a source file, or a command behind '--'; 'dvm help fix' says more");
  if (call->root && !p->is_project)
    return dvm_error_set(err, -EINVAL, "'--root' goes with a command behind '--' and no source file");
  return look_at_options(p->compile, end - begin, err);
}

/* The sources that are named choose among those of the database; the rest links the program.  'words' holds the options then. */
static int open_database(struct call *call, struct dvm_list *words, struct dvm_error *err) {
  struct fix_program *p = &call->program;
  struct dvm_list only = DVM_LIST_INIT;
  for (size_t i = 0; i < p->ncompile; i++) {
    const char *arg = p->compile[i];
    bool source = arg[0] != '-' && (cc_language_of_file(arg) == CC_C || cc_is_fortran(arg));
    dvm_list_add(source ? &only : words, arg);
    for (unsigned k = source ? 0 : cc_option_nvalues(arg); k && i + 1 < p->ncompile; k--)
      dvm_list_add(words, p->compile[++i]);
  }
  int rc = only.failed || words->failed ? dvm_error_set(err, -ENOMEM, "out of memory")
                                        : fix_units_read(&p->units, call->database, only.v, only.n, err);
  dvm_list_fini(&only);
  for (size_t i = 0; i < p->units.n; i++)
    p->fortran |= cc_is_fortran(p->units.v[i].file);
  p->compile = words->v;
  p->ncompile = words->n;
  return rc;
}

/* The sources of the call are read before anything is made of them. */
static int load(const struct fix_program *p, struct fix_files *files, struct dvm_error *err) {
  if (p->is_project || p->units.n)
    return 0; /* when there is something to repair in them */
  for (size_t i = 0; i < p->ncompile; i++) {
    const char *arg = p->compile[i];
    if (arg[0] != '-' && arg[0] != '@' && (cc_language_of_file(arg) == CC_C || cc_is_fortran(arg)) && !fix_files_get(files, arg, err))
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

/* What the last run of a project printed. */
static void show(const struct fix_program *p, const char *name) {
  char path[CC_TEMPORARY_MAX + 16], block[4096];
  snprintf(path, sizeof path, "%s/%s", p->folder, name);
  FILE *f = fopen(path, "re");
  for (size_t n; f && (n = fread(block, 1, sizeof block, f)) > 0;)
    fwrite(block, 1, n, stderr);
  if (f)
    fclose(f);
}

/* A command that fails before anything is repaired: 'how' it was built. */
static void say_failed(const struct fix_program *p, const char *out, int status, const char *how) {
  show(p, out);
  show(p, "log");
  fprintf(stderr, "dvm: error: '%s' fails in a copy of '%s' %s: ", p->run[0], p->root, how);
  if (WIFSIGNALED(status))
    fprintf(stderr, "signal %d\n", WTERMSIG(status));
  else
    fprintf(stderr, "status %d\n", WEXITSTATUS(status));
}

static void say_not_compared(const struct fix_program *p, const struct fix_outcome *o) {
  if (p->varies)
    fprintf(stderr, "dvm: note: the program's output differs from run to run, so its output is not compared\n");
  else if (o->verdict == FIX_OTHER_OUTPUT && o->found.n)
    fprintf(stderr, "dvm: note: the program's output is different without directives and checks, so its output is not compared\n");
}

/* What the program reports as it is. */
static int begin(struct fix_repair *r, struct fix_program *p, const char *root, int *status, struct dvm_error *err) {
  struct fix_outcome o;
  int rc = fix_program_begin(p, root, status, err);
  if (!rc && *status && p->is_project)
    say_failed(p, "plain", *status, "already without checks");
  if (rc || *status)
    return rc;
  rc = fix_trial(p, &r->files, true, &o, err);
  if (!rc && o.verdict == FIX_COMPILE_ERROR) {
    *status = o.status;
    if (p->is_project)
      say_failed(p, "checked", *status, "when dvmcc compiles it with checks");
    return 0;
  }
  if (!rc && p->is_project && !o.nreports)
    rc = dvm_error_set(err, -EINVAL, "'%s' ran no program that it had compiled; it is to build the program and to run it", p->run[0]);
  if (!rc)
    say_not_compared(p, &o);
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
  struct dvm_list words = DVM_LIST_INIT;
  int rc = call->database ? open_database(call, &words, err) : 0;
  if (!rc)
    rc = load(&call->program, &r.files, err);
  if (!rc)
    rc = begin(&r, &call->program, call->root, status, err);
  if (!rc && !*status) {
    rc = fix_repair(&r, err);
    if (!rc)
      rc = finish(&r, call, err);
    *status = r.left.n ? W_EXITCODE(EXIT_LEFT, 0) : 0;
  }
  fix_repair_fini(&r);
  dvm_list_fini(&words);
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
