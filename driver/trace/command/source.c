#define _GNU_SOURCE
#include "driver/trace/command/source.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *dvmt_source_line(const struct dvmt_where *w) {
  char *path = w->file.s && w->line ? strndup(w->file.s, w->file.n) : NULL, *line = NULL;
  size_t cap = 0;
  FILE *f = path ? fopen(path, "re") : NULL;
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
