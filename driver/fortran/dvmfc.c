/* dvmfc: flang with the DVM plug-in and run-time library.  flang's driver says which steps a call has; those that compile get
 * the plug-in, all are run as they stand otherwise. */
#include "base/output.h"
#include "driver/config.h"
#include "driver/folder.h"
#include "driver/fortran/call.h"
#include "driver/fortran/preprocess.h"
#include "driver/response.h"
#include "driver/run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static const char help[] = "usage: dvmfc [option...] file...\n"
                           "\n"
                           "A Fortran compiler that understands DVM directives ('!DVM$', 'CDVM$', '*DVM$').  It takes all options of\n"
                           "flang, files '.fdv' (fixed form), and:\n"
                           "\n"
                           "  -fdvm=check            check the directives while the program runs (default)\n"
                           "  -fdvm=trace            record what the program does, for 'dvm record' and 'dvm compare'\n"
                           "  -fdvm=parallel         compile for parallel execution: 'mpirun -n 4 ./program'\n"
                           "  -fdvm=parallel,trace   .. whose ranks count iterations, for 'dvm compare REF -- mpirun ..'\n"
                           "  -fdvm=off              compile as flang does\n"
                           "  -Werror=dvm-unjudged   a directive that is not judged is an error\n"
                           "  --dvm-version          show the version and what it stands on\n"
                           "  --dvm-print-flang      show the flang that is used\n"
                           "  --dvm-print-plugin     show the plug-in that flang loads\n"
                           "  --dvm-print-runtime    show the library that programs are linked with\n"
                           "  --dvm-help             show this text\n"
                           "\n"
                           "Environment: DVM_FLANG names another flang 19; a compiled program takes options from DVM_OPTIONS\n"
                           "(DVM_OPTIONS=help=1 ./program lists them).\n";

static bool starts(const char *s, const char *prefix) { return !strncmp(s, prefix, strlen(prefix)); }

static int report(const struct dvm_error *err) {
  fprintf(stderr, "dvmfc: error: %s\n", err->text);
  return err->code == -EINVAL ? EXIT_USAGE : 1;
}

static int show(const char *arg, const struct dvm_place *place) {
  if (!strcmp(arg, "--dvm-help"))
    fputs(help, stdout);
  else if (!strcmp(arg, "--dvm-version"))
    printf("dvmfc %s\nflang: %s\nplug-in: %s\nrun-time library: %s\n", DVM_VERSION, place->flang, place->fortran, place->runtime);
  else if (!strcmp(arg, "--dvm-print-flang"))
    puts(place->flang);
  else if (!strcmp(arg, "--dvm-print-plugin"))
    puts(place->fortran);
  else if (!strcmp(arg, "--dvm-print-runtime"))
    puts(place->runtime);
  else {
    fprintf(stderr, "dvmfc: error: unknown option '%s'; '--dvm-help' lists the options\n", arg);
    return EXIT_USAGE;
  }
  return dvm_output_end(0);
}

/* ---- running ----------------------------------------------------------------------------------------------------------------- */

static void add_run_path(struct fc_call *call, const char *library) {
  dvm_list_printf(&call->args, "-Wl,-rpath,%.*s", (int)(strrchr(library, '/') - library), library);
}

/* Its MPI_Init and MPI_Finalize stand before those of MPI. */
static int add_parallel_runtime(struct fc_call *call, const struct dvm_place *place, struct dvm_error *err) {
  if (access(place->parallel, R_OK))
    return dvm_error_set(err, -ENOENT,
                         "cannot find the library for parallel programs '%s': it is built only where Open MPI is installed "
                         "(libopenmpi-dev)",
                         place->parallel);
  dvm_list_add(&call->args, "-Wl,--push-state,--no-as-needed");
  dvm_list_add(&call->args, place->parallel);
  dvm_list_add(&call->args, "-Wl,--pop-state");
  dvm_list_printf(&call->args, "-Wl,%.*s/dvm-unmixed.ld", (int)(strrchr(place->parallel, '/') - place->parallel), place->parallel);
  add_run_path(call, place->parallel);
  return 0;
}

