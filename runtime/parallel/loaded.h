/* What files this process has mapped. */
#ifndef DVMP_LOADED_H
#define DVMP_LOADED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file that lies at the address; false: none does. */
bool dvmp_loaded_file(uintptr_t address, char *path, size_t room);
#endif
