/* Lines of the user's source, for display, and its files, for edits. */
#ifndef DVMRT_SOURCE_H
#define DVMRT_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers where the program started: file names are relative to that. */
void dvmrt_source_init(void);
/* A folder whose files stand for those of the same absolute name ("FOLDER/home/you/prog.c"), where it has them; "" for none.  Kept. */
void dvmrt_source_instead(const char *folder);
/* Line 'line' (from 1) without its end, cut to 'size'.  False: the file cannot be read or is shorter. */
bool dvmrt_source_line(const char *file, uint32_t line, char *buf, size_t size);
/* The whole file, until dvmrt_source_unmap.  False: it cannot be read, or is empty. */
bool dvmrt_source_map(const char *file, const char **map, size_t *size);
void dvmrt_source_unmap(const char *map, size_t size);
#endif
