#define _GNU_SOURCE
#include "driver/trace/flags/build.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- words --------------------------------------------------------------------------------------------------------------------- */

int dvmt_words_add(struct dvmt_words *l, const char *word) {
  char **rows = realloc(l->w, (l->n + 2) * sizeof(*rows)), *copy = strdup(word);
  if (rows)
    l->w = rows;
  if (!rows || !copy) {
    free(copy);
    return -ENOMEM;
  }
  l->w[l->n++] = copy;
  l->w[l->n] = NULL;
  return 0;
}

int dvmt_words_split(struct dvmt_words *l, const char *text) {
  char *copy = strdup(text), *rest = copy;
  int rc = copy ? 0 : -ENOMEM;
  for (char *word; !rc && (word = strtok_r(rest, " \t\n", &rest));)
    rc = dvmt_words_add(l, word);
  free(copy);
  return rc;
}

void dvmt_words_fini(struct dvmt_words *l) {
  for (size_t i = 0; i < l->n; i++)
    free(l->w[i]);
  free(l->w);
  *l = (struct dvmt_words){NULL, 0};
}

int dvmt_build_run(const char *folder, char *const *command, bool quiet) {
  int status;
  pid_t pid = fork();
  if (!pid) {
    int null = quiet ? open("/dev/null", O_WRONLY) : -1;
    if (null >= 0) {
      dup2(null, 1);
      dup2(null, 2);
    }
    lseek(0, 0, SEEK_SET); /* each run reads the same input, if it is a file */
    if (!folder || !chdir(folder))
      execvp(command[0], command);
    _exit(127);
  }
  return pid < 0 || waitpid(pid, &status, 0) < 0 ? -1 : status;
}

static bool succeeded(int status) { return status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status); }

