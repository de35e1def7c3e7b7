#define _GNU_SOURCE
#include "driver/fortran/steps.h"
#include "driver/plan.h"
#include "driver/run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

/* A line of '-###': words in double quotes, in which '\' takes '"', '\' and '$' as they are. */
static int read_step(struct fc_steps *steps, const char *line) {
  struct dvm_list *grown = reallocarray(steps->v, steps->n + 1, sizeof *grown);
  char *word = malloc(strlen(line) + 1);
  if (grown)
    steps->v = grown;
  if (!grown || !word) {
    free(word);
    return -ENOMEM;
  }
  struct dvm_list *step = &steps->v[steps->n++];
  *step = (struct dvm_list)DVM_LIST_INIT;
  while ((line = strchr(line, '"'))) {
    size_t n = 0;
    for (line++; *line && *line != '"'; line++) {
      line += *line == '\\' && line[1];
      word[n++] = *line;
    }
    word[n] = '\0';
    dvm_list_add(step, word);
    line += *line == '"';
  }
  free(word);
  return step->failed ? -ENOMEM : 0;
}

/* Lines that begin with a blank and a quote are steps; others tell of the installation, or are messages. */
static int read_steps(struct fc_steps *steps, FILE *from, bool *said) {
  char *line = NULL;
  size_t size = 0;
  int rc = 0;
  while (!rc && getline(&line, &size, from) > 0)
    if (line[0] == ' ' && line[1] == '"')
      rc = read_step(steps, line);
    else if (strstr(line, "error:") || strstr(line, "warning:"))
      *said |= fputs(line, stderr) >= 0;
  free(line);
  return rc;
}

struct asked {
  int out;
  const char *folder;
};

static int in_child(void *arg) {
  const struct asked *asked = arg;
  /* The names of temporary files that flang makes up are ours alone there. */
  if (dup2(asked->out, 2) < 0 || setenv("TMPDIR", asked->folder, 1))
    return errno;
  return 0;
}

static int start(const char *flang, char *const *args, size_t n, int out, const char *folder, pid_t *pid) {
  struct dvm_list command = DVM_LIST_INIT;
  struct asked asked = {out, folder};
  dvm_list_add(&command, flang);
  dvm_list_add(&command, "-###");
  for (size_t i = 0; i < n; i++)
    dvm_list_add(&command, args[i]);
  int rc = command.failed ? -ENOMEM : dvm_run_start(command.v, in_child, &asked, pid);
  dvm_list_fini(&command);
  return rc;
}

int fc_steps_ask(struct fc_steps *steps, const char *flang, char *const *args, size_t n, const char *folder, int *status,
                 struct dvm_error *err) {
  int ends[2];
  pid_t pid;
  bool said = false;
  *steps = (struct fc_steps){NULL, 0};
  if (pipe2(ends, O_CLOEXEC))
    return dvm_error_errno(err, "cannot make a pipe");
  int rc = start(flang, args, n, ends[1], folder, &pid);
  close(ends[1]);
  FILE *from = rc ? NULL : fdopen(ends[0], "r");
  if (from) {
    rc = read_steps(steps, from, &said);
    fclose(from);
  } else {
    close(ends[0]);
    return dvm_error_set(err, rc, "cannot run flang '%s': install flang-19 or name it in DVM_FLANG", flang);
  }
  while (waitpid(pid, status, 0) < 0 && errno == EINTR)
    ;
  if (rc)
    return dvm_error_set(err, rc, "out of memory");
  if (*status || (said && !steps->n))
    return -ECANCELED;
  return 0;
}

void fc_steps_fini(struct fc_steps *steps) {
  for (size_t i = 0; i < steps->n; i++)
    dvm_list_fini(&steps->v[i]);
  free(steps->v);
  *steps = (struct fc_steps){NULL, 0};
}

/* ---- checking ---------------------------------------------------------------------------------------------------------------- */

/* What flang was to make, and how the plug-in calls it: '-plugin' takes the place of the action. */
static const struct {
  const char *action, *output;
} outputs[] = {{"-emit-obj", "obj"},     {"-S", "asm"}, {"-emit-llvm", "ll"}, {"-emit-llvm-bc", "bc"}, {"-emit-hlfir", "hlfir"},
               {"-fsyntax-only", "none"}};

static const char *output_of(const struct dvm_list *step) {
  for (size_t i = 0; i < step->n; i++)
    for (size_t k = 0; k < sizeof outputs / sizeof *outputs; k++)
      if (!strcmp(step->v[i], outputs[k].action))
        return outputs[k].output;
  return NULL;
}

static bool is_source(const struct dvm_list *step) {
  for (size_t i = 0; i + 1 < step->n; i++)
    if (!strcmp(step->v[i], "-x"))
      return !strncmp(step->v[i + 1], "f95", 3);
  return true;
}

/* "-dvm-" of the pass, "-dvm-fortran-" of flang's plug-in. */
static void add_mode(struct dvm_list *to, const char *prefix, enum fc_mode mode) {
  if (mode != FC_TRACE && mode != FC_PARALLEL)
    return;
  dvm_list_add(to, "-mllvm");
  dvm_list_printf(to, "%s%s", prefix, mode == FC_TRACE ? "trace" : "parallel");
}

static void add_pass(struct dvm_list *to, const struct dvm_place *place, enum fc_mode mode) {
  dvm_list_add(to, "-load"); /* its options are known when options are read */
  dvm_list_add(to, place->plugin);
  dvm_list_printf(to, "-fpass-plugin=%s", place->plugin);
  add_mode(to, "-dvm-", mode);
}

