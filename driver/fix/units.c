#define _GNU_SOURCE
#include "driver/fix/units.h"
#include "driver/plan.h"
#include "driver/response.h"
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Absolute, as the file system has it where it exists.  Owned. */
static char *path_in(const char *folder, const char *name) {
  char *path = NULL;
  if (asprintf(&path, "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name) < 0)
    return NULL;
  char *real = realpath(path, NULL);
  if (!real)
    return path;
  free(path);
  return real;
}

/* Of an option that concerns the output alone: the number of words that go, 0 where it stays. */
static size_t is_output(const char *word) {
  static const char *const alone[] = {"-c", "-MD", "-MMD", "-MP", "-MG", NULL}, *const two[] = {"-o", "-MF", "-MT", "-MQ", "-MJ", NULL};
  for (const char *const *s = alone; *s; s++)
    if (!strcmp(word, *s))
      return 1;
  for (const char *const *s = two; *s; s++)
    if (!strncmp(word, *s, strlen(*s)))
      return word[strlen(*s)] ? 1 : 2;
  return 0;
}

static void take_options(struct fix_unit *unit, const struct dvm_list *words) {
  for (size_t i = 1; i < words->n;) {
    size_t gone = is_output(words->v[i]), values = cc_option_nvalues(words->v[i]);
    if (gone) {
      i += gone;
      continue;
    }
    char *path = words->v[i][0] == '-' ? NULL : path_in(unit->folder, words->v[i]);
    if (strcmp(words->v[i], "--") && (!path || strcmp(path, unit->file)))
      for (size_t k = i; k <= i + values && k < words->n; k++)
        dvm_list_add(&unit->options, words->v[k]);
    free(path);
    i += 1 + values;
  }
}

static void take_words(struct dvm_list *words, const json_t *entry) {
  const json_t *arguments = json_object_get(entry, "arguments"), *word;
  const char *command = json_string_value(json_object_get(entry, "command"));
  size_t i;
  json_array_foreach(arguments, i, word) dvm_list_add(words, json_string_value(word) ? json_string_value(word) : "");
  if (!words->n && command)
    cc_line_split(command, words);
}

static int take(struct fix_units *u, const json_t *entry, const char *path, struct dvm_error *err) {
  const char *folder = json_string_value(json_object_get(entry, "directory")), *file = json_string_value(json_object_get(entry, "file"));
  struct dvm_list words = DVM_LIST_INIT;
  take_words(&words, entry);
  if (!folder || !file || !words.n) {
    dvm_list_fini(&words);
    return dvm_error_set(err, -EINVAL, "'%s' is no compilation database: an entry has no 'directory', 'file' or 'command'", path);
  }
  struct fix_unit unit = {.folder = strdup(folder), .file = path_in(folder, file)};
  bool known = cc_language_of_file(file) != CC_C && !cc_is_fortran(file);
  for (size_t i = 0; i < u->n && unit.file && !known; i++)
    known = !strcmp(u->v[i].file, unit.file);
  if (!known && unit.folder && unit.file)
    take_options(&unit, &words);
  struct fix_unit *v = known ? u->v : reallocarray(u->v, u->n + 1, sizeof *v);
  bool bad = words.failed || unit.options.failed || !unit.folder || !unit.file || (!known && !v);
  u->v = v ? v : u->v;
  dvm_list_fini(&words);
  if (!known && !bad) {
    u->v[u->n++] = unit;
    return 0;
  }
  free(unit.folder);
  free(unit.file);
  dvm_list_fini(&unit.options);
  return bad ? dvm_error_set(err, -ENOMEM, "out of memory") : 0;
}

static void unit_fini(struct fix_unit *unit) {
  free(unit->folder);
  free(unit->file);
  dvm_list_fini(&unit->options);
}

void fix_units_fini(struct fix_units *u) {
  for (size_t i = 0; i < u->n; i++)
    unit_fini(&u->v[i]);
  free(u->v);
  *u = (struct fix_units){NULL, 0};
}

/* Those that are named stay. */
static int choose(struct fix_units *u, const char *path, char *const *only, size_t nonly, struct dvm_error *err) {
  bool *wanted = calloc(u->n + 1, sizeof *wanted);
  size_t kept = 0;
  int rc = wanted ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t k = 0; k < nonly && !rc; k++) {
    char *file = realpath(only[k], NULL);
    bool found = false;
    for (size_t i = 0; i < u->n && file; i++)
      if (!strcmp(u->v[i].file, file))
        wanted[i] = found = true;
    if (!found)
      rc = dvm_error_set(err, -EINVAL, "'%s' is not in '%s'", only[k], path);
    free(file);
  }
  for (size_t i = 0; i < u->n && !rc; i++)
    if (wanted[i])
      u->v[kept++] = u->v[i];
    else
      unit_fini(&u->v[i]);
  if (!rc)
    u->n = kept;
  free(wanted);
  return rc;
}

static json_t *load(const char *path, struct dvm_error *err) {
  json_error_t why;
  FILE *f = fopen(path, "re");
  if (!f) {
    dvm_error_set(err, -EINVAL,
                  "there is no '%s'; CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, 'bear -- make' for other builds", path);
    return NULL;
  }
  json_t *all = json_loadf(f, 0, &why);
  fclose(f);
  if (all && json_is_array(all))
    return all;
  if (all)
    dvm_error_set(err, -EINVAL, "'%s' is no compilation database", path);
  else
    dvm_error_set(err, -EINVAL, "'%s' is no compilation database: line %d: %s", path, why.line, why.text);
  json_decref(all);
  return NULL;
}

int fix_units_read(struct fix_units *u, const char *path, char *const *only, size_t nonly, struct dvm_error *err) {
  char file[PATH_MAX];
  struct stat st;
  const json_t *entry;
  size_t i;
  int rc = 0;
  *u = (struct fix_units){NULL, 0};
  snprintf(file, sizeof file, "%s%s", path, !stat(path, &st) && S_ISDIR(st.st_mode) ? "/compile_commands.json" : "");
  json_t *all = load(file, err);
  if (!all)
    return err->code;
  json_array_foreach(all, i, entry) {
    if (!rc)
      rc = take(u, entry, file, err);
  }
  json_decref(all);
  if (!rc && !u->n)
    rc = dvm_error_set(err, -EINVAL, "'%s' lists no source in C or Fortran", file);
  if (!rc && nonly)
    rc = choose(u, file, only, nonly, err);
  if (rc)
    fix_units_fini(u);
  return rc;
}
