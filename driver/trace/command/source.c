#define _GNU_SOURCE
#include "driver/trace/command/source.h"
#include "driver/trace/job/object_file.h"
#include "driver/trace/format/reader.h"
#include "runtime/trace/folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- where sources were compiled --------------------------------------------------------------------------------------------------- */

struct folder {
  char *file, *folder;          /* owned */
};
/* Of the program that is compared: one in a command. */
static struct folder *folders;
static size_t nfolders;

static void add_folder(const char *file, size_t n, const char *folder) {
  struct folder *rows = realloc(folders, (nfolders + 1) * sizeof(*rows));
  if (!rows)
    return;
  folders = rows;
  rows[nfolders] = (struct folder){strndup(file, n), strdup(folder)};
  if (rows[nfolders].file && rows[nfolders].folder)
    nfolders++;
}

static bool take_file(void *arg, const char *path) {
  struct dvmt_object_file f = dvmt_object_file_open(path);
  const char *end = f.bytes + f.n;
  (void)arg;
  for (const char *at = f.bytes; at && (at = memmem(at, (size_t)(end - at), DVMT_FOLDER_MARK, strlen(DVMT_FOLDER_MARK)));) {
    const char *file = at + strlen(DVMT_FOLDER_MARK), *zero = memchr(file, 0, (size_t)(end - file));
    const char *mark = zero ? memmem(file, (size_t)(zero - file), DVMT_FOLDER_MARK, strlen(DVMT_FOLDER_MARK)) : NULL;
    if (mark)
      add_folder(file, (size_t)(mark - file), mark + strlen(DVMT_FOLDER_MARK));
    at = zero ? zero : end;
  }
  dvmt_object_file_close(&f);
  return false;
}

void dvmt_source_program(char *const *command, const char *folder) {
  char path[4096];
  dvmt_object_file_find(command, folder, take_file, NULL, path, sizeof(path));
}

/* "'./jac' '100'": a word, as dvmt_meta_word has written it; the text is changed.  NULL: there is no other. */
static char *next_word(char **at) {
  char *from = *at + strspn(*at, " "), *word = from, *to = from;
  if (!*from)
    return NULL;
  bool inside = false;
  for (; *from && (inside || *from != ' '); from++)
    if (*from == '\'')
      inside = !inside;
    else if (!inside && *from == '\\' && from[1])
      *to++ = *++from;
    else
      *to++ = *from;
  *at = from + (*from == ' ');
  *to = 0;
  return word;
}

void dvmt_source_trace(const struct dvmt_reader *r) {
  enum { WORDS = 64 };
  const char *text = dvmt_reader_meta(r, "folder");
  char *folder = text ? strdup(text) : NULL, *words[WORDS + 1] = {NULL};
  text = dvmt_reader_meta(r, "command");
  char *command = text ? strdup(text) : NULL, *at = command;
  for (int i = 0; at && i < WORDS && (words[i] = next_word(&at)); i++)
    ;
  dvmt_source_program(words, folder);
  free(command);
  free(folder);
}

void dvmt_source_forget(void) {
  for (size_t i = 0; i < nfolders; i++) {
    free(folders[i].file);
    free(folders[i].folder);
  }
  free(folders);
  folders = NULL;
  nfolders = 0;
}

/* In a folder that the compiler was called in: of this very file ('named'), or of any, for headers. */
static FILE *open_compiled(const char *file, bool named) {
  for (size_t i = 0; i < nfolders; i++) {
    char *path;
    if ((named && strcmp(folders[i].file, file) != 0) || asprintf(&path, "%s/%s", folders[i].folder, file) < 0)
      continue;
    FILE *f = fopen(path, "re");
    free(path);
    if (f)
      return f;
  }
  return NULL;
}

static FILE *open_source(const char *file) {
  FILE *f = *file == '/' ? NULL : open_compiled(file, true);
  if (!f && *file != '/')
    f = open_compiled(file, false);
  return f ? f : fopen(file, "re");
}

/* ---- lines --------------------------------------------------------------------------------------------------------------------------- */

char *dvmt_source_line(const struct dvmt_where *w) {
  char *path = w->file.s && w->line ? strndup(w->file.s, w->file.n) : NULL, *line = NULL;
  size_t cap = 0;
  FILE *f = path ? open_source(path) : NULL;
  ssize_t n = -1;
  for (unsigned i = 0; f && i < w->line; i++)
    if ((n = getline(&line, &cap, f)) < 0)
      break;
  if (f)
    fclose(f);
  free(path);
  if (n < 0) {
    free(line);
    return NULL;
  }
  line[strcspn(line, "\r\n")] = 0;
  return line;
}

unsigned dvmt_source_column(const struct dvmt_where *w) {
  char *line = dvmt_source_line(w);
  unsigned n = 1;
  if (!w->column || !line || w->column > strlen(line))
    n = w->column ? w->column : 1;
  else
    for (unsigned i = 0; i + 1 < w->column; i++)
      n += ((unsigned char)line[i] & 0xc0) != 0x80;
  free(line);
  return n;
}
