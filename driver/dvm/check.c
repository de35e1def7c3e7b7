#define _GNU_SOURCE
#include "driver/folder.h"
#include "driver/dvm/check.h"
#include "driver/list.h"
#include "driver/plan.h"
#include "driver/run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

const char dvm_check_help[] =
    "usage: dvm check FILE.c|FILE.f90.. [compiler option...] [-- ARGUMENT...]\n"
    "\n"
    "Compiles the program with 'dvmcc -g' (Fortran, '.fdv' too: 'dvmfc -g') into a temporary folder, runs it once with the ARGUMENTs, and "
    "reports "
    "every\n"
    "wrong directive that this run reveals.  The exit status is the program's own, or 66 if an error was reported\n"
    "(DVM_OPTIONS=exitcode=N changes that), or the compiler's if the program does not compile.\n"
    "\n"
    "Without -O... the compiler's default optimisation level applies.  Environment: DVM_OPTIONS for the\n"
    "program (DVM_OPTIONS=help=1 lists its keys), TMPDIR for the temporary folder.\n";

/* The call parted at '--', and the temporary folder with the one file in it. */
struct check {
  char *const *compile;
  size_t ncompile;
  char *const *run;
  size_t nrun;
  char folder[CC_TEMPORARY_MAX];
  char *program;           /* owned */
};

/* The program is called as the first source file is, without folder and extension: its messages may name it. */
static char *program_name(const struct check *check) {
  const char *name = "a.out";
  for (size_t i = 0; i < check->ncompile; i++) {
    const char *arg = check->compile[i];
    if (arg[0] != '-' && (cc_language_of_file(arg) == CC_C || cc_is_fortran(arg))) {
      const char *slash = strrchr(arg, '/');
      name = slash ? slash + 1 : arg;
      break;
    }
    i += cc_option_nvalues(arg);
  }
  const char *dot = strrchr(name, '.');
  return strndup(name, dot && dot > name && strcmp(name, "a.out") ? (size_t)(dot - name) : strlen(name));
}

static int make_folder(struct check *check, struct dvm_error *err) {
  char *name = program_name(check);
  int rc = name ? cc_folder_create(check->folder, "check", err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc && asprintf(&check->program, "%s/%s", check->folder, name) < 0) {
    check->program = NULL;
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  }
  free(name);
  return rc;
}

static void remove_folder(struct check *check) {
  cc_folder_remove(check->folder);
  free(check->program);
}

/* dvmfc compiles C too, and links what Fortran needs. */
static const char *compiler_of(const struct check *check) {
  for (size_t i = 0; i < check->ncompile; i++)
    if (check->compile[i][0] != '-' && cc_is_fortran(check->compile[i]))
      return "dvmfc";
    else
      i += cc_option_nvalues(check->compile[i]);
  return "dvmcc";
}

static int compile(const struct check *check, const struct dvm_place *place, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  dvm_list_printf(&command, "%s/%s", place->bin, compiler_of(check));
  dvm_list_add(&command, "-g");
  for (size_t i = 0; i < check->ncompile; i++)
    dvm_list_add(&command, check->compile[i]);
  dvm_list_add(&command, "-o");
  dvm_list_add(&command, check->program);
  int rc = command.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : dvm_run_wait(&command, status, err);
  dvm_list_fini(&command);
  return rc;
}

static int run(const struct check *check, int *status, struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  dvm_list_add(&command, check->program);
  for (size_t i = 0; i < check->nrun; i++)
    dvm_list_add(&command, check->run[i]);
  int rc = 0;
  if (command.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  else if (access(check->program, X_OK))
    rc = dvm_error_set(err, -EINVAL, "the compiler produced no program; 'dvm check' needs a complete program to run");
  else
    rc = dvm_run_wait(&command, status, err);
  dvm_list_fini(&command);
  return rc;
}

static int part(struct check *check, char *const *args, int n, struct dvm_error *err) {
  int end = 0;
  while (end < n && strcmp(args[end], "--"))
    end++;
  *check = (struct check){.compile = args, .ncompile = (size_t)end};
  if (end < n) {
    check->run = args + end + 1;
    check->nrun = (size_t)(n - end - 1);
  }
  if (!end)
    return dvm_error_set(err, -EINVAL, "'dvm check' needs a source file; 'dvm help check' says more");
  for (int i = 0; i < end; i++) {
    if (!strncmp(args[i], "-o", 2) || !strcmp(args[i], "--output"))
      return dvm_error_set(err, -EINVAL, "'dvm check' does not keep the program, so '%s' is meaningless; use 'dvmcc'", args[i]);
    i += (int)cc_option_nvalues(args[i]);
  }
  return 0;
}

int dvm_check(char *const *args, int n, const struct dvm_place *place) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct check check;
  int status = 0;
  int rc = part(&check, args, n, &err);
  if (!rc)
    rc = make_folder(&check, &err);
  if (!rc)
    rc = compile(&check, place, &status, &err);
  if (!rc && !status)
    rc = run(&check, &status, &err);
  remove_folder(&check);
  if (!rc)
    return dvm_run_end_like(status);
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc == -EINVAL ? EXIT_USAGE : 1;
}
