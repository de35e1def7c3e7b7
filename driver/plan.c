#include "driver/plan.h"
#include "base/text.h"
#include "driver/config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What is being read: the options seen so far decide about the inputs after them. */
struct reader {
  struct cc_plan *plan;
  struct dvm_error *err;
  const char *language;   /* of '-x', NULL after '-x none' */
  bool stops;             /* an option ends the call before the link */
  bool linker_input;      /* a library or linker option stands among the inputs */
  unsigned nheaders, ninputs;
};

static bool starts(const char *s, const char *prefix) { return !strncmp(s, prefix, strlen(prefix)); }

static bool ends(const char *s, const char *suffix) {
  size_t n = strlen(s), m = strlen(suffix);
  return n >= m && !strcmp(s + n - m, suffix);
}

static bool one_of(const char *s, const char *const *list) {
  for (; *list; list++)
    if (!strcmp(s, *list))
      return true;
  return false;
}

/* ---- Inputs --------------------------------------------------------------------------------------------------------- */

static enum cc_language language_of_x(const char *name) {
  static const char *const c[] = {"c", "cpp-output", "c-header", "c-header-cpp-output", NULL};
  if (one_of(name, c))
    return CC_C;
  if (!strcmp(name, "ir"))
    return CC_IR;
  return starts(name, "assembler") ? CC_ASSEMBLER : CC_OTHER;
}

static void read_input(struct reader *r, size_t i, const char *name) {
  enum cc_language language = r->language ? language_of_x(r->language) : cc_language_of_file(name);
  r->plan->inputs[language]++;
  r->plan->unnamed[i] = !r->language && cc_is_cdv(name);
  r->plan->last_input = i;
  r->ninputs++;
  r->nheaders += r->language ? !!strstr(r->language, "-header") : ends(name, ".h");
  if (language == CC_OBJECT && ends(name, ".o"))
    dvm_list_add(&r->plan->objects, name);
  if (language == CC_OTHER && !r->plan->other_input)
    r->plan->other_input = name;
}

/* ---- Our own options ------------------------------------------------------------------------------------------------ */

static int read_mode(struct reader *r, const char *value) {
  static const char *const known[] = {"check", "trace", "parallel", "parallel,trace", "off", NULL};
  const char *nearest;
  if (!strcmp(value, "check")) {
    r->plan->mode = DVM_MODE_CHECK;
    return 0;
  }
  if (!strcmp(value, "trace")) {
    r->plan->mode = DVM_MODE_TRACE;
    return 0;
  }
  if (!strcmp(value, "parallel") || !strcmp(value, "parallel,trace")) { /* a parallel program can always be recorded */
    r->plan->mode = DVM_MODE_PARALLEL;
    r->plan->counts = strchr(value, ',') != NULL;
    return 0;
  }
  if (!strcmp(value, "off")) {
    r->plan->mode = DVM_MODE_OFF;
    return 0;
  }
  nearest = dvm_text_nearest(value, known);
  if (nearest)
    return dvm_error_set(r->err, -EINVAL, "unknown mode '%s' in '-fdvm=%s'; did you mean '%s'?", value, value, nearest);
  return dvm_error_set(r->err, -EINVAL, "unknown mode '%s' in '-fdvm=%s'; the modes are 'check', 'trace', 'parallel' and 'off'", value,
                       value);
}

static int read_action(struct reader *r, const char *arg) {
  static const char *const names[] = {"--dvm-help",         "--dvm-version",       "--dvm-print-clang",
                                      "--dvm-print-plugin", "--dvm-print-runtime", NULL};
  static const enum cc_action actions[] = {CC_HELP, CC_VERSION, CC_PRINT_CLANG, CC_PRINT_PLUGIN, CC_PRINT_RUNTIME};
  const char *nearest = dvm_text_nearest(arg, names);
  for (size_t i = 0; names[i]; i++)
    if (!strcmp(arg, names[i])) {
      r->plan->action = actions[i];
      return 0;
    }
  if (nearest)
    return dvm_error_set(r->err, -EINVAL, "unknown option '%s'; did you mean '%s'?", arg, nearest);
  return dvm_error_set(r->err, -EINVAL, "unknown option '%s'; '--dvm-help' lists the options", arg);
}

