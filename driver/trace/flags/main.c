/* dvm compare --flags: which objects of a build, then which of their functions, carry the difference between two ways to compile. */
#define _GNU_SOURCE
#include "base/output.h"
#include "driver/trace/flags/build.h"
#include "driver/trace/flags/search.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: dvm compare --flags FIRST SECOND [option...] FILE... [-- argument...]\n"
    "       dvm compare --flags FIRST SECOND --make COMMAND [option...] [-- argument...]\n"
    "\n"
    "Compiles a program with two sets of flags, both recording.  If the runs differ, looks for the smallest set of object files that\n"
    "causes the difference when only they are compiled in the second way, and then for the functions in them.  FILEs are sources and\n"
    "what the linker needs (-lm); COMMAND builds the whole program with make's compiler $(CC) ('make', 'make -C src prog').\n"
    "The arguments are the program's.  The exit status is 66 if something differs.\n"
    "\n"
    "  --make COMMAND     command that builds the program; its last linking call of the compiler produces it\n"
    "  --second-cc CC     compile the second way with this compiler, whose objects do not record; the object with 'main' is left as it is\n"
    "  --level LEVEL      modify (default), full\n"
    "  --tolerance X, --ulps N, --exact, --config FILE, --ignore WHAT, --rename OLD=NEW, --accept LIST,\n"
    "  --checks LIST, --window MIB, --max-errors N, --partial, --digits\n"
    "                     what counts as a difference, as for 'dvm compare'\n"
    "Environment: TMPDIR for the temporary folder.\n";

enum { EXIT_USAGE = 2, EXIT_DIFFERENT = 66 };

struct flags {
  struct dvmt_build build;
  struct dvmt_words compare;     /* options of the comparison */
  struct dvmt_words files;
  const char *make, *level;
  char *const *arguments;
  char reference[DVMT_FLAGS_PATH];
  struct dvmt_words *functions;  /* by object: those that are looked at */
  size_t *first;                 /* by object: number of its first function among all */
  unsigned tried;
};

static int usage(const char *what, const char *word) {
  fprintf(stderr, "dvm: error: %s%s%s%s; 'dvm compare --flags --help' says more\n", what, word ? " '" : "", word ? word : "",
          word ? "'" : "");
  return EXIT_USAGE;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------------------- */

static int add_program(struct dvmt_words *command, const struct flags *f, const char *program) {
  int rc = dvmt_words_add(command, "--");
  rc = rc ? rc : dvmt_words_add(command, program);
  for (int i = 0; !rc && f->arguments[i]; i++)
    rc = dvmt_words_add(command, f->arguments[i]);
  return rc;
}

static const char *tool(const struct flags *f, const char *name) {
  static char path[4200];
  const char *slash = strrchr(f->build.self, '/');
  snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - f->build.self), f->build.self, name);
  return path;
}

static int record(struct flags *f, const char *program, struct dvm_error *err) {
  struct dvmt_words command = {NULL, 0};
  const char *const words[] = {tool(f, "dvm-record"), "--level", f->level, "-o", f->reference};
  int rc = 0;
  for (size_t i = 0; !rc && i < sizeof(words) / sizeof(*words); i++)
    rc = dvmt_words_add(&command, words[i]);
  rc = rc ? rc : add_program(&command, f, program);
  int status = rc ? -1 : dvmt_build_run(NULL, command.w, true);
  dvmt_words_fini(&command);
  if (status < 0 || access(f->reference, R_OK))
    return dvm_error_set(err, -EIO, "the program built with the first flags cannot be recorded");
  return 0;
}

/* 1: it differs from the reference, or crashes; 0; -E... */
static int compare(struct flags *f, const char *program, bool quiet, struct dvm_error *err) {
  struct dvmt_words command = {NULL, 0};
  int rc = dvmt_words_add(&command, tool(f, "dvm-compare"));
  for (size_t i = 0; !rc && i < f->compare.n; i++)
    rc = dvmt_words_add(&command, f->compare.w[i]);
  rc = rc ? rc : dvmt_words_add(&command, f->reference);
  rc = rc ? rc : add_program(&command, f, program);
  if (quiet)
    f->tried++;
  fflush(NULL);
  int status = rc ? -1 : dvmt_build_run(NULL, command.w, quiet);
  dvmt_words_fini(&command);
  if (status >= 0 && WIFEXITED(status) && (WEXITSTATUS(status) == EXIT_USAGE || WEXITSTATUS(status) == 127))
    return dvm_error_set(err, -EINVAL, "the comparison rejected its options or its program");
  if (status < 0)
    return dvm_error_set(err, -EIO, "cannot run 'dvm compare'");
  return WIFSIGNALED(status) || WEXITSTATUS(status) == EXIT_DIFFERENT;
}

