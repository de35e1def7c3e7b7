#include "driver/fortran/preprocess.h"
#include "driver/plan.h"
#include "driver/run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

bool fc_preprocesses(const struct dvm_list *args) {
  bool only = false;
  for (size_t i = 0; i < args->n; i++) {
    if (!strcmp(args->v[i], "-dM"))
      return false;
    only |= !strcmp(args->v[i], "-E");
  }
  return only;
}

static bool has_directives_of_cpp(const char *name, struct dvm_error *err, int *rc) {
  char line[4096];
  bool found = false, begins = true;
  FILE *f = fopen(name, "r");
  if (!f) {
    *rc = dvm_error_errno(err, "cannot read '%s'", name);
    return false;
  }
  while (!found && fgets(line, sizeof line, f)) {
    found = begins && line[0] == '#';
    begins = strchr(line, '\n') != NULL;
  }
  fclose(f);
  return found;
}

/* As it stands, with its name before it. */
static int copy(const char *name, const char *output, struct dvm_error *err) {
  char block[65536];
  FILE *from = fopen(name, "r"), *to = output ? fopen(output, "w") : stdout;
  int rc = from && to ? 0 : dvm_error_errno(err, "cannot preprocess '%s' to '%s'", name, output ? output : "-");
  if (!rc)
    fprintf(to, "#line 1 \"%s\"\n", name);
  for (size_t n; !rc && (n = fread(block, 1, sizeof block, from)) > 0;)
    if (fwrite(block, 1, n, to) != n)
      rc = dvm_error_errno(err, "cannot write '%s'", output ? output : "the output");
  if (from)
    fclose(from);
  if (to && (to == stdout ? fflush(to) : fclose(to)) && !rc)
    rc = dvm_error_errno(err, "cannot write '%s'", output ? output : "the output");
  return rc;
}

/* clang as the preprocessor of before C89: it leaves text alone that is not C, comments of Fortran too. */
static int expand(const struct dvm_list *args, const char *name, const char *output, const struct dvm_place *place, int *status,
                  struct dvm_error *err) {
  static const char *const fixed[] = {"-E",
                                      "-x",
                                      "c",
                                      "-traditional-cpp",
                                      "-Wno-everything",
                                      "-undef",
                                      "-D__flang__=1",
                                      "-D__flang_major__=19",
                                      "-D__flang_minor__=1",
                                      "-D__flang_patchlevel__=7"};
  struct dvm_list command = DVM_LIST_INIT;
  dvm_list_add(&command, place->clang);
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    dvm_list_add(&command, fixed[i]);
  for (size_t i = 0; i < args->n; i++)
    if (!strncmp(args->v[i], "-D", 2) || !strncmp(args->v[i], "-U", 2) || !strncmp(args->v[i], "-I", 2)) {
      dvm_list_add(&command, args->v[i]);
      if (!args->v[i][2] && i + 1 < args->n)
        dvm_list_add(&command, args->v[++i]);
    }
  dvm_list_add(&command, name);
  if (output) {
    dvm_list_add(&command, "-o");
    dvm_list_add(&command, output);
  }
  int rc = command.failed ? dvm_error_set(err, -ENOMEM, "out of memory") : dvm_run_wait(&command, status, err);
  dvm_list_fini(&command);
  return rc;
}

int fc_preprocess(const struct dvm_list *args, const struct dvm_place *place, int *status, struct dvm_error *err) {
  const char *output = NULL;
  int rc = 0;
  for (size_t i = 0; i + 1 < args->n; i++)
    if (!strcmp(args->v[i], "-o") && strcmp(args->v[i + 1], "-") != 0)
      output = args->v[i + 1];
  *status = 0;
  for (size_t i = 0; i < args->n && !rc && !*status; i++) {
    const char *name = args->v[i];
    if (!strcmp(name, "-o") || !cc_is_fortran(name) || name[0] == '-') {
      i += !strcmp(name, "-o");
      continue;
    }
    const bool cpp = has_directives_of_cpp(name, err, &rc);
    if (!rc)
      rc = cpp ? expand(args, name, output, place, status, err) : copy(name, output, err);
  }
  return rc;
}
