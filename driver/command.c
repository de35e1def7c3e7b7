#include "driver/command.h"
#include "driver/config.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static int require(const char *path, const char *what, struct dvm_error *err) {
  if (access(path, R_OK))
    return dvm_error_set(err, -ENOENT, "cannot find %s '%s'; '-fdvm=off' compiles without it", what, path);
  return 0;
}

/* Unused arguments are no fault of the user's: clang shall not warn of ours where a call only preprocesses or links. */
static int add_plugin(struct dvm_list *command, const struct cc_plan *plan, const struct dvm_place *place, struct dvm_error *err) {
  int rc = require(place->plugin, "the compiler plug-in", err);
  if (rc)
    return rc;
  dvm_list_add(command, "--start-no-unused-arguments");
  dvm_list_printf(command, "-fplugin=%s", place->plugin);
  dvm_list_printf(command, "-fpass-plugin=%s", place->plugin);
  /* The plug-in defines it where it compiles, but clang does not start it where it only preprocesses (-E, -M, -save-temps). */
  dvm_list_add(command, "-D_DVMH=1");
  /* A loop that '#pragma clang loop' or 'omp simd' asks to vectorize is not, where checks are in it. */
  dvm_list_add(command, "-Wno-pass-failed");
  if (plan->mode == DVM_MODE_TRACE) {
    dvm_list_add(command, "-fplugin-arg-dvm-trace");
    /* Through -Xclang: the assembler, which has no plug-ins, must not see it. */
    static const char *const option[] = {"-Xclang", "-mllvm", "-Xclang", "-dvm-trace"};
    for (int i = 0; i < 4; i++)
      dvm_list_add(command, option[i]);
  }
  if (plan->mode == DVM_MODE_PARALLEL) {
    dvm_list_add(command, "-fplugin-arg-dvm-parallel");
    if (plan->counts)
      dvm_list_add(command, "-fplugin-arg-dvm-count");
    if (plan->remarks && *plan->remarks)
      dvm_list_printf(command, "-fplugin-arg-dvm-Rdvm=%s", plan->remarks);
    static const char *const option[] = {"-Xclang", "-mllvm", "-Xclang", "-dvm-parallel"};
    for (int i = 0; i < 4; i++)
      dvm_list_add(command, option[i]);
  }
  for (size_t i = 0; i < plan->plugin_args.n; i++)
    dvm_list_printf(command, "-fplugin-arg-dvm-%s", plan->plugin_args.v[i]);
  dvm_list_add(command, "--end-no-unused-arguments");
  return 0;
}

/* Through -Xlinker, so that neither a '-x' of the user's nor a comma in a path changes the meaning. */
static void add_linker(struct dvm_list *command, const char *arg) {
  dvm_list_add(command, "-Xlinker");
  dvm_list_add(command, arg);
}

static void add_library(struct dvm_list *command, const char *path, bool as_needed) {
  add_linker(command, "--push-state");
  add_linker(command, as_needed ? "--as-needed" : "--no-as-needed");
  add_linker(command, path);
  add_linker(command, "--pop-state");
}

static int add_static_runtime(struct dvm_list *command, const struct cc_plan *plan, const struct dvm_place *place, struct dvm_error *err) {
  static const char *const static_libraries[] = {DVM_RUNTIME_STATIC_LIBS NULL};
  int rc = require(place->runtime_static, "the run-time library", err);
  if (!rc && plan->mode == DVM_MODE_TRACE)
    rc = require(place->trace_static, "the recording library", err);
  if (rc)
    return rc;
  if (place->trace_static)
    add_linker(command, place->trace_static);
  add_linker(command, place->runtime_static);
  for (const char *const *library = static_libraries; *library; library++)
    add_linker(command, *library);
  return 0;
}

static void add_run_path(struct dvm_list *command, const char *library) {
  const char *slash = strrchr(library, '/');
  add_linker(command, "-rpath");
  dvm_list_add(command, "-Xlinker");
  dvm_list_printf(command, "%.*s", (int)(slash - library), library);
}