struct trial {
  struct flags *f;
  struct dvm_error *err;
  bool quiet;
};

/* The program with these objects compiled in the second way.  Where the second compiler does not record, its partner is one whose same
 * objects do not either. */
static int link_objects(struct flags *f, const bool *on, enum dvmt_variant then, enum dvmt_variant otherwise, char *program, size_t size,
                        struct dvm_error *err) {
  size_t n = f->build.nobjects;
  char *(*objects)[2] = calloc(n, sizeof(*objects));
  int rc = objects ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t i = 0; !rc && i < n; i++) {
    const char *path = dvmt_build_object(&f->build, i, on && on[i] ? then : otherwise, err);
    objects[i][0] = path ? strdup(path) : NULL;
    rc = objects[i][0] ? 0 : err->code ? err->code : -ENOMEM;
  }
  rc = rc ? rc : dvmt_build_link(&f->build, objects, program, size, err);
  for (size_t i = 0; objects && i < n; i++)
    free(objects[i][0]);
  free(objects);
  return rc;
}

static int objects_differ(void *arg, const bool *on) {
  struct trial *t = arg;
  char program[DVMT_FLAGS_PATH];
  if (t->f->build.other) {
    int rc = link_objects(t->f, on, DVMT_PLAIN, DVMT_FIRST, program, sizeof(program), t->err);
    rc = rc ? rc : record(t->f, program, t->err);
    if (rc)
      return rc;
    unlink(program);
  }
  int rc = link_objects(t->f, on, DVMT_SECOND, DVMT_FIRST, program, sizeof(program), t->err);
  rc = rc ? rc : compare(t->f, program, t->quiet, t->err);
  unlink(program);
  return rc;
}

/* ---- functions --------------------------------------------------------------------------------------------------------------------- */

/* A copy of an object file in which the names are weak. */
static char *weaken(struct flags *f, const char *object, const struct dvmt_words *names, size_t number, struct dvm_error *err) {
  char list[DVMT_FLAGS_PATH], path[DVMT_FLAGS_PATH];
  if (!names->n) /* objcopy takes an empty list for a mistake */
    return strdup(object);
  snprintf(list, sizeof(list), "%s/names", f->build.folder);
  snprintf(path, sizeof(path), "%s/weak-%zu.o", f->build.folder, number);
  FILE *out = fopen(list, "we");
  for (size_t i = 0; out && i < names->n; i++)
    fprintf(out, "%s\n", names->w[i]);
  char option[DVMT_FLAGS_PATH + 32];
  snprintf(option, sizeof(option), "--weaken-symbols=%s", list);
  char *const command[] = {(char *)"objcopy", option, (char *)object, path, NULL};
  int status = out && !fclose(out) ? dvmt_build_run(NULL, command, false) : -1;
  if (status) {
    dvm_error_set(err, -EIO, "cannot make symbols of '%s' weak (objcopy)", object);
    return NULL;
  }
  return strdup(path);
}

static bool has_name(const struct dvmt_words *l, const char *name) {
  for (size_t i = 0; i < l->n; i++)
    if (!strcmp(l->w[i], name))
      return true;
  return false;
}

/* Both files of an object: of the way 'then' the functions that are on, of the first all else. */
static int mix(struct flags *f, size_t n, const bool *on, enum dvmt_variant then, char *pair[2], struct dvm_error *err) {
  struct dvmt_words chosen = {NULL, 0}, all = {NULL, 0}, rest = {NULL, 0};
  const char *path = dvmt_build_object(&f->build, n, then, err);
  int rc = path ? dvmt_build_symbols(path, false, &all, err) : err->code;
  for (size_t i = 0; !rc && i < f->functions[n].n; i++)
    if (on[f->first[n] + i])
      rc = dvmt_words_add(&chosen, f->functions[n].w[i]);
  for (size_t i = 0; !rc && i < all.n; i++)
    if (!has_name(&chosen, all.w[i]))
      rc = dvmt_words_add(&rest, all.w[i]);
  if (!rc && !(pair[1] = weaken(f, path, &rest, 2 * n + 1, err)))
    rc = err->code;
  path = rc ? NULL : dvmt_build_object(&f->build, n, DVMT_FIRST_PARTS, err);
  if (!rc && (!path || !(pair[0] = weaken(f, path, &chosen, 2 * n, err))))
    rc = err->code;
  dvmt_words_fini(&chosen);
  dvmt_words_fini(&all);
  dvmt_words_fini(&rest);
  return rc;
}