/* ---- in the compiler's place ----------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n > m && !strcmp(s + n - m, end);
}

/* Its next word belongs to it. */
static bool takes_word(const char *option) {
  static const char *const names[] = {"-o",     "-I",  "-D",  "-U", "-include", "-isystem", "-iquote",  "-idirafter",
                                      "-MF",    "-MT", "-MQ", "-x", "-L",       "-l",       "-Xlinker", "-Xclang",
                                      "-mllvm", "-T",  "-u",  "-z", "-arch",    "-isysroot"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (!strcmp(option, names[i]))
      return true;
  return false;
}

static bool is_for_linker(const char *w) {
  static const char *const names[] = {"-l",      "-L",   "-Wl,",    "-Xlinker", "-rdynamic", "-static",
                                      "-shared", "-pie", "-no-pie", "-T",       "-u",        "-z"};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (!strncmp(w, names[i], strlen(names[i])))
      return true;
  return w[0] != '-' && (ends_with(w, ".o") || ends_with(w, ".a") || ends_with(w, ".so"));
}

/* One call: C (compiles) or L (links), folder, source, output, words. */
static int keep(const char *folder, char kind, const char *source, const char *output, const struct dvmt_words *args) {
  char here[PATH_MAX], path[DVMT_FLAGS_PATH], *text = NULL;
  size_t n = 0;
  /* One write, so that calls at the same time do not mix. */
  FILE *f = getcwd(here, sizeof(here)) ? open_memstream(&text, &n) : NULL;
  if (!f)
    return -errno;
  snprintf(path, sizeof(path), "%s/log", folder);
  fputc(kind, f);
  fputc(0, f);
  fprintf(f, "%s%c%s%c", here, 0, source, 0);
  fprintf(f, "%s%s%s%c%zu%c", output[0] == '/' || !*output ? "" : here, output[0] == '/' || !*output ? "" : "/", output, 0, args->n, 0);
  for (size_t i = 0; i < args->n; i++)
    fprintf(f, "%s%c", args->w[i], 0);
  fclose(f);
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  bool whole = fd >= 0 && write(fd, text, n) == (ssize_t)n;
  if (fd >= 0)
    close(fd);
  free(text);
  return whole ? 0 : -EIO;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

struct compiling {
  const char *folder, *dvmcc, *flags;
  struct dvmt_words args;      /* without sources and output */
  const char *output;
  bool compiles;
};

static int compile(const struct compiling *c, const char *source, const char *output) {
  struct dvmt_words command = {NULL, 0};
  int rc = keep(c->folder, 'C', source, output, &c->args);
  rc = rc ? rc : dvmt_words_add(&command, c->dvmcc);
  rc = rc ? rc : dvmt_words_add(&command, "-fdvm=trace");
  for (size_t i = 0; !rc && i < c->args.n; i++)
    rc = dvmt_words_add(&command, c->args.w[i]);
  const char *const last[] = {"-c", source, "-o", output};
  rc = rc ? rc : dvmt_words_split(&command, c->flags);
  for (size_t i = 0; !rc && i < 4; i++)
    rc = dvmt_words_add(&command, last[i]);
  int status = rc ? -1 : dvmt_build_run(NULL, command.w, false);
  dvmt_words_fini(&command);
  return succeeded(status) ? 0 : status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int link_program(const struct compiling *c, const struct dvmt_words *all) {
  struct dvmt_words command = {NULL, 0};
  int rc = keep(c->folder, 'L', "", c->output, all);
  rc = rc ? rc : dvmt_words_add(&command, c->dvmcc);
  rc = rc ? rc : dvmt_words_add(&command, "-fdvm=trace");
  for (size_t i = 0; !rc && i < all->n; i++)
    rc = dvmt_words_add(&command, all->w[i]);
  rc = rc ? rc : dvmt_words_add(&command, "-o");
  rc = rc ? rc : dvmt_words_add(&command, c->output);
  int status = rc ? -1 : dvmt_build_run(NULL, command.w, false);
  dvmt_words_fini(&command);
  return succeeded(status) ? 0 : status > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Neither compiles nor links: preprocesses, answers. */
static bool is_other(int argc, char **argv) {
  for (int i = 0; i < argc; i++)
    if (!strcmp(argv[i], "-E") || !strcmp(argv[i], "-S") || !strcmp(argv[i], "-M") || !strcmp(argv[i], "-MM") ||
        !strncmp(argv[i], "-print", 6) || !strncmp(argv[i], "-dump", 5) || !strcmp(argv[i], "--version") || !strcmp(argv[i], "-v"))
      return true;
  return argc == 0;
}

int dvmt_build_compiler(const char *folder, int argc, char **argv) {
  struct compiling c = {.folder = folder, .dvmcc = getenv("DVM_FLAGS_CC"), .flags = getenv("DVM_FLAGS_FIRST"), .output = "a.out"};
  struct dvmt_words sources = {NULL, 0}, all = {NULL, 0};
  int rc = c.dvmcc && c.flags ? 0 : 2;
  bool named = false;
  if (!rc && is_other(argc, argv)) {
    argv[-1] = (char *)c.dvmcc;
    execvp(c.dvmcc, argv - 1);
    return 127;
  }
  for (int i = 0; !rc && i < argc; i++) {
    const char *w = argv[i];
    if (!strcmp(w, "-o") && i + 1 < argc) {
      c.output = argv[++i];
      named = true;
    } else if (!strcmp(w, "-c")) {
      c.compiles = true;
    } else if (w[0] != '-' && ends_with(w, ".c")) {
      rc = dvmt_words_add(&sources, w);
      char object[DVMT_FLAGS_PATH];
      snprintf(object, sizeof(object), "%.1023s/%.16s-%zu-%d.o", folder, base_of(w), sources.n, (int)getpid());
      rc = rc ? rc : dvmt_words_add(&all, object);
    } else if (is_for_linker(w)) {
      rc = dvmt_words_add(&all, w);
      if (takes_word(w) && i + 1 < argc)
        rc = rc ? rc : dvmt_words_add(&all, argv[++i]);
    } else {
      rc = dvmt_words_add(&c.args, w);
      rc = rc ? rc : dvmt_words_add(&all, w);
      if (takes_word(w) && i + 1 < argc) {
        rc = dvmt_words_add(&c.args, argv[++i]);
        rc = rc ? rc : dvmt_words_add(&all, argv[i]);
      }
    }
  }
  for (size_t i = 0, k = 0; !rc && i < sources.n; i++) {
    char object[PATH_MAX];
    const char *base = base_of(sources.w[i]);
    snprintf(object, sizeof(object), "%.*s.o", (int)strlen(base) - 2, base);
    while (!c.compiles && (strncmp(all.w[k], folder, strlen(folder)) || !ends_with(all.w[k], ".o")))
      k++;
    rc = compile(&c, sources.w[i], !c.compiles ? all.w[k++] : named ? c.output : object);
  }
  if (!rc && !c.compiles)
    rc = link_program(&c, &all);
  dvmt_words_fini(&sources);
  dvmt_words_fini(&all);
  dvmt_words_fini(&c.args);
  return rc < 0 ? 1 : rc;
}
