/* What a core file says of its process: notes of a 64-bit core of this machine, as the kernel, gdb and the checkpointer write them
 * (elf(5); NT_PRSTATUS, NT_AUXV, NT_FILE). */
#ifndef SDM_CORE_FILE_H
#define SDM_CORE_FILE_H
#include <stddef.h>

struct sdm_core_file {
  char *program; /* owned: path of the file that the entry point was mapped from; NULL: not known */
  int signal;    /* that ended or stopped the first thread; 0: none */
};

/* Whatever the file does not say stays as in {NULL, 0}; so does all if it is no such core, which gdb will say. */
void sdm_core_file_read(const char *path, struct sdm_core_file *core);
/* The same from the contents of a segment of notes. */
void sdm_core_file_notes(const void *notes, size_t size, struct sdm_core_file *core);
#endif