/* The program in which the functions that are on are of the way 'then'. */
static int link_functions(struct flags *f, const bool *on, enum dvmt_variant then, char *program, size_t size, struct dvm_error *err) {
  size_t n = f->build.nobjects;
  char *(*objects)[2] = calloc(n, sizeof(*objects));
  int rc = objects ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t i = 0; !rc && i < n; i++) {
    if (f->functions[i].n) {
      rc = mix(f, i, on, then, objects[i], err);
      continue;
    }
    const char *path = dvmt_build_object(&f->build, i, DVMT_FIRST, err);
    objects[i][0] = path ? strdup(path) : NULL;
    rc = objects[i][0] ? 0 : err->code ? err->code : -ENOMEM;
  }
  rc = rc ? rc : dvmt_build_link(&f->build, objects, program, size, err);
  for (size_t i = 0; objects && i < n; i++) {
    free(objects[i][0]);
    free(objects[i][1]);
  }
  free(objects);
  return rc;
}

static int functions_differ(void *arg, const bool *on) {
  struct trial *t = arg;
  char program[DVMT_FLAGS_PATH] = "";
  int rc = 0;
  if (t->f->build.other) { /* as with objects: the partner does not record these functions either */
    rc = link_functions(t->f, on, DVMT_PLAIN_PARTS, program, sizeof(program), t->err);
    rc = rc ? rc : record(t->f, program, t->err);
    if (*program)
      unlink(program);
  }
  rc = rc ? rc : link_functions(t->f, on, DVMT_SECOND_PARTS, program, sizeof(program), t->err);
  rc = rc ? rc : compare(t->f, program, t->quiet, t->err);
  if (*program)
    unlink(program);
  return rc;
}

/* "relax" of "relax.dvm.5f3a", the name of a static function that is shared. */
static void print_name(const char *name) {
  const char *mark = strstr(name, ".dvm.");
  fprintf(stderr, "'%.*s'", (int)(mark ? mark - name : (ptrdiff_t)strlen(name)), name);
}

static void tell_functions(const struct flags *f, const bool *on) {
  fprintf(stderr, ", in");
  for (size_t i = 0, k = 0; i < f->build.nobjects; i++)
    for (size_t j = 0; j < f->functions[i].n; j++, k++)
      if (on[k]) {
        fputc(' ', stderr);
        print_name(f->functions[i].w[j]);
      }
}

/* What of these objects carries the difference; they are taken from 'objects' when the functions are as good as the whole. */
static void search_functions(struct flags *f, const bool *objects) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct trial t = {f, &err, true};
  size_t all = 0, n = f->build.nobjects;
  int rc = 0;
  f->functions = calloc(n, sizeof(*f->functions));
  f->first = calloc(n, sizeof(*f->first));
  for (size_t i = 0; f->functions && f->first && !rc && i < n; i++) {
    const char *path = objects[i] ? dvmt_build_object(&f->build, i, DVMT_SECOND_PARTS, &err) : NULL;
    f->first[i] = all;
    if (objects[i])
      rc = path ? dvmt_build_symbols(path, true, &f->functions[i], &err) : err.code;
    all += f->functions[i].n;
  }
  bool *on = rc || !f->functions || !f->first ? NULL : malloc(all ? all : 1);
  if (on)
    memset(on, true, all);
  if (!rc)
    rc = !on ? dvm_error_set(&err, -ENOMEM, "out of memory") : all ? functions_differ(&t, on) : 0;
  bool whole = rc > 0;
  if (whole)
    rc = dvmt_search_least(on, all, functions_differ, &t);
  if (rc < 0)
    fprintf(stderr, "; which of its functions cannot be determined: %s", err.text);
  else if (!whole)
    fprintf(stderr, ", in none of its functions alone (they are inlined into each other)");
  else
    tell_functions(f, on);
  fputc('\n', stderr);
  free(on);
  for (size_t i = 0; f->functions && i < n; i++)
    dvmt_words_fini(&f->functions[i]);
  free(f->functions);
  free(f->first);
}