static void check_fortran(struct dvm_list *to, const struct dvm_list *step, const struct dvm_place *place, const struct fc_check *how,
                          const char *output) {
  dvm_list_add(to, step->v[0]);
  dvm_list_add(to, step->v[1]);
  if (!is_source(step))
    add_pass(to, place, how->mode);
  else {
    /* flang loads the last '-load' alone; this plug-in loads the pass. */
    dvm_list_printf(to, "-fpass-plugin=%s", place->plugin);
    add_mode(to, "-dvm-", how->mode);
    add_mode(to, "-dvm-fortran-", how->mode);
    dvm_list_add(to, "-load");
    dvm_list_add(to, place->fortran);
    dvm_list_add(to, "-plugin");
    dvm_list_add(to, "dvm");
    dvm_list_add(to, "-mllvm");
    dvm_list_printf(to, "-dvm-fortran-output=%s", output);
    /* It would make a second body of loops over arrays that may be laid out with a stride: marks would stand there twice. */
    dvm_list_add(to, "-fno-version-loops-for-stride");
  }
  if (is_source(step) && how->counts) {
    dvm_list_add(to, "-mllvm");
    dvm_list_add(to, "-dvm-fortran-count");
  }
  if (is_source(step) && how->werror) {
    dvm_list_add(to, "-mllvm");
    dvm_list_add(to, "-dvm-fortran-werror");
  }
  if (is_source(step) && how->absolute) {
    dvm_list_add(to, "-mllvm");
    dvm_list_add(to, "-dvm-fortran-absolute");
  }
  if (is_source(step) && how->fix) {
    dvm_list_add(to, "-mllvm");
    dvm_list_printf(to, "-dvm-fortran-sources=%s/sources", how->fix);
  }
  for (size_t i = 2; i < step->n; i++)
    dvm_list_add(to, step->v[i]);
}

/* The source is the last word of a step. */
static void add_depends(struct dvm_list *to, const struct fc_depends *d, const char *source) {
  char *file = fc_depends_file(d, source), *target = fc_depends_target(d, source);
  dvm_list_add(to, "-dependency-file");
  dvm_list_add(to, file ? file : "");
  dvm_list_add(to, "-MT");
  dvm_list_add(to, target ? target : "");
  if (d->phony)
    dvm_list_add(to, "-MP");
  to->failed |= !file || !target;
  free(file);
  free(target);
}

static void check_c(struct dvm_list *to, const struct dvm_list *step, const struct dvm_place *place, const struct fc_check *how) {
  dvm_list_add(to, place->clang);
  dvm_list_add(to, step->v[1]);
  if (how->mode != FC_OFF) {
    add_pass(to, place, how->mode);
    dvm_list_add(to, "-D");
    dvm_list_add(to, "_DVMH=1");
  }
  if (how->mode == FC_TRACE || how->mode == FC_PARALLEL) {
    dvm_list_add(to, "-plugin-arg-dvm");
    dvm_list_add(to, how->mode == FC_TRACE ? "trace" : "parallel");
  }
  if (how->counts) {
    dvm_list_add(to, "-plugin-arg-dvm");
    dvm_list_add(to, "count");
  }
  if (how->fix) {
    dvm_list_add(to, "-ivfsoverlay");
    dvm_list_printf(to, "%s/overlay.yaml", how->fix);
  }
  if (how->absolute && how->mode != FC_OFF) {
    dvm_list_add(to, "-plugin-arg-dvm");
    dvm_list_add(to, "absolute");
  }
  if ((how->fix || how->absolute) && how->mode == FC_CHECK) {
    dvm_list_add(to, "-plugin-arg-dvm");
    dvm_list_add(to, "at-run");
  }
  if (how->depends)
    add_depends(to, how->depends, step->v[step->n - 1]);
  for (size_t i = 2; i < step->n; i++)
    dvm_list_add(to, step->v[i]);
}

static bool says_form(const struct dvm_list *step) {
  for (size_t i = 0; i < step->n; i++)
    if (!strcmp(step->v[i], "-ffixed-form") || !strcmp(step->v[i], "-ffree-form"))
      return true;
  return false;
}

int fc_step_form(struct dvm_list *step, struct dvm_error *err) {
  struct dvm_list to = DVM_LIST_INIT;
  if (step->n < 3 || strcmp(step->v[1], "-fc1") || !cc_is_fdv(step->v[step->n - 1]) || says_form(step))
    return 0;
  for (size_t i = 0; i < step->n; i++) {
    if (i == 2)
      dvm_list_add(&to, "-ffixed-form");
    dvm_list_add(&to, step->v[i]);
  }
  if (to.failed) {
    dvm_list_fini(&to);
    return dvm_error_set(err, -ENOMEM, "out of memory");
  }
  dvm_list_fini(step);
  *step = to;
  return 0;
}

int fc_step_check(struct dvm_list *step, const struct dvm_place *place, const struct fc_check *how, struct dvm_error *err) {
  struct dvm_list to = DVM_LIST_INIT;
  const char *output = output_of(step);
  if (step->n < 2 || (how->mode == FC_OFF && strcmp(step->v[1], "-cc1")))
    return 0;
  if (!strcmp(step->v[1], "-fc1") && output) {
    check_fortran(&to, step, place, how, output);
  } else if (!strcmp(step->v[1], "-cc1")) { /* C among the inputs: flang is no clang */
    check_c(&to, step, place, how);
  } else {
    return 0;
  }
  if (to.failed) {
    dvm_list_fini(&to);
    return dvm_error_set(err, -ENOMEM, "out of memory");
  }
  dvm_list_fini(step);
  *step = to;
  return 0;
}
