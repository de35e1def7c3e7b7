/* Where an address of a running process lies in its source. */
#ifndef MPIR_WHERE_H
#define MPIR_WHERE_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* "file.c:12 in function", "function+0x12 in program", or the address. */
void mpir_where(pid_t pid, uint64_t address, char *text, size_t size);
#endif