/* ---- the search -------------------------------------------------------------------------------------------------------------------- */

static const char *name_of(const struct dvmt_object *o) { return o->source; }

static void tell(struct flags *f, const bool *on) {
  size_t n = f->build.nobjects, left = 0;
  for (size_t i = 0; i < n; i++)
    left += on[i];
  fprintf(stderr, "dvm: the difference is in ");
  const char *before = "";
  for (size_t i = 0; i < n; i++)
    if (on[i]) {
      fprintf(stderr, "%s'%s'", before, name_of(&f->build.object[i]));
      before = " and ";
    }
  fprintf(stderr, "%s", left > 1 ? " together" : "");
  search_functions(f, on);
}

/* One smallest set after the other, each without those before. */
static int search(struct flags *f, struct dvm_error *err) {
  size_t n = f->build.nobjects, rounds = 0;
  bool *left = calloc(n, 1), *on = calloc(n, 1);
  struct trial t = {f, err, true};
  int rc = left && on ? 0 : dvm_error_set(err, -ENOMEM, "out of memory"), differs;
  for (size_t i = 0; !rc && i < n; i++)
    left[i] = !(f->build.other && f->build.object[i].holds_main);
  while (!rc && (differs = objects_differ(&t, left))) {
    if (differs < 0) {
      rc = differs;
      break;
    }
    memcpy(on, left, n);
    rc = dvmt_search_least(on, n, objects_differ, &t);
    if (rc)
      break;
    tell(f, on);
    if (!rounds++) {
      t.quiet = false;
      rc = objects_differ(&t, on);
      rc = rc < 0 ? rc : 0;
      t.quiet = true;
    }
    for (size_t i = 0; i < n; i++)
      left[i] &= !on[i];
  }
  if (!rc && !rounds) {
    fprintf(stderr, "dvm: no difference between '%s' and '%s'%s%s in %zu objects\n", f->build.flags[0], f->build.flags[1],
            f->build.other ? " of " : "", f->build.other ? f->build.other : "", n);
    t.quiet = false;
    rc = objects_differ(&t, left);
  } else if (!rc) {
    fprintf(stderr, "dvm: %zu set%s of objects, after %u runs\n", rounds, rounds > 1 ? "s" : "", f->tried);
    rc = 1;
  }
  free(left);
  free(on);
  return rc;
}

static int build(struct flags *f, struct dvm_error *err) {
  struct dvmt_words command = {NULL, 0};
  char text[9000], program[DVMT_FLAGS_PATH];
  int rc = 0;
  snprintf(program, sizeof(program), "%s/program", f->build.folder);
  if (setenv("DVM_FLAGS_CC", f->build.dvmcc, 1) || setenv("DVM_FLAGS_FIRST", f->build.flags[0], 1))
    return dvm_error_set(err, -ENOMEM, "out of memory");
  if (f->make) {
    bool is_make = !strncmp(f->make, "make", 4) || !strncmp(f->make, "gmake", 5);
    snprintf(text, sizeof(text), "%s%s CC='%s --cc %s'", f->make, is_make ? " -B" : "", f->build.self, f->build.folder);
    const char *const words[] = {"/bin/sh", "-c", text};
    for (int i = 0; !rc && i < 3; i++)
      rc = dvmt_words_add(&command, words[i]);
  } else {
    const char *const words[] = {f->build.self, "--cc", f->build.folder};
    for (int i = 0; !rc && i < 3; i++)
      rc = dvmt_words_add(&command, words[i]);
    for (size_t i = 0; !rc && i < f->files.n; i++)
      rc = dvmt_words_add(&command, f->files.w[i]);
    rc = rc ? rc : dvmt_words_add(&command, "-o");
    rc = rc ? rc : dvmt_words_add(&command, program);
  }
  int out = f->make ? dup(1) : -1; /* what make says is no output of the program */
  if (out >= 0)
    dup2(2, 1);
  int status = rc ? -1 : dvmt_build_run(NULL, command.w, false);
  if (out >= 0) {
    dup2(out, 1);
    close(out);
  }
  dvmt_words_fini(&command);
  if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
    return dvm_error_set(err, -EIO, "the program cannot be built with '%s'", f->build.flags[0]);
  return dvmt_build_read(&f->build, err);
}

