/* The manifest of a job; a right sum is put behind what comes, so that what lies beyond is reached. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/image/crc32c.h"
#include "mpir/image/job_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct dvm_error err = DVM_ERROR_INIT;
  char *text = malloc(size + 32);
  size_t end = size;

  if (!text)
    return 0;
  if (size)
    memcpy(text, data, size);
  mpir_job_manifest_free(mpir_job_manifest_parse(text, size, &err));
  end += (size_t)sprintf(text + size, "checksum %08x\n", mpir_crc32c(0, text, size));
  mpir_job_manifest_free(mpir_job_manifest_parse(text, end, &err));
  free(text);
  return 0;
}
