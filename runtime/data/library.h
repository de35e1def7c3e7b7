/* Functions of the C library that keep nothing of what they are given, by their address: what is called through a pointer is one of them
 * if it has the name of a row of runtime/library.inc and lies in the C library itself. */
#ifndef DVMRT_LIBRARY_H
#define DVMRT_LIBRARY_H

/* Once, before the program runs, outside of dvmrt_mem_enter: asks the loader. */
void dvmrt_library_init(void);
/* The letters of its row; NULL: it is none of them, or may write through '%n'. */
const char *dvmrt_library_letters(const void *function);
/* What the letters say of an argument. */
char dvmrt_library_letter(const char *letters, unsigned argument);
#endif