/* ---- options ------------------------------------------------------------------------------------------------------------------------ */

/* 0: not an option of the comparison; else its words. */
static int words_of_option(const char *word) {
  static const char *const with[] = {"--tolerance", "--ulps",   "--config",     "--ignore", "--accept",
                                     "--checks",    "--window", "--max-errors", "--rename"};
  for (size_t i = 0; i < sizeof(with) / sizeof(*with); i++)
    if (!strncmp(word, with[i], strlen(with[i])))
      return word[strlen(with[i])] == '=' ? 1 : word[strlen(with[i])] ? 0 : 2;
  return !strcmp(word, "--exact") || !strcmp(word, "--partial") || !strcmp(word, "--digits");
}

static int read_options(struct flags *f, int argc, char **argv) {
  int rc = 0, i = 1;
  f->arguments = argv + argc;
  for (; !rc && i < argc; i++) {
    const char *w = argv[i];
    int own = words_of_option(w);
    if (!strcmp(w, "--")) {
      f->arguments = argv + i + 1;
      break;
    }
    bool asks = !strcmp(w, "--flags") && i + 1 < argc && !strcmp(argv[i + 1], "--help");
    if (asks || !strcmp(w, "--help") || !strcmp(w, "-h")) {
      fputs(help, stdout);
      return -1;
    }
    if (!strcmp(w, "--flags") && i + 2 < argc) {
      f->build.flags[0] = argv[++i];
      f->build.flags[1] = argv[++i];
    } else if (!strcmp(w, "--make") && i + 1 < argc)
      f->make = argv[++i];
    else if (!strcmp(w, "--second-cc") && i + 1 < argc)
      f->build.other = argv[++i];
    else if (!strcmp(w, "--level") && i + 1 < argc)
      f->level = argv[++i];
    else if (own && i + own <= argc)
      for (int k = own; k && !rc; k--)
        rc = dvmt_words_add(&f->compare, argv[k == own ? i : ++i]);
    else if (!strcmp(w, "--flags") || !strcmp(w, "--make") || !strcmp(w, "--second-cc") || !strcmp(w, "--level") || own)
      return usage("its value is missing:", w);
    else if (!strncmp(w, "--", 2))
      return usage("unknown option", w);
    else
      rc = dvmt_words_add(&f->files, w);
  }
  if (rc)
    return usage("out of memory", NULL);
  if (!f->build.flags[0])
    return usage("'--flags' needs two sets of flags", NULL);
  if (strstr(f->build.flags[0], "-flto") || strstr(f->build.flags[1], "-flto"))
    return usage("'-flto' compiles at link time: there are no objects to choose between", NULL);
  if (!f->make == !f->files.n)
    return usage(f->make ? "either '--make' or files" : "'--flags' needs sources, or '--make'", NULL);
  if (strcmp(f->level, "modify") && strcmp(f->level, "full"))
    return usage("expected level modify or full, found", f->level);
  return 0;
}

static int run(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct flags f = {.level = "modify"};
  int rc = read_options(&f, argc, argv);
  if (rc)
    return rc < 0 ? 0 : rc;
  rc = dvmt_build_init(&f.build, &err);
  snprintf(f.reference, sizeof(f.reference), "%s/reference.dvmt", f.build.folder);
  rc = rc ? rc : build(&f, &err);
  if (!rc && !f.build.other) {
    char program[DVMT_FLAGS_PATH];
    rc = link_objects(&f, NULL, DVMT_FIRST, DVMT_FIRST, program, sizeof(program), &err);
    rc = rc ? rc : record(&f, program, &err);
  }
  rc = rc ? rc : search(&f, &err);
  dvmt_build_fini(&f.build);
  dvmt_words_fini(&f.compare);
  dvmt_words_fini(&f.files);
  if (rc < 0)
    fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc < 0 ? (rc == -EINVAL ? EXIT_USAGE : 1) : rc ? EXIT_DIFFERENT : 0;
}

int main(int argc, char **argv) {
  if (argc > 2 && !strcmp(argv[1], "--cc"))
    return dvmt_build_compiler(argv[2], argc - 3, argv + 3);
  dvm_output_begin();
  return dvm_output_end(run(argc, argv));
}
