/* Lines of the user's source, for display. */
#ifndef DVMRT_SOURCE_H
#define DVMRT_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Remembers where the program started: file names are relative to that. */
void dvmrt_source_init(void);
/* Line 'line' (from 1) without its end, cut to 'size'.  False: the file cannot be read or is shorter. */
bool dvmrt_source_line(const char *file, uint32_t line, char *buf, size_t size);
#endif
