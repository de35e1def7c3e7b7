/* What the build was made of, again: objects in other ways, programs of mixtures. */
#define _GNU_SOURCE
#include "driver/trace/flags/build.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int dvmt_build_init(struct dvmt_build *b, struct dvm_error *err) {
  int rc = cc_folder_create(b->folder, "flags", err);
  if (!rc && strpbrk(b->folder, " \t'\"\\$"))
    rc = dvm_error_set(err, -EINVAL, "'%s' contains characters that make or a shell would not take literally: use another TMPDIR",
                       b->folder);
  if (rc)
    return rc;
  ssize_t n = readlink("/proc/self/exe", b->self, sizeof(b->self) - 1);
  char *slash = n > 0 ? strrchr(b->self, '/') : NULL;
  if (!slash)
    return dvm_error_set(err, -ENOENT, "cannot find this program's own file");
  static const char *const below[] = {"dvmcc", DVMT_LIBEXEC_TO_BIN "/dvmcc"};
  for (int i = 0; i < 2; i++) {
    snprintf(b->dvmcc, sizeof(b->dvmcc), "%.*s/%s", (int)(slash - b->self), b->self, below[i]);
    if (!access(b->dvmcc, X_OK))
      return 0;
  }
  return dvm_error_set(err, -ENOENT, "cannot find 'dvmcc' beside '%s'", b->self);
}

void dvmt_build_fini(struct dvmt_build *b) {
  cc_folder_remove(b->folder);
  for (size_t i = 0; i < b->nobjects; i++) {
    free(b->object[i].folder);
    free(b->object[i].source);
    free(b->object[i].output);
    dvmt_words_fini(&b->object[i].args);
  }
  free(b->object);
  free(b->link_folder);
  dvmt_words_fini(&b->link);
}

/* ---- what the compiler has kept --------------------------------------------------------------------------------------------------- */

struct cursor {
  char *at, *end;
};

static char *next(struct cursor *c) {
  char *s = c->at;
  size_t n = s < c->end ? strnlen(s, (size_t)(c->end - s)) : 0;
  if (s >= c->end || s + n >= c->end)
    return NULL;
  c->at = s + n + 1;
  return s;
}

