/* dvmcc: clang with the DVM plug-in and run-time library.  Reads only what it must know, passes everything on, and becomes
 * clang, so that exit status, signals and output are clang's own. */
#include "base/output.h"
#include "driver/command.h"
#include "driver/config.h"
#include "driver/object.h"
#include "driver/run.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
    "usage: dvmcc [option...] file...\n"
    "\n"
    "A C compiler that understands DVM directives.  It takes all options of clang, files\n"
    "'.cdv' as C, and:\n"
    "\n"
    "  -fdvm=check            check the directives while the program runs (default)\n"
    "  -fdvm=trace            record what the program does, for 'dvm record' and 'dvm compare'\n"
    "  -fdvm=parallel         compile for parallel execution: 'mpirun -n 4 ./program'\n"
    "  -fdvm=off              compile as clang does\n"
    "  -W[no-]dvm-NAME        enable or disable the directive warning NAME\n"
    "  -W[no-]error=dvm-NAME  make that warning an error, or not\n"
    "  -Rdvm[=REGEX]          say what each directive will send, with -fdvm=parallel; REGEX chooses among shadow, across,\n"
    "                         reduction, remote, redistribute, copy, replicated, nothing\n"
    "  --dvm-version          show the version and the components it uses\n"
    "  --dvm-print-clang      show the clang that is used\n"
    "  --dvm-print-plugin     show the plug-in that clang loads\n"
    "  --dvm-print-runtime    show the library that programs are linked with\n"
    "  --dvm-help             show this text\n"
    "\n"
    "Environment: DVM_CLANG names another clang 19; a compiled program takes options from DVM_OPTIONS\n"
    "(DVM_OPTIONS=help=1 ./program lists them).\n";

static int report(const struct dvm_error *err) {
  fprintf(stderr, "dvmcc: error: %s\n", err->text);
  return err->code == -EINVAL ? EXIT_USAGE : 1;
}

static int show(enum cc_action action, const struct dvm_place *place) {
  switch (action) {
  case CC_RUN: break;
  case CC_HELP: fputs(help, stdout); break;
  case CC_VERSION:
    printf("dvmcc %s\nclang: %s\nplug-in: %s\nrun-time library: %s\n", DVM_VERSION, place->clang, place->plugin, place->runtime);
    break;
  case CC_PRINT_CLANG: puts(place->clang); break;
  case CC_PRINT_PLUGIN: puts(place->plugin); break;
  case CC_PRINT_RUNTIME: puts(place->runtime); break;
  }
  return dvm_output_end(0);
}

/* Whoever asks for a check and does not get one must hear of it. */
static void warn_unchecked(const struct cc_plan *plan) {
  if (plan->remarks && *plan->remarks && plan->mode != DVM_MODE_PARALLEL)
    fprintf(stderr, "dvmcc: warning: '-Rdvm' has no effect without '-fdvm=parallel'\n");
  if (plan->mode == DVM_MODE_OFF || !plan->warn_unchecked)
    return;
  if (plan->other_input)
    fprintf(stderr, "dvmcc: warning: '%s' is not C: compiled without DVM checks [-Wdvm-unchecked]\n", plan->other_input);
  if (plan->foreign_target && (plan->inputs[CC_C] || plan->inputs[CC_IR]))
    fprintf(stderr,
            "dvmcc: warning: no run-time library for the target of '%s': compiled without DVM checks "
            "[-Wdvm-unchecked]\n",
            plan->foreign_target);
  else if (plan->no_libraries && plan->links && !plan->relocatable && !plan->shared && plan->inputs[CC_C])
    fprintf(stderr,
            "dvmcc: warning: '%s' excludes the run-time library, which the checks need; '-fdvm=off' compiles without "
            "them [-Wdvm-unchecked]\n",
            plan->no_libraries);
}

static int compile(char *const *argv, const struct cc_line *line, const struct cc_plan *plan, const struct dvm_place *place,
                   struct dvm_error *err) {
  struct dvm_list command = DVM_LIST_INIT;
  int rc = cc_objects_fit(plan, err);
  if (!rc)
    rc = cc_command_make(&command, argv, line, plan, place, err);
  if (!rc) {
    warn_unchecked(plan);
    rc = dvm_run_exec(&command, err);
    if (rc == -ENOENT)
      dvm_error_set(err, rc, "cannot find clang '%s': install clang-19 or name it in DVM_CLANG", command.v[0]);
  }
  dvm_list_fini(&command);
  return rc;
}

int main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvm_place place = {.clang = NULL};
  struct cc_line line;
  struct cc_plan plan;
  /* 'dvmcc -cc1 ..' is clang calling its own inner compiler by our name. */
  bool inner = argc > 1 && !strncmp(argv[1], "-cc1", 4);
  int rc = dvm_place_find(&place, &err);
  if (!rc && inner) {
    argv[0] = (char *)place.clang;
    struct dvm_list command = {.v = argv, .n = (size_t)argc};
    rc = dvm_run_exec(&command, &err);
  }
  if (rc)
    return report(&err);
  if (cc_line_read(&line, argc, argv, &err)) {
    dvm_place_fini(&place);
    return report(&err);
  }
  if (cc_plan_make(&plan, line.args.v, line.args.n, &err)) {
    rc = report(&err);
  } else {
    if (plan.action != CC_RUN)
      rc = show(plan.action, &place);
    else
      rc = compile(argv, &line, &plan, &place, &err) ? report(&err) : 0;
    cc_plan_fini(&plan);
  }
  cc_line_fini(&line);
  dvm_place_fini(&place);
  return rc;
}