/* Open MPI has no static library here, and checking does not mix with it. */
static int add_parallel_runtime(struct dvm_list *command, const struct cc_plan *plan, const struct dvm_place *place,
                                struct dvm_error *err) {
  if (plan->is_static)
    return dvm_error_set(err, -EINVAL, "'-static' and '-fdvm=parallel' cannot be used together: MPI is a shared library");
  if (access(place->parallel, R_OK))
    return dvm_error_set(err, -ENOENT,
                         "cannot find the library for parallel programs '%s': it is built only where Open MPI is installed "
                         "(libopenmpi-dev)",
                         place->parallel);
  add_library(command, place->parallel, plan->shared);
  const char *slash = strrchr(place->parallel, '/');
  dvm_list_add(command, "-Xlinker");
  dvm_list_printf(command, "%.*s/dvm-unmixed.ld", (int)(slash - place->parallel), place->parallel);
  add_run_path(command, place->parallel);
  return 0;
}

/* A program always has the library of its mode, so that DVM_OPTIONS is obeyed in each; the other one is there for objects that
 * were compiled otherwise.  A shared library has what it uses. */
static int add_runtime(struct dvm_list *command, const struct cc_plan *plan, const struct dvm_place *place, struct dvm_error *err) {
  bool trace = plan->mode == DVM_MODE_TRACE;
  if (plan->is_static)
    return add_static_runtime(command, plan, place, err);
  int rc = require(place->runtime, "the run-time library", err);
  if (!rc && trace)
    rc = require(place->trace, "the recording library", err);
  if (rc)
    return rc;
  if (place->trace && !access(place->trace, R_OK))
    add_library(command, place->trace, !trace || plan->shared);
  add_library(command, place->runtime, trace || plan->shared);
  add_run_path(command, place->runtime);
  return 0;
}

static void add_words(struct dvm_list *command, const char *one, const char *two) {
  dvm_list_add(command, one);
  dvm_list_add(command, two);
}

/* One word of an argument that cannot be passed on as it stands.  '--' would make inputs of what we put after the user's
 * arguments, so it goes, and the inputs after it are written in a way that they are not taken for options. */
static void add_word(struct dvm_list *command, const struct cc_line *line, const struct cc_plan *plan, size_t k) {
  const char *word = line->args.v[k];
  if (plan->own[k] || k == plan->terminator)
    return;
  if (plan->unnamed[k])
    add_words(command, "-x", "c");
  if (k > plan->terminator && word[0] == '-' && word[1])
    dvm_list_printf(command, "./%s", word);
  else
    dvm_list_add(command, word);
  if (plan->unnamed[k] && k < plan->last_input) /* no '-x' of the user's stood before it */
    add_words(command, "-x", "none");
}

static void add_user_args(struct dvm_list *command, char *const *argv, const struct cc_line *line, const struct cc_plan *plan) {
  for (size_t k = 0, end; k < line->args.n; k = end) {
    size_t origin = line->origin[k];
    bool as_it_stands = true;
    for (end = k; end < line->args.n && line->origin[end] == origin; end++)
      as_it_stands &= !plan->own[end] && !plan->unnamed[end] && end < plan->terminator;
    if (as_it_stands)
      dvm_list_add(command, argv[origin + 1]);
    else
      for (size_t i = k; i < end; i++)
        add_word(command, line, plan, i);
  }
}

int cc_command_make(struct dvm_list *command, char *const *argv, const struct cc_line *line, const struct cc_plan *plan,
                    const struct dvm_place *place, struct dvm_error *err) {
  bool on = plan->mode != DVM_MODE_OFF && !plan->foreign_target;
  bool adds_runtime = on && plan->links && !plan->relocatable && !plan->no_libraries;
  int rc = 0;
  dvm_list_add(command, place->clang);
  if (on && (plan->inputs[CC_C] || plan->inputs[CC_IR]))
    rc = add_plugin(command, plan, place, err);
  /* Before the user's libraries: its MPI_Init and MPI_Finalize stand before those of MPI. */
  if (!rc && adds_runtime && plan->mode == DVM_MODE_PARALLEL)
    rc = add_parallel_runtime(command, plan, place, err);
  add_user_args(command, argv, line, plan);
  if (!rc && adds_runtime && plan->mode != DVM_MODE_PARALLEL)
    rc = add_runtime(command, plan, place, err);
  if (!rc && command->failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  return rc;
}