static int add_call(struct dvmt_build *b, struct cursor *c) {
  char *kind = next(c), *folder = next(c), *source = next(c), *output = next(c), *count = next(c);
  struct dvmt_words args = {NULL, 0};
  int rc = 0;
  if (!count)
    return -EBADMSG;
  for (size_t i = 0, n = strtoul(count, NULL, 10); !rc && i < n; i++) {
    char *word = next(c);
    rc = word ? dvmt_words_add(&args, word) : -EBADMSG;
  }
  if (rc)
    return rc;
  if (*kind == 'L') {
    dvmt_words_fini(&b->link);
    free(b->link_folder);
    b->link = args;
    b->link_folder = strdup(folder);
    return b->link_folder ? 0 : -ENOMEM;
  }
  struct dvmt_object *rows = realloc(b->object, (b->nobjects + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  b->object = rows;
  rows[b->nobjects] = (struct dvmt_object){.folder = strdup(folder), .source = strdup(source), .output = strdup(output), .args = args};
  b->nobjects++;
  return 0;
}

static bool is_object(const struct dvmt_build *b, const struct dvmt_object *o, const char *word) {
  char path[2 * PATH_MAX], *real, *own;
  snprintf(path, sizeof(path), "%s%s%s", *word == '/' ? "" : b->link_folder, *word == '/' ? "" : "/", word);
  real = realpath(path, NULL);
  own = realpath(o->output, NULL);
  bool same = real && own && !strcmp(real, own);
  free(real);
  free(own);
  return same;
}

/* Lines of what a command says. */
static int lines_of(char *const *command, struct dvmt_words *lines) {
  char *line = NULL, text[3 * PATH_MAX];
  size_t size = 0, n = 0;
  for (int i = 0; command[i]; i++) /* the names are quoted */
    n += (size_t)snprintf(text + n, n < sizeof(text) ? sizeof(text) - n : 0, "%s'%s'", i ? " " : "", command[i]);
  FILE *f = n + 12 < sizeof(text) ? popen(strcat(text, " 2>/dev/null"), "re") : NULL;
  int rc = f ? 0 : -EIO;
  for (ssize_t got; !rc && (got = getline(&line, &size, f)) > 0;) {
    line[got - 1] = line[got - 1] == '\n' ? 0 : line[got - 1];
    rc = dvmt_words_add(lines, line);
  }
  free(line);
  if (f && pclose(f) && !rc)
    rc = -EIO;
  return rc;
}

static bool in_archives(const struct dvmt_build *b, const struct dvmt_object *o) {
  const char *slash = strrchr(o->output, '/');
  bool found = false;
  for (size_t i = 0; i < b->link.n && !found; i++) {
    size_t n = strlen(b->link.w[i]);
    char path[2 * PATH_MAX];
    struct dvmt_words members = {NULL, 0};
    if (n < 3 || strcmp(b->link.w[i] + n - 2, ".a"))
      continue;
    snprintf(path, sizeof(path), "%s%s%s", *b->link.w[i] == '/' ? "" : b->link_folder, *b->link.w[i] == '/' ? "" : "/", b->link.w[i]);
    char *const command[] = {(char *)"ar", (char *)"t", path, NULL};
    if (!lines_of(command, &members))
      for (size_t k = 0; k < members.n; k++)
        found |= !strcmp(members.w[k], slash ? slash + 1 : o->output);
    dvmt_words_fini(&members);
  }
  return found;
}

/* Of objects that were made more than once the last counts; those that the program does not have do not. */
static void select_objects(struct dvmt_build *b) {
  size_t to = 0;
  for (size_t i = 0; i < b->nobjects; i++) {
    struct dvmt_object o = b->object[i];
    bool wanted = false;
    for (size_t k = 0; k < b->link.n && !wanted; k++)
      wanted = is_object(b, &o, b->link.w[k]);
    o.of_archive = !wanted && in_archives(b, &o);
    wanted |= o.of_archive;
    for (size_t k = i + 1; k < b->nobjects; k++)
      wanted &= strcmp(b->object[k].output, o.output) != 0;
    if (wanted) {
      b->object[to++] = o;
      continue;
    }
    free(o.folder);
    free(o.source);
    free(o.output);
    dvmt_words_fini(&o.args);
  }
  b->nobjects = to;
}

int dvmt_build_read(struct dvmt_build *b, struct dvm_error *err) {
  char path[DVMT_FLAGS_PATH];
  snprintf(path, sizeof(path), "%s/log", b->folder);
  FILE *f = fopen(path, "re");
  char *text = NULL;
  size_t size = 0;
  ssize_t n = f ? getdelim(&text, &size, EOF, f) : -1;
  struct cursor c = {text, text + (n > 0 ? n : 0)};
  int rc = n > 0 ? 0 : -ENOENT;
  while (!rc && c.at < c.end)
    rc = add_call(b, &c);
  if (f)
    fclose(f);
  free(text);
  if (rc == -ENOENT || (!rc && !b->link.n))
    return dvm_error_set(err, -EINVAL,
                         "the build has %s with the compiler that it was given: does it use $(CC), and does it rebuild everything?",
                         rc ? "compiled nothing" : "linked nothing");
  if (rc)
    return dvm_error_set(err, rc, "cannot read what the build has done");
  select_objects(b);
  for (size_t i = 0; i < b->nobjects; i++) {
    struct dvmt_words names = {NULL, 0};
    if (!dvmt_build_symbols(b->object[i].output, true, &names, err))
      for (size_t k = 0; k < names.n; k++)
        b->object[i].holds_main |= !strcmp(names.w[k], "main");
    dvmt_words_fini(&names);
  }
  return b->nobjects ? 0 : dvm_error_set(err, -EINVAL, "the program has no object that the build has compiled");
}

/* ---- variants --------------------------------------------------------------------------------------------------------------------- */

const char *dvmt_build_object(struct dvmt_build *b, size_t n, enum dvmt_variant v, struct dvm_error *err) {
  static char path[DVMT_FLAGS_PATH];
  static const char *const parts[] = {"-fPIC", "-fsemantic-interposition", "-mllvm", "-dvm-share-statics"};
  const struct dvmt_object *o = &b->object[n];
  bool second = v == DVMT_SECOND || v == DVMT_SECOND_PARTS, by_part = v >= DVMT_FIRST_PARTS;
  const bool plain = v == DVMT_PLAIN || v == DVMT_PLAIN_PARTS;
  const char *compiler = second && b->other ? b->other : b->dvmcc;
  struct dvmt_words command = {NULL, 0};
  snprintf(path, sizeof(path), "%s/%zu-%d.o", b->folder, n, (int)v);
  if (!access(path, R_OK))
    return path;
  int rc = dvmt_words_add(&command, compiler);
  if (!rc && compiler == b->dvmcc)
    rc = dvmt_words_add(&command, plain ? "-fdvm=off" : "-fdvm=trace");
  for (size_t i = 0; !rc && i < o->args.n; i++) {
    bool dependencies = !strncmp(o->args.w[i], "-M", 2); /* the build's own rules of what to make anew stay as they are */
    i += dependencies && (!strcmp(o->args.w[i], "-MF") || !strcmp(o->args.w[i], "-MT") || !strcmp(o->args.w[i], "-MQ"));
    rc = dependencies ? 0 : dvmt_words_add(&command, o->args.w[i]);
  }
  rc = rc ? rc : dvmt_words_split(&command, b->flags[second]);
  /* What is not recorded has no pass that could share what is static. */
  const size_t nparts = plain ? 2 : second && b->other ? 1 : sizeof(parts) / sizeof(*parts);
  for (size_t i = 0; !rc && by_part && i < nparts; i++)
    rc = dvmt_words_add(&command, parts[i]);
  const char *const last[] = {"-c", o->source, "-o", path};
  for (size_t i = 0; !rc && i < 4; i++)
    rc = dvmt_words_add(&command, last[i]);
  int status = rc ? -1 : dvmt_build_run(o->folder, command.w, by_part);
  dvmt_words_fini(&command);
  if (status >= 0 && WIFEXITED(status) && !WEXITSTATUS(status))
    return path;
  unlink(path);
  dvm_error_set(err, -EIO, "'%s' cannot be compiled with '%s'", o->source, b->flags[second]);
  return NULL;
}

int dvmt_build_link(struct dvmt_build *b, char *(*objects)[2], char *program, size_t size, struct dvm_error *err) {
  struct dvmt_words command = {NULL, 0};
  int rc = dvmt_words_add(&command, b->dvmcc);
  snprintf(program, size, "%s/program-%u", b->folder, b->nprograms++);
  rc = rc ? rc : dvmt_words_add(&command, "-fdvm=trace");
  for (size_t n = 0; n < b->nobjects; n++)
    for (int i = 0; i < 2 && !rc && b->object[n].of_archive && objects[n][i]; i++)
      rc = dvmt_words_add(&command, objects[n][i]);
  for (size_t w = 0; !rc && w < b->link.n; w++) {
    size_t n = 0;
    while (n < b->nobjects && (b->object[n].of_archive || !is_object(b, &b->object[n], b->link.w[w])))
      n++;
    for (int i = 0; i < 2 && !rc && n < b->nobjects && objects[n][i]; i++)
      rc = dvmt_words_add(&command, objects[n][i]);
    if (!rc && n == b->nobjects)
      rc = dvmt_words_add(&command, b->link.w[w]);
  }
  rc = rc ? rc : dvmt_words_add(&command, "-o");
  rc = rc ? rc : dvmt_words_add(&command, program);
  int status = rc ? -1 : dvmt_build_run(b->link_folder, command.w, false);
  dvmt_words_fini(&command);
  if (status < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
    return dvm_error_set(err, -EIO, "a mixture of the objects cannot be linked");
  return 0;
}

int dvmt_build_symbols(const char *object, bool functions, struct dvmt_words *names, struct dvm_error *err) {
  char *const command[] = {(char *)"nm", (char *)"-g", (char *)"--defined-only", (char *)"-P", (char *)object, NULL};
  struct dvmt_words lines = {NULL, 0};
  int rc = lines_of(command, &lines);
  for (size_t i = 0; !rc && i < lines.n; i++) {
    char *blank = strchr(lines.w[i], ' ');
    if (!blank || (functions && !strchr("TtWw", blank[1])) || !strncmp(lines.w[i], "dvmt.", 5))
      continue;
    *blank = 0;
    rc = dvmt_words_add(names, lines.w[i]);
  }
  dvmt_words_fini(&lines);
  return rc ? dvm_error_set(err, rc, "cannot read the symbols of '%s' (nm)", object) : 0;
}
