/* dvmfc: flang with the DVM plug-in and run-time library.  flang's driver says which steps a call has; those that compile get
 * the plug-in, all are run as they stand otherwise. */
#include "base/output.h"
#include "base/text.h"
#include "driver/config.h"
#include "driver/folder.h"
#include "driver/fortran/preprocess.h"
#include "driver/fortran/steps.h"
#include "driver/plan.h"
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
                           "flang, and:\n"
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

struct call {
  struct fc_check check;
  bool sources, links, verbose;
  bool c; /* among the sources: flang itself is no clang */
  struct fc_depends depends;
  struct dvm_list inputs; /* sources in Fortran */
  struct dvm_list args; /* flang's */
};

static bool starts(const char *s, const char *prefix) { return !strncmp(s, prefix, strlen(prefix)); }

static int report(const struct dvm_error *err) {
  fprintf(stderr, "dvmfc: error: %s\n", err->text);
  return err->code == -EINVAL ? EXIT_USAGE : 1;
}

/* ---- our own options --------------------------------------------------------------------------------------------------------- */

static int read_mode(struct call *call, const char *value, struct dvm_error *err) {
  static const char *const known[] = {"check", "trace", "parallel", "parallel,trace", "off", NULL};
  static const enum fc_mode modes[] = {FC_CHECK, FC_TRACE, FC_PARALLEL, FC_PARALLEL, FC_OFF};
  for (size_t i = 0; known[i]; i++)
    if (!strcmp(value, known[i])) {
      call->check.mode = modes[i];
      call->check.counts = strchr(value, ',') != NULL;
      return 0;
    }
  const char *nearest = dvm_text_nearest(value, known);
  if (nearest)
    return dvm_error_set(err, -EINVAL, "unknown mode '%s' in '-fdvm=%s'; did you mean '%s'?", value, value, nearest);
  return dvm_error_set(err, -EINVAL, "unknown mode '%s' in '-fdvm=%s'; the modes are 'check', 'trace', 'parallel' and 'off'", value, value);
}

static int read_warning(struct call *call, const char *arg, struct dvm_error *err) {
  if (!strcmp(arg, "-Werror=dvm-unjudged"))
    call->check.werror = true;
  else if (!strcmp(arg, "-Wno-error=dvm-unjudged"))
    call->check.werror = false;
  else
    return dvm_error_set(err, -EINVAL, "unknown warning in '%s'; dvmfc has '-W[no-]error=dvm-unjudged'", arg);
  return 0;
}

static bool is_source(const char *name) {
  const enum cc_language language = cc_language_of_file(name);
  return cc_is_fortran(name) || language == CC_C || language == CC_IR;
}

static bool stops_before_link(const char *arg) {
  static const char *const options[] = {"-c", "-S", "-E", "-fsyntax-only", "-M", "-dM", NULL};
  for (size_t i = 0; options[i]; i++)
    if (!strcmp(arg, options[i]))
      return true;
  return false;
}

/* Options of the flang that was before this one, as meson gives them.  How many words they are; 0: it is none of them. */
static size_t read_older(struct call *call, const char *arg, const char *value) {
  static const char *const without_meaning[] = {"-Minform=inform", "-MD", "-MMD", "-MP", "-lflang", "-lpgmath"};
  call->depends.asked |= !strcmp(arg, "-MD") || !strcmp(arg, "-MMD") || !strcmp(arg, "-MF");
  call->depends.phony |= !strcmp(arg, "-MP");
  for (size_t i = 0; i < sizeof without_meaning / sizeof *without_meaning; i++)
    if (!strcmp(arg, without_meaning[i]))
      return 1;
  if (!value)
    return 0;
  if (!strcmp(arg, "-module")) {
    dvm_list_add(&call->args, "-module-dir");
    dvm_list_add(&call->args, value);
    call->depends.modules = value;
  } else if (!strcmp(arg, "-MF")) {
    call->depends.file = value;
  } else if (!strcmp(arg, "-MQ") || !strcmp(arg, "-MT")) {
    dvm_list_add(&call->depends.targets, value);
  } else {
    return 0;
  }
  return 2;
}

static int write_depends(struct call *call, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; call->depends.asked && i < call->inputs.n && !rc; i++)
    rc = fc_depends_write(&call->depends, call->inputs.v[i], err);
  call->check.depends = call->depends.asked ? &call->depends : NULL;
  return rc;
}

/* Of options that flang gets too: what tells where files are. */
static void note_folder(struct call *call, const char *arg, const char *value) {
  const char *joined = arg[0] == '-' && strchr("IJo", arg[1]) && arg[1] ? arg + 2 : NULL;
  const char *is = joined && *joined ? joined : value;
  if (!is)
    return;
  if (!strcmp(arg, "-module-dir") || starts(arg, "-J"))
    call->depends.modules = is;
  else if (starts(arg, "-I"))
    dvm_list_add(&call->depends.folders, is);
  else if (starts(arg, "-o"))
    call->depends.output = is;
}