/* The name in "-W[no-][error=]dvm-NAME", with "dvm-", or NULL for another option. */
static const char *warning_name(const char *arg) {
  if (!starts(arg, "-W"))
    return NULL;
  arg += 2;
  if (starts(arg, "no-"))
    arg += 3;
  if (starts(arg, "error="))
    arg += 6;
  return starts(arg, "dvm-") ? arg : NULL;
}

static int read_warning(struct reader *r, const char *arg) {
  static const char *const ours[] = {"dvm-unchecked", NULL}; /* the others are the plug-in's */
  static const char *const names[] = {"dvm-unchecked", "dvm-undeclared-private", "dvm-calloc", "dvm-named-twice", "dvm-hidden-state", NULL};
  const char *name = warning_name(arg), *nearest = dvm_text_nearest(name, names);
  if (one_of(name, ours) && !strstr(arg, "error="))
    r->plan->warn_unchecked = arg[2] == 'd';
  else if (one_of(name, ours))
    return dvm_error_set(r->err, -EINVAL, "'%s': '%s' cannot be made an error", arg, name);
  else if (one_of(name, names))
    dvm_list_add(&r->plan->plugin_args, arg + 1);
  else if (nearest)
    return dvm_error_set(r->err, -EINVAL, "unknown warning '%s' in '%s'; did you mean '%s'?", name, arg, nearest);
  else
    return dvm_error_set(r->err, -EINVAL, "unknown warning '%s' in '%s'; 'man dvmcc' lists the warnings", name, arg);
  return 0;
}

/* "-Rdvm", "-Rdvm=REGEX", "-Rno-dvm": the last one counts. */
static bool read_remarks(struct reader *r, const char *arg) {
  if (strcmp(arg, "-Rdvm") && strcmp(arg, "-Rno-dvm") && !starts(arg, "-Rdvm="))
    return false;
  r->plan->remarks = arg[2] == 'n' ? "" : arg[5] ? arg + 6 : ".*";
  return true;
}

/* Returns 1 when the argument is ours, 0 when it is not, or an error. */
static int read_own(struct reader *r, const char *arg) {
  int rc = 0;
  if (starts(arg, "-fdvm="))
    rc = read_mode(r, arg + 6);
  else if (!strcmp(arg, "-fdvm") || !strcmp(arg, "-fno-dvm"))
    rc = dvm_error_set(r->err, -EINVAL, "unknown option '%s'; did you mean '-fdvm=%s'?", arg, arg[2] == 'n' ? "off" : "check");
  else if (starts(arg, "--dvm-"))
    rc = read_action(r, arg);
  else if (warning_name(arg))
    rc = read_warning(r, arg);
  else if (!read_remarks(r, arg))
    return 0;
  return rc ? rc : 1;
}

/* ---- clang's options ------------------------------------------------------------------------------------------------ */

static bool stops_before_link(const char *arg) {
  static const char *const options[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-M",
                                        "-MM",
                                        "-fsyntax-only",
                                        "-emit-ast",
                                        "-emit-interface-stubs",
                                        "-emit-merged-ifs",
                                        "-extract-api",
                                        "-emit-symbol-graph",
                                        "-verify-pch",
                                        "-module-file-info",
                                        "-rewrite-objc",
                                        "-rewrite-legacy-objc",
                                        "--analyze",
                                        "--assemble",
                                        "--compile",
                                        "--dependencies",
                                        "--user-dependencies",
                                        "--precompile",
                                        "--preprocess",
                                        "--emit-static-lib",
                                        "--migrate",
                                        NULL};
  return one_of(arg, options);
}

/* The first component of a target triple, and the system, are all that decides whether our runtime fits. */
static bool is_our_target(const char *triple) {
  size_t n = strcspn(triple, "-");
  return n == strlen(DVM_TARGET_ARCH) && !strncmp(triple, DVM_TARGET_ARCH, n) && strstr(triple, "linux") && !ends(triple, "x32");
}

static void read_target(struct reader *r, const char *option, const char *triple) {
  r->plan->foreign_target = is_our_target(triple) ? NULL : option;
}

