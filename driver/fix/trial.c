#define _GNU_SOURCE
#include "driver/fix/trial.h"
#include "base/text.h"
#include "driver/fix/project.h"
#include "driver/fix/same.h"
#include "driver/fix/spawn.h"
#include "driver/plan.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files in the temporary folder --------------------------------------------------------------------------------------- */

/* All folders that lead to the file. */
static void make_way(char *path) {
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
}

/* The texts, where the run-time library looks for them, and the overlay that makes clang see them under the files' own names. */
static int write_texts(const struct fix_program *p, const struct fix_files *files, struct dvm_error *err) {
  struct dvm_text overlay = DVM_TEXT_INIT, path = DVM_TEXT_INIT;
  int rc = 0;
  dvm_text_add(&overlay, "{\"version\": 0, \"case-sensitive\": \"true\", \"use-external-names\": \"false\", \"roots\": [");
  for (size_t i = 0; i < files->n && !rc; i++) {
    const struct fix_file *f = &files->v[i];
    dvm_text_clear(&path);
    dvm_text_printf(&path, "%s/sources%s", p->folder, f->path);
    if (!path.failed) {
      make_way(path.s);
      rc = fix_file_write(path.s, f->tried.s, f->tried.n, err);
    }
    dvm_text_printf(&overlay, "%s{\"type\": \"file\", \"name\": ", i ? ", " : "");
    dvm_text_add_quoted(&overlay, f->path);
    dvm_text_add(&overlay, ", \"external-contents\": ");
    dvm_text_add_quoted(&overlay, dvm_text_str(&path));
    dvm_text_add(&overlay, "}");
  }
  dvm_text_add(&overlay, "]}\n");
  dvm_text_clear(&path);
  dvm_text_printf(&path, "%s/overlay.yaml", p->folder);
  if (!rc && (overlay.failed || path.failed))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = fix_file_write(path.s, overlay.s, overlay.len, err);
  dvm_text_fini(&overlay);
  dvm_text_fini(&path);
  return rc;
}

/* ---- compiling and running ------------------------------------------------------------------------------------------------- */

static int spawn(struct dvm_list *command, const struct fix_spawn *how, int *status, struct dvm_error *err) {
  struct fix_spawn s = *how;
  s.command = command;
  int rc = command->failed ? dvm_error_set(err, -ENOMEM, "out of memory") : fix_spawn(&s, status, err);
  dvm_list_fini(command);
  return rc;
}

/* Modules of Fortran are written beside the program, unless the call says where. */
static bool says_where_modules_go(const struct fix_program *p) {
  for (size_t i = 0; i < p->ncompile; i++)
    if (!strncmp(p->compile[i], "-J", 2) || !strncmp(p->compile[i], "-module-dir", 11) || !strcmp(p->compile[i], "-module"))
      return true;
  return false;
}

/* Of a unit: modules are read where they would be written. */
static void add_unit_option(struct dvm_list *command, const char *option, bool fortran) {
  if (fortran && (!strcmp(option, "-module-dir") || !strcmp(option, "-module")))
    dvm_list_add(command, "-I");
  else if (fortran && !strncmp(option, "-J", 2))
    dvm_list_printf(command, "-I%s", option + 2);
  else
    dvm_list_add(command, option);
}

static void add_fortran_mode(struct dvm_list *command, const struct fix_program *p, enum fix_kind kind) {
  if (p->units.n || !says_where_modules_go(p)) {
    dvm_list_add(command, "-J");
    dvm_list_add(command, p->folder);
  }
  if (kind != FIX_PLAIN)
    dvm_list_printf(command, "-fdvm-fix=%s", p->folder);
  if (p->units.n)
    dvm_list_add(command, "-fdvm-absolute");
  dvm_list_add(command, kind == FIX_PLAIN ? "-fdvm=off" : kind == FIX_RANKS ? "-fdvm=parallel" : "-fdvm=check");
}

/* What the mode adds to a call of the compiler. */
static void add_mode(struct dvm_list *command, const struct fix_program *p, enum fix_kind kind) {
  dvm_list_add(command, "--start-no-unused-arguments");
  if (kind == FIX_PLAIN) {
    dvm_list_add(command, "-Wno-unknown-pragmas");
  } else {
    dvm_list_printf(command, "-ivfsoverlay%s/overlay.yaml", p->folder);
    if (p->units.n)
      dvm_list_add(command, "-fplugin-arg-dvm-absolute");
    if (kind == FIX_CHECKED)
      dvm_list_add(command, "-fplugin-arg-dvm-at-run");
  }
  dvm_list_add(command, "--end-no-unused-arguments");
  dvm_list_add(command, kind == FIX_PLAIN ? "-fdvm=off" : kind == FIX_RANKS ? "-fdvm=parallel" : "-fdvm=check");
}

