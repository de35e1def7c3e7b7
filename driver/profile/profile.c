/* dvm profile: where the time of a parallel program went. */
#define _GNU_SOURCE
#include "base/output.h"
#include "base/path.h"
#include "base/usage.h"
#include "driver/folder.h"
#include "driver/profile/job.h"
#include "driver/profile/model.h"
#include "driver/profile/show.h"
#include "driver/run.h"
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: dvm profile [--json | --html] [--output FILE] [--keep FOLDER] -- COMMAND [argument...]\n"
    "       dvm profile [--json | --html] [--output FILE] FOLDER\n"
    "\n"
    "Runs a program that was compiled with 'dvmcc -fdvm=parallel', on one rank or by a launcher ('mpirun -n 4 ./prog',\n"
    "'dvm run -n 4 ./prog'), and says where its time went: by interval (#pragma dvm interval) in DVM's terms, by directive\n"
    "what was computed, sent, waited for and why. The exit status is the program's. The second form shows the profile in a\n"
    "folder that '--keep', or DVM_OPTIONS=profile=FOLDER of a job in a queue, has left.\n"
    "\n"
    "  --json         all figures as JSON\n"
    "  --html         one page with a bar for each rank and directive\n"
    "  --output FILE  write into FILE in place of standard output, where the profile follows what the program prints;\n"
    "                 with --json or --html and no FILE the program's output goes to standard error\n"
    "  --keep FOLDER  keep the files of the ranks; on several hosts a folder that all of them see\n";

struct call {
  bool json, html;
  const char *output, *keep, *read;
  char *const *command;
};

/* 0, -1: done, or the exit status. */
static int read_call(struct call *c, int argc, char **argv) {
  static const struct option names[] = {{"json", 0, NULL, 'j'}, {"html", 0, NULL, 'w'}, {"output", 1, NULL, 'o'},
                                        {"keep", 1, NULL, 'k'}, {"help", 0, NULL, 'h'}, {NULL, 0, NULL, 0}};
  int o;
  *c = (struct call){.json = false};
  opterr = 0;
  while ((o = getopt_long(argc, argv, "+:o:h", names, NULL)) >= 0)
    switch (o) {
    case 'j': c->json = true; break;
    case 'w': c->html = true; break;
    case 'o': c->output = optarg; break;
    case 'k': c->keep = optarg; break;
    case 'h': fputs(help, stdout); return -1;
    default: return dvm_usage_refused("profile", o, argv, names);
    }
  bool behind = optind > 1 && !strcmp(argv[optind - 1], "--");
  struct stat st;
  c->command = argv + optind;
  if (c->json && c->html)
    return dvm_usage_error("profile", "'--json' and '--html' cannot be used together");
  if (!argv[optind])
    return dvm_usage_error("profile", "it needs a program to run, or the folder of a profile");
  if (behind || argv[optind + 1] || stat(argv[optind], &st) || !S_ISDIR(st.st_mode))
    return 0;
  c->read = argv[optind];
  return c->keep ? dvm_usage_error("profile", "'--keep' needs a program to run") : 0;
}

/* ---- the profile's own output ---------------------------------------------------------------------------------------------- */

struct output {
  FILE *f;
  char *part; /* owned; written under this name until it is whole; NULL: standard output, a device */
};

/* Before the program runs, so that no run is in vain. */
static int open_output(struct output *o, const char *path, struct dvm_error *err) {
  struct stat st;
  *o = (struct output){.f = stdout};
  if (!path)
    return 0;
  if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    o->f = fopen(path, "we");
    return o->f ? 0 : dvm_error_errno(err, "cannot write '%s'", path);
  }
  int rc = dvm_path_replaceable(path, err);
  if (!rc && asprintf(&o->part, "%s.%ld.part", path, (long)getpid()) < 0) {
    o->part = NULL;
    return dvm_error_set(err, -ENOMEM, "out of memory");
  }
  o->f = rc ? NULL : fopen(o->part, "wxe");
  return rc || o->f ? rc : dvm_error_errno(err, "cannot write '%s'", path);
}

static int close_output(struct output *o, const char *path, bool whole, struct dvm_error *err) {
  int rc = 0;
  if (o->f && o->f != stdout) {
    errno = 0;
    bool lost = ferror(o->f) != 0;
    int code = fflush(o->f) ? errno : lost ? ENOSPC : 0; /* what a write that failed before was refused for is not known any more */
    int closed = fclose(o->f);
    errno = code ? code : errno;
    if ((closed || code || (whole && o->part && rename(o->part, path))) && whole)
      rc = dvm_error_errno(err, "cannot write '%s'", path);
    if (o->part && (rc || !whole))
      unlink(o->part);
  }
  free(o->part);
  *o = (struct output){.f = NULL};
  return rc;
}

