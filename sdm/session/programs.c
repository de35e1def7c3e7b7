#include "sdm/session/programs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "sdm/bytes.h"
#include "sdm/session/words.h"
#include "sdm/set.h"

#define WORDS_MAX 4096

struct words {
  char **at;
  int n;
};

static void add_word(struct words *w, const char *word) {
  if (w->n % 64 == 0)
    w->at = sdm_realloc(w->at, ((size_t)w->n + 65) * sizeof(*w->at));
  w->at[w->n++] = sdm_strdup(word);
  w->at[w->n] = NULL;
}

/* Cuts the line in place: blanks part words, quotes keep them together, a backslash takes the next byte as it is. */
static void add_line(struct words *w, char *line) {
  char *in = line, *out, *word, quote;
  while (*(in += strspn(in, " \t\r\n")) && *in != '#' && w->n < WORDS_MAX) {
    for (word = out = in, quote = 0; *in && (quote || !isspace((unsigned char)*in)); in++)
      if (*in == quote)
        quote = 0;
      else if (!quote && (*in == '\'' || *in == '"'))
        quote = *in;
      else if (*in == '\\' && quote != '\'' && in[1])
        *out++ = *++in;
      else
        *out++ = *in;
    in += *in != 0;
    *out = 0;
    add_word(w, word);
  }
}

/* The next line that has words, with those that it continues on; false: the end. */
static bool next_line(FILE *f, struct words *w) {
  char *line = NULL;
  size_t size = 0;
  bool more = false;
  *w = (struct words){0};
  for (ssize_t n; (more || !w->n) && (n = getline(&line, &size, f)) > 0;) {
    while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
      line[--n] = 0;
    more = n && line[n - 1] == '\\';
    line[n - more] = 0;
    add_line(w, line);
  }
  free(line);
  return w->n > 0;
}

static FILE *open_file(const char *path, const char *option, struct dvm_error *err) {
  FILE *f = path ? fopen(path, "r") : NULL;
  if (!path)
    dvm_error_set(err, -EINVAL, "'%s' needs a file of programs", option);
  else if (!f)
    dvm_error_set(err, -errno, "cannot read the programs in '%s': %s", path, strerror(errno));
  return f;
}

/* Each line is a part. */
static int expand_parts(int argc, char **argv, int option, struct words *w, struct dvm_error *err) {
  struct words line;
  bool first = true;
  FILE *f = open_file(option + 1 < argc ? argv[option + 1] : NULL, argv[option], err);
  if (!f)
    return err->code;
  for (int i = 0; i < argc; i++)
    if (i < option || i > option + 1)
      add_word(w, argv[i]);
  for (; next_line(f, &line); first = false) {
    if (!first)
      add_word(w, ":");
    for (int i = 0; i < line.n && w->n < WORDS_MAX; i++)
      add_word(w, line.at[i]);
  }
  fclose(f);
  return first ? dvm_error_set(err, -ENOENT, "there is no program in '%s'", argv[option + 1]) : w->n;
}

static int read_program(struct words *line, const char *path, struct sdm_program *p, struct dvm_error *err) {
  struct sdm_set *set = sdm_set_new();
  int rc = strcmp(line->at[0], "*") ? sdm_set_parse(set, line->at[0], err) : 0;
  sdm_set_free(set);
  if (rc)
    return dvm_error_set(err, -EINVAL, "'%s' in '%s' names no tasks: expected numbers, ranges, or '*'", line->at[0], path);
  if (line->n < 2 || !dvm_path_executable(line->at[1]))
    return dvm_error_set(err, -ENOENT, "there is no program '%s', which '%s' names for %s", line->n < 2 ? "" : line->at[1], path,
                         line->at[0]);
  *p = (struct sdm_program){line->at[0], line->at + 1};
  return 0;
}

/* All tasks are of one program to the launcher: our server, which chooses by its rank. */
static int expand_ranks(int argc, char **argv, int option, struct words *w, struct sdm_program *programs, int *n, struct dvm_error *err) {
  struct words line;
  int at = sdm_words_program(argc, argv), rc = 0;
  const char *path = at < argc ? argv[at] : NULL;
  FILE *f = open_file(path, argv[option], err);
  if (!f)
    return err->code;
  for (*n = 0; !rc && next_line(f, &line) && *n < SDM_PROGRAMS_MAX;)
    rc = read_program(&line, path, &programs[(*n)++], err);
  fclose(f);
  if (!rc && !*n)
    rc = dvm_error_set(err, -ENOENT, "there is no program in '%s'", path);
  for (int i = 0; i < at && !rc; i++)
    if (i != option)
      add_word(w, argv[i]);
  if (!rc)
    add_word(w, programs[0].words[0]);
  return rc ? rc : w->n;
}

int sdm_programs_expand(int argc, char **argv, char ***words, struct sdm_program programs[SDM_PROGRAMS_MAX], int *nprograms,
                        struct dvm_error *err) {
  struct words w = {0};
  int option = sdm_words_file_option(argc, argv), n;
  *words = argv;
  *nprograms = 0;
  if (!option)
    return argc;
  n = strcmp(argv[option], "--multi-prog") ? expand_parts(argc, argv, option, &w, err)
                                           : expand_ranks(argc, argv, option, &w, programs, nprograms, err);
  *words = w.at;
  return n;
}