static int call_compiler(const struct fix_program *p, struct dvm_list *command, const char *folder, bool loud, int *status,
                         struct dvm_error *err) {
  char log[CC_TEMPORARY_MAX + 16];
  snprintf(log, sizeof log, "%s/log", p->folder);
  const char *options = getenv("DVM_OPTIONS");
  return spawn(command, &(struct fix_spawn){.out = loud ? NULL : log, .err = loud ? NULL : log, .options = options, .folder = folder},
               status, err);
}

static int compile_unit(const struct fix_program *p, size_t i, enum fix_kind kind, bool loud, int *status, struct dvm_error *err) {
  const struct fix_unit *unit = &p->units.v[i];
  const bool fortran = cc_is_fortran(unit->file);
  struct dvm_list command = DVM_LIST_INIT;
  dvm_list_printf(&command, "%s/%s", p->bin, fortran ? "dvmfc" : "dvmcc");
  dvm_list_add(&command, "-g");
  if (fortran) /* modules of this build before those of another */
    dvm_list_printf(&command, "-I%s", p->folder);
  for (size_t k = 0; k < unit->options.n; k++)
    add_unit_option(&command, unit->options.v[k], fortran);
  fortran ? add_fortran_mode(&command, p, kind) : add_mode(&command, p, kind);
  dvm_list_add(&command, "-c");
  dvm_list_add(&command, unit->file);
  dvm_list_add(&command, "-o");
  dvm_list_printf(&command, "%s/%zu.o", p->folder, i);
  return call_compiler(p, &command, unit->folder, loud, status, err);
}

/* A file that needs the modules of others comes behind them: what fails is tried again as long as others succeed. */
static int compile_units(const struct fix_program *p, enum fix_kind kind, bool loud, int *status, struct dvm_error *err) {
  bool *done = calloc(p->units.n + 1, sizeof *done);
  size_t left = p->units.n, before = left + 1;
  int rc = done ? 0 : dvm_error_set(err, -ENOMEM, "out of memory"), failed = 0;
  while (!rc && left && left < before) {
    before = left;
    for (size_t i = 0; i < p->units.n && !rc; i++)
      if (!done[i]) {
        rc = compile_unit(p, i, kind, loud && !p->fortran, status, err);
        failed = *status ? *status : failed;
        done[i] = !rc && !*status;
        left -= done[i];
        if (!done[i] && !p->fortran)
          before = 0; /* in C nothing changes that */
      }
  }
  for (size_t i = 0; i < p->units.n && !rc && left && loud && p->fortran; i++)
    rc = done[i] ? 0 : compile_unit(p, i, kind, true, status, err);
  *status = left ? failed : 0;
  free(done);
  return rc;
}

/* The sources of the call, or what its options link.  The program of ranks is FOLDER/ranks. */
static int compile(const struct fix_program *p, enum fix_kind kind, bool loud, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  *status = 0;
  int rc = compile_units(p, kind, loud, status, err);
  if (rc || *status)
    return rc;
  dvm_list_printf(&command, "%s/%s", p->bin, p->fortran ? "dvmfc" : "dvmcc");
  dvm_list_add(&command, "-g");
  for (size_t i = 0; i < p->units.n; i++)
    dvm_list_printf(&command, "%s/%zu.o", p->folder, i);
  for (size_t i = 0; i < p->ncompile; i++)
    dvm_list_add(&command, p->compile[i]);
  p->fortran ? add_fortran_mode(&command, p, kind) : add_mode(&command, p, kind);
  dvm_list_add(&command, "-o");
  dvm_list_printf(&command, "%s/%s", p->folder, kind == FIX_RANKS ? "ranks" : "program");
  return call_compiler(p, &command, NULL, loud, status, err);
}

/* Its output goes to FOLDER/NAME. */
static int run(const struct fix_program *p, const char *name, const char *options, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  char out[CC_TEMPORARY_MAX + 16], log[CC_TEMPORARY_MAX + 16];
  snprintf(out, sizeof out, "%s/%s", p->folder, name);
  snprintf(log, sizeof log, "%s/log", p->folder);
  dvm_list_printf(&command, "%s/program", p->folder);
  for (size_t i = 0; i < p->nrun; i++)
    dvm_list_add(&command, p->run[i]);
  return spawn(&command, &(struct fix_spawn){.input = true, .out = out, .err = log, .options = options}, status, err);
}