/* Behind the user's own: a program always has the library of its mode. */
static int add_runtime(struct fc_call *call, const struct dvm_place *place, struct dvm_error *err) {
  const char *const libraries[] = {place->trace, place->runtime};
  for (int i = 0; i < 2; i++) {
    const bool needed = (i == 0) == (call->check.mode == FC_TRACE);
    if (access(libraries[i], R_OK)) {
      if (needed)
        return dvm_error_set(err, -ENOENT, "cannot find the run-time library '%s'; '-fdvm=off' compiles without it", libraries[i]);
      continue;
    }
    dvm_list_add(&call->args, needed ? "-Wl,--push-state,--no-as-needed" : "-Wl,--push-state,--as-needed");
    dvm_list_add(&call->args, libraries[i]);
    dvm_list_add(&call->args, "-Wl,--pop-state");
  }
  add_run_path(call, place->runtime);
  return 0;
}

static int add_library(struct fc_call *call, const struct dvm_place *place, struct dvm_error *err) {
  fc_call_by_name(call);
  return call->check.mode == FC_PARALLEL ? add_parallel_runtime(call, place, err) : add_runtime(call, place, err);
}

static int require(const char *path, struct dvm_error *err) {
  return access(path, R_OK) ? dvm_error_set(err, -ENOENT, "cannot find the compiler plug-in '%s'; '-fdvm=off' compiles without it", path)
                            : 0;
}

static void show_step(const struct dvm_list *step) {
  for (size_t i = 0; i < step->n; i++)
    fprintf(stderr, " \"%s\"", step->v[i]);
  fputc('\n', stderr);
}

static int run_steps(struct fc_call *call, const struct dvm_place *place, const char *folder, int *status, struct dvm_error *err) {
  struct fc_steps steps;
  int rc = fc_steps_ask(&steps, place->flang, call->args.v, call->args.n, folder, status, err);
  for (size_t i = 0; i < steps.n && !rc && !*status; i++) {
    rc = fc_step_form(&steps.v[i], err);
    if (!rc)
      rc = fc_step_check(&steps.v[i], place, &call->check, err);
    if (!rc && call->verbose)
      show_step(&steps.v[i]);
    if (!rc)
      rc = dvm_run_wait(&steps.v[i], status, err);
  }
  fc_steps_fini(&steps);
  return rc;
}

static int compile(struct fc_call *call, const struct dvm_place *place, struct dvm_error *err) {
  char folder[CC_TEMPORARY_MAX];
  int status = 0;
  const bool off = call->check.mode == FC_OFF;
  if ((off && !call->c && !call->fdv) || (!call->sources && !call->links)) {
    struct dvm_list command = DVM_LIST_INIT;
    dvm_list_add(&command, place->flang);
    for (size_t i = 0; i < call->args.n; i++)
      dvm_list_add(&command, call->args.v[i]);
    int rc = dvm_run_exec(&command, err);
    dvm_list_fini(&command);
    if (rc == -ENOENT)
      dvm_error_set(err, rc, "cannot find flang '%s': install flang-19 or name it in DVM_FLANG", place->flang);
    return report(err);
  }
  if (fc_preprocesses(&call->args))
    return fc_preprocess(&call->args, place, &status, err) ? report(err) : dvm_run_end_like(status);
  int rc = off ? 0 : require(place->fortran, err);
  if (!rc && !off)
    rc = require(place->plugin, err);
  if (!rc && call->links && !off)
    rc = add_library(call, place, err);
  if (!rc)
    rc = cc_folder_create(folder, "fc", err);
  if (rc)
    return report(err);
  rc = run_steps(call, place, folder, &status, err);
  cc_folder_remove(folder);
  if (rc && rc != -ECANCELED)
    return report(err);
  return rc && !status ? 1 : dvm_run_end_like(status);
}

int main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvm_place place = {.clang = NULL};
  struct cc_line line;
  struct fc_call call = FC_CALL_INIT;
  int rc = dvm_place_find(&place, &err);
  if (rc)
    return report(&err);
  if (cc_line_read(&line, argc, argv, &err)) {
    dvm_place_fini(&place);
    return report(&err);
  }
  rc = -1;
  for (size_t i = 0; i < line.args.n && rc < 0; i++)
    if (starts(line.args.v[i], "--dvm-"))
      rc = show(line.args.v[i], &place);
  if (rc < 0)
    rc = fc_call_read(&call, &line.args, &err) ? report(&err) : compile(&call, &place, &err);
  fc_call_fini(&call);
  cc_line_fini(&line);
  dvm_place_fini(&place);
  return rc;
}