static void read_linker_option(struct reader *r, const char *arg) {
  if (!strcmp(arg, "-r") || !strcmp(arg, "--relocatable") || starts(arg, "-Wl,-r,") || !strcmp(arg, "-Wl,-r") ||
      (starts(arg, "-Wl,") && (strstr(arg, ",-r,") || ends(arg, ",-r") || strstr(arg, ",--relocatable"))))
    r->plan->relocatable = true;
  r->linker_input = true;
}

static void read_flag(struct reader *r, const char *arg) {
  static const char *const no_libraries[] = {"-nostdlib", "-nodefaultlibs", "-nolibc", "--no-standard-libraries", NULL};
  static const char *const is_static[] = {"-static", "--static", "-static-pie", NULL};
  static const char *const other_width[] = {"-m32", "-mx32", "-m16", NULL};
  struct cc_plan *plan = r->plan;
  if (stops_before_link(arg))
    r->stops = true;
  else if (!strcmp(arg, "-shared") || !strcmp(arg, "--shared"))
    plan->shared = true;
  else if (one_of(arg, is_static))
    plan->is_static = true;
  else if (!strcmp(arg, "-r"))
    plan->relocatable = true;
  else if (one_of(arg, no_libraries))
    plan->no_libraries = arg;
  else if (one_of(arg, other_width))
    plan->foreign_target = arg;
  else if (!strcmp(arg, "-m64"))
    plan->foreign_target = NULL;
  else if (starts(arg, "--target="))
    read_target(r, arg, arg + 9);
  else if (starts(arg, "-Wl,") || (starts(arg, "-l") && arg[2]))
    read_linker_option(r, arg);
  else if (starts(arg, "-x") && arg[2])
    r->language = strcmp(arg + 2, "none") ? arg + 2 : NULL;
  else if (starts(arg, "--language="))
    r->language = strcmp(arg + 11, "none") ? arg + 11 : NULL;
}

static void read_option_with_value(struct reader *r, const char *arg, const char *value) {
  if (!strcmp(arg, "-x") || !strcmp(arg, "--language"))
    r->language = strcmp(value, "none") ? value : NULL;
  else if (!strcmp(arg, "-target"))
    read_target(r, value, value);
  else if (!strcmp(arg, "-Xlinker") || !strcmp(arg, "-l") || !strcmp(arg, "--for-linker"))
    read_linker_option(r, value);
}

static int read_args(struct reader *r, char *const *args, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *arg = args[i];
    if (i > r->plan->terminator || arg[0] != '-' || !arg[1]) {
      read_input(r, i, arg);
      continue;
    }
    if (!strcmp(arg, "--")) {
      r->plan->terminator = i;
      continue;
    }
    unsigned nvalues = cc_option_nvalues(arg);
    if (nvalues) {
      if (i + 1 < n)
        read_option_with_value(r, arg, args[i + 1]);
      i += nvalues;
      continue;
    }
    int own = read_own(r, arg);
    if (own < 0)
      return own;
    r->plan->own[i] = own;
    if (!own)
      read_flag(r, arg);
  }
  return 0;
}

int cc_plan_make(struct cc_plan *plan, char *const *args, size_t n, struct dvm_error *err) {
  struct reader r = {.plan = plan, .err = err};
  *plan = (struct cc_plan){.mode = DVM_MODE_CHECK, .warn_unchecked = true, .terminator = n, .plugin_args = DVM_LIST_INIT};
  plan->own = calloc(n + 1, sizeof *plan->own);
  plan->unnamed = calloc(n + 1, sizeof *plan->unnamed);
  int rc = plan->own && plan->unnamed ? read_args(&r, args, n) : -ENOMEM;
  if (!rc && (plan->plugin_args.failed || plan->objects.failed))
    rc = -ENOMEM;
  if (rc == -ENOMEM)
    dvm_error_set(err, rc, "out of memory");
  if (rc) {
    cc_plan_fini(plan);
    return rc;
  }
  plan->header_only = r.ninputs && r.nheaders == r.ninputs;
  plan->links = !r.stops && (r.ninputs || r.linker_input) && !plan->header_only;
  return 0;
}

void cc_plan_fini(struct cc_plan *plan) {
  dvm_list_fini(&plan->plugin_args);
  dvm_list_fini(&plan->objects);
  free(plan->own);
  free(plan->unnamed);
  plan->own = plan->unnamed = NULL;
}
