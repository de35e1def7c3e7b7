#include "runtime/parallel/loaded.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool dvmp_loaded_file(uintptr_t address, char *path, size_t room) {
  FILE *f = fopen("/proc/self/maps", "re");
  char line[4608];
  bool found = false;
  while (f && !found && fgets(line, sizeof(line), f)) {
    uintptr_t low, high;
    const char *name = strchr(line, '/');
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &low, &high) != 2 || address < low || address >= high)
      continue;
    line[strcspn(line, "\n")] = 0;
    found = name && strlen(name) < room;
    if (found)
      strcpy(path, name);
    break;
  }
  if (f)
    fclose(f);
  return found;
}