static int read_call(struct call *call, const struct dvm_list *args, struct dvm_error *err) {
  int rc = 0;
  bool stops = false, inputs = false;
  for (size_t i = 0; i < args->n && !rc; i++) {
    const char *arg = args->v[i];
    if (starts(arg, "-fdvm-fix=")) { /* of 'dvm fix' alone */
      call->check.fix = arg + strlen("-fdvm-fix=");
      continue;
    }
    if (!strcmp(arg, "-fdvm-absolute")) { /* likewise */
      call->check.absolute = true;
      continue;
    }
    if (starts(arg, "-fdvm=")) {
      rc = read_mode(call, arg + 6, err);
      continue;
    }
    if (starts(arg, "-Wdvm-") || starts(arg, "-Wno-dvm-") || starts(arg, "-Werror=dvm-") || starts(arg, "-Wno-error=dvm-")) {
      rc = read_warning(call, arg, err);
      continue;
    }
    const size_t older = read_older(call, arg, i + 1 < args->n ? args->v[i + 1] : NULL);
    if (older) {
      i += older - 1;
      continue;
    }
    stops |= stops_before_link(arg);
    call->depends.only_object |= !strcmp(arg, "-c") || !strcmp(arg, "-S");
    note_folder(call, arg, i + 1 < args->n ? args->v[i + 1] : NULL);
    call->verbose |= !strcmp(arg, "-v");
    if (arg[0] != '-' || !arg[1]) {
      inputs = true;
      if (cc_is_fortran(arg))
        dvm_list_add(&call->inputs, arg);
      call->sources |= is_source(arg);
      call->c |= cc_language_of_file(arg) == CC_C;
    }
    dvm_list_add(&call->args, arg);
    if ((!strcmp(arg, "-o") || !strcmp(arg, "-Xflang") || !strcmp(arg, "-Xlinker") || !strcmp(arg, "-mllvm") || !strcmp(arg, "-mmlir") ||
         !strcmp(arg, "-J") || !strcmp(arg, "-I") || !strcmp(arg, "-L") || !strcmp(arg, "-D") || !strcmp(arg, "-U") ||
         !strcmp(arg, "-module-dir") || !strcmp(arg, "-x") || !strcmp(arg, "-l")) &&
        i + 1 < args->n) {
      call->sources |= !strcmp(arg, "-x");
      dvm_list_add(&call->args, args->v[++i]);
    }
  }
  call->links = !stops && inputs;
  return rc ? rc : write_depends(call, err);
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

static void add_run_path(struct call *call, const char *library) {
  dvm_list_printf(&call->args, "-Wl,-rpath,%.*s", (int)(strrchr(library, '/') - library), library);
}

/* Its MPI_Init and MPI_Finalize stand before those of MPI. */
static int add_parallel_runtime(struct call *call, const struct dvm_place *place, struct dvm_error *err) {
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
static int add_runtime(struct call *call, const struct dvm_place *place, struct dvm_error *err) {
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

static int require(const char *path, struct dvm_error *err) {
  return access(path, R_OK) ? dvm_error_set(err, -ENOENT, "cannot find the compiler plug-in '%s'; '-fdvm=off' compiles without it", path)
                            : 0;
}

static void show_step(const struct dvm_list *step) {
  for (size_t i = 0; i < step->n; i++)
    fprintf(stderr, " \"%s\"", step->v[i]);
  fputc('\n', stderr);
}

static int run_steps(struct call *call, const struct dvm_place *place, const char *folder, int *status, struct dvm_error *err) {
  struct fc_steps steps;
  int rc = fc_steps_ask(&steps, place->flang, call->args.v, call->args.n, folder, status, err);
  for (size_t i = 0; i < steps.n && !rc && !*status; i++) {
    rc = fc_step_check(&steps.v[i], place, &call->check, err);
    if (!rc && call->verbose)
      show_step(&steps.v[i]);
    if (!rc)
      rc = dvm_run_wait(&steps.v[i], status, err);
  }
  fc_steps_fini(&steps);
  return rc;
}

static int compile(struct call *call, const struct dvm_place *place, struct dvm_error *err) {
  char folder[CC_TEMPORARY_MAX];
  int status = 0;
  const bool off = call->check.mode == FC_OFF;
  if ((off && !call->c) || (!call->sources && !call->links)) {
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
    rc = call->check.mode == FC_PARALLEL ? add_parallel_runtime(call, place, err) : add_runtime(call, place, err);
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
  struct call call = {.check = {.mode = FC_CHECK}, .args = DVM_LIST_INIT, .inputs = DVM_LIST_INIT};
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
    rc = read_call(&call, &line.args, &err) ? report(&err) : compile(&call, &place, &err);
  dvm_list_fini(&call.args);
  dvm_list_fini(&call.inputs);
  fc_depends_fini(&call.depends);
  cc_line_fini(&line);
  dvm_place_fini(&place);
  return rc;
}
