#include "driver/fortran/call.h"
#include "base/text.h"
#include "driver/plan.h"
#include <errno.h>
#include <string.h>

static bool starts(const char *s, const char *prefix) { return !strncmp(s, prefix, strlen(prefix)); }

/* ---- our own options --------------------------------------------------------------------------------------------------------- */

static int read_mode(struct fc_call *call, const char *value, struct dvm_error *err) {
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

static int read_warning(struct fc_call *call, const char *arg, struct dvm_error *err) {
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
static size_t read_older(struct fc_call *call, const char *arg, const char *value) {
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

static int write_depends(struct fc_call *call, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; call->depends.asked && i < call->inputs.n && !rc; i++)
    rc = fc_depends_write(&call->depends, call->inputs.v[i], err);
  call->check.depends = call->depends.asked ? &call->depends : NULL;
  return rc;
}

/* Of options that flang gets too: what tells where files are. */
static void note_folder(struct fc_call *call, const char *arg, const char *value) {
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

void fc_call_by_name(struct fc_call *call) {
  if (!call->told)
    return;
  dvm_list_add(&call->args, "-x");
  dvm_list_add(&call->args, "none");
  call->told = NULL;
}

static void read_language(struct fc_call *call, const char *name) {
  call->language = !strcmp(name, "none") ? NULL : name;
  call->told = call->language;
  call->sources = true;
}

/* flang knows neither '.fdv' nor '.cdv': the language stands before such a name, and is taken back before the next one. */
static void add_input(struct fc_call *call, const char *name) {
  if (!call->language) {
    fc_call_by_name(call);
    call->told = cc_is_fdv(name) ? "f95" : cc_is_cdv(name) ? "c" : NULL;
  }
  if (!call->language && call->told) {
    dvm_list_add(&call->args, "-x");
    dvm_list_add(&call->args, call->told);
  }
  dvm_list_add(&call->args, name);
}

static void read_input(struct fc_call *call, const char *name) {
  if (cc_is_fortran(name))
    dvm_list_add(&call->inputs, name);
  call->sources |= is_source(name);
  call->c |= cc_language_of_file(name) == CC_C;
  call->fdv |= cc_is_fdv(name);
  add_input(call, name);
}

int fc_call_read(struct fc_call *call, const struct dvm_list *args, struct dvm_error *err) {
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
      read_input(call, arg);
      continue;
    }
    if (starts(arg, "-x") && arg[2])
      read_language(call, arg + 2);
    dvm_list_add(&call->args, arg);
    if ((!strcmp(arg, "-o") || !strcmp(arg, "-Xflang") || !strcmp(arg, "-Xlinker") || !strcmp(arg, "-mllvm") || !strcmp(arg, "-mmlir") ||
         !strcmp(arg, "-J") || !strcmp(arg, "-I") || !strcmp(arg, "-L") || !strcmp(arg, "-D") || !strcmp(arg, "-U") ||
         !strcmp(arg, "-module-dir") || !strcmp(arg, "-x") || !strcmp(arg, "-l")) &&
        i + 1 < args->n) {
      if (!strcmp(arg, "-x"))
        read_language(call, args->v[i + 1]);
      dvm_list_add(&call->args, args->v[++i]);
    }
  }
  call->links = !stops && inputs;
  return rc ? rc : write_depends(call, err);
}

void fc_call_fini(struct fc_call *call) {
  dvm_list_fini(&call->args);
  dvm_list_fini(&call->inputs);
  fc_depends_fini(&call->depends);
}
