/* The file of a rank of a profiled job; if the job has this one alone, all is made of it that is shown. */
#define _GNU_SOURCE
#include "driver/profile/show.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct prof_model m = {.nranks = 1, .ranks = calloc(1, sizeof(*m.ranks))};
  FILE *nowhere = fopen("/dev/null", "we");
  if (m.ranks && nowhere && !prof_read((const char *)data, size, m.ranks, &err) && m.ranks->size == 1 && !prof_model_build(&m, &err))
    prof_show_text(&m, nowhere);
  if (nowhere)
    fclose(nowhere);
  if (m.ranks)
    prof_model_fini(&m);
  return 0;
}
