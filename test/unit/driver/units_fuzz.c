/* Compilation databases: any bytes are read, or refused with a reason. */
#define _GNU_SOURCE
#include "driver/fix/units.h"
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct fix_units units;
  char path[64];
  int fd = memfd_create("database", 0);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size)
    abort();
  int rc = fix_units_read(&units, path, NULL, 0, &err);
  if (rc ? units.n != 0 || units.v || !err.text[0] : !units.n)
    abort();
  for (size_t i = 0; i < units.n; i++)
    if (!units.v[i].folder || !units.v[i].file)
      abort();
  fix_units_fini(&units);
  close(fd);
  return 0;
}
