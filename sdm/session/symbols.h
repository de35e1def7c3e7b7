/* Whether a debugger will find lines and variables in a program. */
#ifndef SDM_SYMBOLS_H
#define SDM_SYMBOLS_H
#include <stdbool.h>

/* False only for an ELF file of 64 bits that has sections, and none of debug information nor a name of where it is. */
bool sdm_has_debug_information(const char *path);
#endif
