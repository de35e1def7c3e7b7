/* The shared memory of a job as a snapshot may hold it: the head says two ranks and rings of 4 KiB, all else is what comes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/commands/job_messages.h"
#include "mpir/mpi/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const size_t whole = mpl_segment_size(2, 4096), rings = mpl_rings_at(2);
  struct dvm_error err = DVM_ERROR_INIT;
  char *segment = calloc(1, whole);
  struct mpl_job *job = (struct mpl_job *)(void *)segment;
  FILE *to = fopen("/dev/null", "w");

  if (segment && to) {
    *job = (struct mpl_job){ .magic = MPL_MAGIC, .version = MPL_VERSION, .nranks = 2, .ring_bytes = 4096 };
    if (size > 8 && data[0] & 1) /* the rings, else the head */
      memcpy(segment + rings, data + 1, size - 1 < whole - rings ? size - 1 : whole - rings);
    else if (size)
      memcpy(segment, data, size < whole ? size : whole);
    mpir_job_messages_write(to, segment, whole, 2, &err);
  }
  if (to)
    fclose(to);
  free(segment);
  return 0;
}