/* The program on two ranks.  'status' is not zero where it cannot be executed so. */
static int run_ranks(const struct fix_program *p, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  char out[CC_TEMPORARY_MAX + 16], log[CC_TEMPORARY_MAX + 16];
  int rc = compile(p, FIX_RANKS, false, status, err);
  if (rc || *status)
    return rc;
  snprintf(out, sizeof out, "%s/of_ranks", p->folder);
  snprintf(log, sizeof log, "%s/log", p->folder);
  dvm_list_add(&command, "timeout");
  dvm_list_add(&command, "120");
  dvm_list_printf(&command, "%s/dvm", p->bin);
  dvm_list_add(&command, "run");
  dvm_list_add(&command, "-n");
  dvm_list_add(&command, "2");
  dvm_list_printf(&command, "%s/ranks", p->folder);
  for (size_t i = 0; i < p->nrun; i++)
    dvm_list_add(&command, p->run[i]);
  return spawn(&command, &(struct fix_spawn){.input = true, .out = out, .err = log, .options = NULL}, status, err);
}

/* Do FOLDER/a and FOLDER/b hold the same? */
static bool same(const struct fix_program *p, const char *a, const char *b, bool (*equal)(const char *, const char *)) {
  char first[CC_TEMPORARY_MAX + 16], second[CC_TEMPORARY_MAX + 16];
  snprintf(first, sizeof first, "%s/%s", p->folder, a);
  snprintf(second, sizeof second, "%s/%s", p->folder, b);
  return equal(first, second);
}

/* The user's own DVM_OPTIONS, then ours.  Owned; NULL without memory. */
static char *options_of(const struct fix_program *p, const char *more) {
  const char *own_status = p->is_project ? ":exitcode=0" : ""; /* the command goes on behind a program with reports */
  struct dvm_text t = DVM_TEXT_INIT;
  const char *own = getenv("DVM_OPTIONS");
  dvm_text_printf(&t, "%s%scolor=never%s%s", own ? own : "", own && *own ? ":" : "", own_status, more);
  const char *const places[][2] = {{":report=", "/reports/%p.jsonl"}, {":sources=", "/sources"}};
  for (size_t i = 0; i < 2; i++) {
    dvm_text_add(&t, places[i][0]);
    for (const char *s = p->folder; *s; s++) {
      dvm_text_add(&t, *s == ':' ? "\\" : "");
      dvm_text_add_n(&t, s, 1);
    }
    dvm_text_add(&t, places[i][1]);
  }
  if (!t.failed)
    return t.s;
  dvm_text_fini(&t);
  return NULL;
}

/* How the reports' names of files are shown. */
static int name_files(const struct fix_program *p, struct dvm_list *names) {
  char *here = p->units.n || p->fortran ? realpath(".", NULL) : NULL;
  if (p->is_project) {
    dvm_list_printf(names, "%s/tree%s/", p->folder, p->below);
    dvm_list_add(names, "");
    dvm_list_printf(names, "%s/tree/", p->folder);
    dvm_list_printf(names, "%s/", p->root);
  } else if (here) { /* included files of Fortran are read where their texts lie that are tried */
    dvm_list_printf(names, "%s/sources%s/", p->folder, here);
    dvm_list_add(names, "");
    dvm_list_printf(names, "%s/sources/", p->folder);
    dvm_list_add(names, "/");
    dvm_list_printf(names, "%s/", here);
    dvm_list_add(names, "");
  }
  free(here);
  return names->failed ? -ENOMEM : 0;
}

static int run_checked(const struct fix_program *p, const struct fix_files *files, const char *name, const char *more,
                       struct fix_outcome *o, int *status, struct dvm_error *err) {
  char folder[CC_TEMPORARY_MAX + 16];
  struct dvm_list names = DVM_LIST_INIT;
  char *options = options_of(p, more);
  snprintf(folder, sizeof folder, "%s/reports", p->folder);
  cc_folder_remove(folder);
  mkdir(folder, 0700);
  int rc = !options        ? dvm_error_set(err, -ENOMEM, "out of memory")
           : p->is_project ? fix_project_run(p, files, FIX_CHECKED, name, options, status, err)
                           : run(p, name, options, status, err);
  free(options);
  if (rc)
    return rc;
  fix_findings_fini(&o->found);
  rc = name_files(p, &names) ? dvm_error_set(err, -ENOMEM, "out of memory")
                             : fix_findings_read(&o->found, folder, &names, &o->nreports, err);
  dvm_list_fini(&names);
  return rc;
}

/* ---- the door ------------------------------------------------------------------------------------------------------------------ */

static int run_plain(const struct fix_program *p, const char *name, int *status, struct dvm_error *err) {
  return p->is_project ? fix_project_run(p, NULL, FIX_PLAIN, name, NULL, status, err) : run(p, name, NULL, status, err);
}