/* ---- the whole of it --------------------------------------------------------------------------------------------------------- */

static int show(const struct call *c, const char *folder, FILE *f, struct dvm_error *err) {
  struct prof_model m;
  int rc = prof_model_load(&m, folder, err);
  if (!rc && (c->json || c->html))
    rc = (c->json ? prof_show_json : prof_show_html)(&m, f) ? dvm_error_set(err, -ENOMEM, "out of memory") : 0;
  else if (!rc)
    prof_show_text(&m, f);
  prof_model_fini(&m);
  return rc;
}

/* Why there is nothing to show. */
static int explain(const struct call *c, int status, int rc, struct dvm_error *err) {
  if (rc == -ENOENT && WIFSIGNALED(status))
    return dvm_error_set(err, rc, "'%s' was killed by signal %d (%s) and has left no profile", c->command[0], WTERMSIG(status),
                         strsignal(WTERMSIG(status)));
  if (rc == -ENOENT && status)
    return dvm_error_set(err, rc, "the program ended with status %d before it could write a profile", WEXITSTATUS(status));
  if (rc == -ENOENT)
    return dvm_error_set(
        err, rc,
        "no profile was written: compile the program with 'dvmcc -fdvm=parallel'; ranks on other hosts need '--keep FOLDER' "
        "with a folder that all see, and DVM_OPTIONS (mpirun -x DVM_OPTIONS)");
  return rc;
}

static int absolute(const char *path, char *to, struct dvm_error *err) {
  if (mkdir(path, 0777) && errno != EEXIST)
    return dvm_error_errno(err, "cannot make the folder '%s'", path);
  if (!realpath(path, to))
    return dvm_error_errno(err, "cannot use the folder '%s'", path);
  struct stat st;
  if (stat(to, &st) || !S_ISDIR(st.st_mode))
    return dvm_error_set(err, -ENOTDIR, "'%s' is no folder", path);
  return access(to, W_OK | X_OK) ? dvm_error_errno(err, "cannot write into the folder '%s'", path) : 0;
}

/* What an earlier run has left there is not taken for this one's. */
static void forget(const char *folder) {
  char *path;
  for (int q = 0; q < PROF_RANKS_MAX; q++) {
    if (asprintf(&path, "%s/rank.%d", folder, q) < 0)
      return;
    int rc = unlink(path);
    free(path);
    if (rc)
      return;
  }
}

static int run(const struct call *c, FILE *f, int *status, struct dvm_error *err) {
  char folder[PATH_MAX] = "", own[CC_TEMPORARY_MAX] = "";
  int rc = c->keep ? absolute(c->keep, folder, err) : cc_folder_create(own, "profile", err);
  if (!rc && c->keep)
    forget(folder);
  if (!rc)
    rc = prof_job_run(c->command, c->keep ? folder : own, f == stdout && (c->json || c->html), status, err);
  if (!rc && (rc = show(c, c->keep ? folder : own, f, err)))
    rc = explain(c, *status, rc, err);
  cc_folder_remove(own);
  return rc;
}

static int profile(const struct call *c, int *status, struct dvm_error *err) {
  struct output o = {NULL, NULL};
  struct dvm_error closing = DVM_ERROR_INIT;
  int rc = c->read ? 0 : prof_job_look(c->command, err);
  if (!rc)
    rc = open_output(&o, c->output, err);
  if (!rc && c->read) {
    rc = show(c, c->read, o.f, err);
    if (rc == -ENOENT)
      dvm_error_set(err, rc, "there is no profile in the folder '%s'", c->read);
  } else if (!rc) {
    rc = run(c, o.f, status, err);
  }
  int close_rc = close_output(&o, c->output, !rc, &closing);
  return !rc && close_rc ? dvm_error_set(err, close_rc, "%s", closing.text) : rc;
}

int main(int argc, char **argv) {
  struct call c;
  struct dvm_error err = DVM_ERROR_INIT;
  int status = 0;
  dvm_output_begin();
  int rc = read_call(&c, argc, argv);
  if (rc)
    return dvm_output_end(rc < 0 ? 0 : rc);
  rc = profile(&c, &status, &err);
  if (rc)
    fprintf(stderr, "dvm: error: %s\n", err.text);
  rc = dvm_output_end(rc && !status ? 1 : 0);
  return status ? dvm_run_end_like(status) : rc;
}
