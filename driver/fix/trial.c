#define _GNU_SOURCE
#include "driver/fix/trial.h"
#include "base/text.h"
#include "driver/fix/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- files in the temporary folder --------------------------------------------------------------------------------------- */

static int write_file(const char *path, const char *s, size_t n, struct dvm_error *err) {
  FILE *f = fopen(path, "we");
  bool bad = !f || fwrite(s, 1, n, f) != n;
  if ((f && fclose(f)) || bad)
    return dvm_error_errno(err, "cannot write '%s'", path);
  return 0;
}

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
      rc = write_file(path.s, f->tried.s, f->tried.n, err);
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
    rc = write_file(path.s, overlay.s, overlay.len, err);
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

enum kind { CHECKED, PLAIN, RANKS };

/* The program of ranks is FOLDER/ranks. */
static int compile(const struct fix_program *p, enum kind kind, bool loud, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  char log[CC_TEMPORARY_MAX + 16];
  snprintf(log, sizeof log, "%s/log", p->folder);
  dvm_list_printf(&command, "%s/dvmcc", p->bin);
  dvm_list_add(&command, "-g");
  for (size_t i = 0; i < p->ncompile; i++)
    dvm_list_add(&command, p->compile[i]);
  if (kind == PLAIN) {
    dvm_list_add(&command, "-fdvm=off");
    dvm_list_add(&command, "-Wno-unknown-pragmas");
  } else {
    dvm_list_printf(&command, "-ivfsoverlay%s/overlay.yaml", p->folder);
  }
  if (kind == RANKS)
    dvm_list_add(&command, "-fdvm=parallel");
  dvm_list_add(&command, "-o");
  dvm_list_printf(&command, "%s/%s", p->folder, kind == RANKS ? "ranks" : "program");
  const char *options = getenv("DVM_OPTIONS");
  return spawn(&command, &(struct fix_spawn){.out = loud ? NULL : log, .err = loud ? NULL : log, .options = options}, status, err);
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
  int rc = compile(p, RANKS, false, status, err);
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
static bool same(const struct fix_program *p, const char *a, const char *b) {
  char path[CC_TEMPORARY_MAX + 16], x[4096], y[4096];
  snprintf(path, sizeof path, "%s/%s", p->folder, a);
  FILE *f = fopen(path, "re");
  snprintf(path, sizeof path, "%s/%s", p->folder, b);
  FILE *g = fopen(path, "re");
  bool equal = f && g;
  for (size_t n = 1; equal && n;) {
    n = fread(x, 1, sizeof x, f);
    equal = fread(y, 1, sizeof y, g) == n && !memcmp(x, y, n);
  }
  if (f)
    fclose(f);
  if (g)
    fclose(g);
  return equal;
}

/* The user's own DVM_OPTIONS, then ours.  Owned; NULL without memory. */
static char *options_of(const struct fix_program *p, const char *more) {
  struct dvm_text t = DVM_TEXT_INIT;
  const char *own = getenv("DVM_OPTIONS");
  dvm_text_printf(&t, "%s%scolor=never%s", own ? own : "", own && *own ? ":" : "", more);
  const char *const places[][2] = {{":report=", "/report.jsonl"}, {":sources=", "/sources"}};
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

static int run_checked(const struct fix_program *p, const char *name, const char *more, struct fix_outcome *o, int *status,
                       struct dvm_error *err) {
  char report[CC_TEMPORARY_MAX + 16];
  char *options = options_of(p, more);
  int rc = options ? run(p, name, options, status, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  free(options);
  snprintf(report, sizeof report, "%s/report.jsonl", p->folder);
  if (rc)
    return rc;
  fix_findings_fini(&o->found);
  return fix_findings_read(&o->found, report, err);
}

/* ---- the door ------------------------------------------------------------------------------------------------------------------ */

int fix_program_begin(struct fix_program *p, int *status, struct dvm_error *err) {
  char path[CC_TEMPORARY_MAX + 16];
  int again;
  int rc = cc_folder_create(p->folder, "fix", err);
  if (!rc)
    rc = compile(p, PLAIN, true, status, err);
  if (rc || *status)
    return rc;
  snprintf(path, sizeof path, "%s/program", p->folder);
  if (access(path, X_OK))
    return dvm_error_set(err, -EINVAL, "the compiler produced no program; 'dvm fix' needs a complete program to run");
  rc = run(p, "plain", NULL, &p->status, err);
  if (!rc)
    rc = run(p, "again", NULL, &again, err);
  p->varies = !rc && (again != p->status || !same(p, "plain", "again"));
  return rc;
}

void fix_program_end(struct fix_program *p) { cc_folder_remove(p->folder); }

void fix_outcome_fini(struct fix_outcome *o) { fix_findings_fini(&o->found); }

static int judge(const struct fix_program *p, struct fix_outcome *o, struct dvm_error *err) {
  int status;
  int rc = run_checked(p, "checked", "", o, &status, err);
  if (rc)
    return rc;
  o->verdict = o->found.n ? FIX_REPORTS : FIX_SILENT;
  if (p->varies)
    return 0;
  if (!same(p, "plain", "checked") || (!o->found.n && status != p->status)) {
    o->verdict = FIX_OTHER_OUTPUT;
    return 0;
  }
  if (o->found.n)
    return 0;
  static const char *const emulations[] = {":reduction=emulate", ":device=emulate"};
  for (size_t i = 0; i < 2 && !rc && o->verdict == FIX_SILENT; i++) {
    rc = run_checked(p, "emulated", emulations[i], o, &status, err);
    if (!rc && (o->found.n || status != p->status || !same(p, "plain", "emulated")))
      o->verdict = FIX_OTHER_EMULATED;
  }
  if (rc || o->verdict != FIX_SILENT || p->status)
    return rc;
  rc = run_ranks(p, &status, err); /* what cannot be executed by ranks, or is refused there, is not held against the repair */
  if (!rc && !status && !same(p, "plain", "of_ranks"))
    o->verdict = FIX_OTHER_RANKS;
  return rc;
}

int fix_trial(const struct fix_program *p, const struct fix_files *files, bool loud, struct fix_outcome *o, struct dvm_error *err) {
  *o = (struct fix_outcome){.verdict = FIX_COMPILE_ERROR};
  int rc = write_texts(p, files, err);
  if (!rc)
    rc = compile(p, CHECKED, loud, &o->status, err);
  if (!rc && !o->status)
    rc = judge(p, o, err);
  for (size_t i = 0; i < o->found.n; i++)
    o->found.v[i].origin = fix_files_origin(files, o->found.v[i].file, o->found.v[i].line);
  return rc;
}