static int make_program(const struct fix_program *p, int *status, struct dvm_error *err) {
  char path[CC_TEMPORARY_MAX + 16];
  int rc = compile(p, FIX_PLAIN, true, status, err);
  snprintf(path, sizeof path, "%s/program", p->folder);
  if (!rc && !*status && access(path, X_OK))
    rc = dvm_error_set(err, -EINVAL, "the compiler produced no program; 'dvm fix' needs a complete program to run");
  return rc;
}

int fix_program_begin(struct fix_program *p, const char *root, int *status, struct dvm_error *err) {
  char real[PATH_MAX];
  int again = 0;
  *status = 0;
  int rc = cc_folder_create(p->folder, "fix", err);
  if (!rc && realpath(p->folder, real) && strlen(real) < sizeof p->folder)
    memcpy(p->folder, real, strlen(real) + 1);
  if (!rc)
    rc = p->is_project ? fix_project_begin(p, root, err) : make_program(p, status, err);
  if (rc || *status)
    return rc;
  rc = run_plain(p, "plain", &p->status, err);
  if (!rc && p->is_project && !fix_project_compiled(p) && !p->status)
    return dvm_error_set(err, -EINVAL,
                         "'%s' did not call the compiler; it must use $CC or $FC, or call 'cc', 'gcc', 'clang', 'gfortran' or 'flang'",
                         p->run[0]);
  if (!rc && p->is_project && p->status) {
    *status = p->status;
    return 0;
  }
  if (!rc)
    rc = run_plain(p, "again", &again, err);
  p->varies = !rc && (again != p->status || !same(p, "plain", "again", fix_same));
  return rc;
}

void fix_program_end(struct fix_program *p) {
  cc_folder_remove(p->folder);
  fix_units_fini(&p->units);
  free(p->root);
  free(p->below);
}

void fix_outcome_fini(struct fix_outcome *o) { fix_findings_fini(&o->found); }

/* On two ranks.  What cannot be executed so, or is refused there, is not held against the repair. */
static int judge_ranks(const struct fix_program *p, const struct fix_files *files, struct fix_outcome *o, struct dvm_error *err) {
  int status = 0;
  int rc = p->is_project ? fix_project_run(p, files, FIX_RANKS, "of_ranks", NULL, &status, err) : run_ranks(p, &status, err);
  bool ran = p->is_project ? fix_project_ranks_ran(p) : !status;
  if (!rc && ran && (status || !(p->varies || same(p, "plain", "of_ranks", fix_same_but_rounding))))
    o->verdict = FIX_OTHER_RANKS;
  return rc;
}

static bool is_other(const struct fix_program *p, const char *name, int status, const struct fix_outcome *o) {
  return (!p->varies && !same(p, "plain", name, fix_same)) ||
         ((!o->found.n || p->is_project) && (!p->varies || p->is_project) && status != p->status);
}

static int judge(const struct fix_program *p, const struct fix_files *files, struct fix_outcome *o, struct dvm_error *err) {
  int status;
  int rc = run_checked(p, files, "checked", "", o, &status, err);
  if (rc)
    return rc;
  if (p->is_project && status != p->status && !o->found.n) {
    o->status = status; /* the build fails, as far as can be told */
    return 0;
  }
  o->verdict = is_other(p, "checked", status, o) ? FIX_OTHER_OUTPUT : o->found.n ? FIX_REPORTS : FIX_SILENT;
  if (o->verdict != FIX_SILENT || (p->varies && !p->is_project))
    return 0;
  static const char *const emulations[] = {":reduction=emulate", ":device=emulate"};
  for (size_t i = 0; i < 2 && !rc && o->verdict == FIX_SILENT; i++) {
    rc = run_checked(p, files, "emulated", emulations[i], o, &status, err);
    if (!rc && (o->found.n || is_other(p, "emulated", status, o)))
      o->verdict = FIX_OTHER_EMULATED;
  }
  return rc || o->verdict != FIX_SILENT || p->status ? rc : judge_ranks(p, files, o, err);
}

int fix_trial(const struct fix_program *p, const struct fix_files *files, bool loud, struct fix_outcome *o, struct dvm_error *err) {
  *o = (struct fix_outcome){.verdict = FIX_COMPILE_ERROR};
  int rc = p->is_project ? 0 : write_texts(p, files, err);
  if (!rc && !p->is_project)
    rc = compile(p, FIX_CHECKED, loud, &o->status, err);
  if (!rc && !o->status)
    rc = judge(p, files, o, err);
  for (size_t i = 0; i < o->found.n; i++)
    o->found.v[i].origin = fix_files_origin(files, o->found.v[i].file, o->found.v[i].line);
  return rc;
}
