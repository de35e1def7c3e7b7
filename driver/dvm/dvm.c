/* dvm: the one command for everything after compiling. */
#define _GNU_SOURCE
#include "base/output.h"
#include "base/text.h"
#include "driver/dvm/check.h"
#include "driver/config.h"
#include "driver/fix/fix.h"
#include "driver/list.h"
#include "driver/dvm/page.h"
#include "driver/run.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

/* 'check' and 'fix' are built in; each other command is a program 'dvm-NAME' of the part that it belongs to. */
static const struct {
  const char *name, *summary;
} commands[] = {
    {"check", "compile a program, run it once, report wrong directives"},
    {"fix", "repair a program's directives as its reports say"},
    {"record", "keep a reference trace of a run"},
    {"compare", "compare a run with a reference trace"},
    {"diff", "compare two traces"},
    {"trace", "show, check and configure traces"},
    {"profile", "say where the time of a parallel program went"},
    {"run", "run a program so that it can be checkpointed"},
    {"debug", "debug all processes of a parallel program"},
    {"checkpoint", "save the state of a running program"},
    {"restart", "continue a program from a checkpoint"},
    {"version", "show the version"},
    {"help", "show help, or help for one command"},
};
enum { NCOMMANDS = sizeof commands / sizeof *commands };

/* NULL: the command is none that is built in with options and arguments of its own. */
static const char *builtin_help(const char *name) {
  return !strcmp(name, "check") ? dvm_check_help : !strcmp(name, "fix") ? dvm_fix_help : NULL;
}

static bool is_builtin(const char *name) { return builtin_help(name) || !strcmp(name, "version") || !strcmp(name, "help"); }

static bool is_known(const char *name) {
  for (int i = 0; i < NCOMMANDS; i++)
    if (!strcmp(name, commands[i].name))
      return true;
  return false;
}

/* Owned path of the program 'dvm-NAME', or NULL when this installation has none.  The last two are the build tree's. */
static char *find_program(const char *name, const struct dvm_place *place) {
  char *path;
  const struct {
    const char *folder, *below;
  } places[] = {{place->libexec, ""}, {place->bin, ""}, {place->bin, "/../sdm"}, {place->bin, "/../mpir"}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    if (asprintf(&path, "%s%s/dvm-%s", places[i].folder, places[i].below, name) < 0)
      return NULL;
    if (!access(path, X_OK))
      return path;
    free(path);
  }
  return NULL;
}

/* 'others': further names that were possible here, or NULL. */
static int unknown(const char *what, const char *name, const struct dvm_list *others) {
  size_t nothers = others ? others->n : 0, n = 0;
  const char **names = calloc(NCOMMANDS + nothers + 1, sizeof *names);
  for (; names && n < NCOMMANDS; n++)
    names[n] = commands[n].name;
  for (size_t i = 0; names && i < nothers; i++)
    names[n++] = others->v[i];
  const char *nearest = names ? dvm_text_nearest(name, names) : NULL;
  fprintf(stderr, "dvm: error: unknown %s '%s'; ", what, name);
  if (nearest)
    fprintf(stderr, "did you mean '%s'?\n", nearest);
  else
    fprintf(stderr, "'dvm help' lists what is available\n");
  free(names);
  return EXIT_USAGE;
}

static int run_program(const char *name, char *const *args, const struct dvm_place *place) {
  struct dvm_list command = DVM_LIST_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  char *path = find_program(name, place);
  if (!path) {
    fprintf(stderr, "dvm: error: this build has no command '%s' (no program 'dvm-%s' in '%s')\n", name, name, place->libexec);
    return EXIT_USAGE;
  }
  dvm_list_add(&command, path);
  for (; *args; args++)
    dvm_list_add(&command, *args);
  free(path);
  if (command.failed) {
    dvm_error_set(&err, -ENOMEM, "out of memory");
  } else {
    execv(command.v[0], command.v);
    dvm_error_errno(&err, "cannot run '%s'", command.v[0]);
  }
  fprintf(stderr, "dvm: error: %s\n", err.text);
  dvm_list_fini(&command);
  return 1;
}

static int list_commands(FILE *out, const struct dvm_place *place) {
  fputs("usage: dvm COMMAND [argument...]\n\n", out);
  for (int i = 0; i < NCOMMANDS; i++) {
    char *path = is_builtin(commands[i].name) ? NULL : find_program(commands[i].name, place);
    if (is_builtin(commands[i].name) || path)
      fprintf(out, "  %-11s %s\n", commands[i].name, commands[i].summary);
    free(path);
  }
  fputs("\n'dvm help COMMAND' says more; 'dvm help ID' explains a diagnostic, as in 'dvm help dvm-shadow-stale';\n"
        "'dvm help diagnostics' lists them.  'dvmcc --dvm-help' describes compiling.\n",
        out);
  return 0;
}

static int list_pages(const struct dvm_list *ids) {
  for (size_t i = 0; i < ids->n; i++)
    puts(ids->v[i]);
  return 0;
}

/* Of a diagnostic. */
static int help_page(const char *name, const struct dvm_place *place) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvm_list ids = DVM_LIST_INIT;
  int status = 1;
  dvm_page_list(place->diagnostics, &ids);
  if (!ids.n) {
    fprintf(stderr, "dvm: error: there are no diagnostic pages in '%s'\n", place->diagnostics);
  } else if (!strcmp(name, "diagnostics")) {
    status = list_pages(&ids);
  } else {
    int rc = dvm_page_show(place->diagnostics, name, &err);
    status = !rc ? 0 : rc == -ENOENT ? unknown("command or diagnostic", name, &ids) : 1;
    if (rc && rc != -ENOENT)
      fprintf(stderr, "dvm: error: %s\n", err.text);
  }
  dvm_list_fini(&ids);
  return status;
}

static int help(const char *name, const struct dvm_place *place) {
  char *const args[] = {"--help", NULL};
  if (!name || !strcmp(name, "help"))
    return list_commands(stdout, place);
  if (!is_known(name))
    return help_page(name, place);
  if (!is_builtin(name))
    return run_program(name, args, place);
  fputs(builtin_help(name) ? builtin_help(name) : "usage: dvm version\n\nShows the version.\n", stdout);
  return 0;
}

static int version(void) {
  puts("dvm " DVM_VERSION);
  return 0;
}

static int dispatch(char **argv, int argc, const struct dvm_place *place) {
  const char *name = argv[1];
  if (!name) {
    list_commands(stderr, place);
    return EXIT_USAGE;
  }
  if (!strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h"))
    return help(argv[2], place);
  if (!strcmp(name, "version") || !strcmp(name, "--version"))
    return version();
  if (!is_known(name))
    return unknown("command", name, NULL);
  if (builtin_help(name)) {
    if (argc == 3 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
      return help(name, place);
    return (!strcmp(name, "fix") ? dvm_fix : dvm_check)(argv + 2, argc - 2, place);
  }
  return run_program(name, argv + 2, place);
}

int main(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvm_place place;
  dvm_output_begin();
  if (dvm_place_find(&place, &err)) {
    fprintf(stderr, "dvm: error: %s\n", err.text);
    return 1;
  }
  int status = dispatch(argv, argc, &place);
  dvm_place_fini(&place);
  return dvm_output_end(status);
}
