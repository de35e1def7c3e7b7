/* The facts of a host; what comes is put between head and end, so that what lies beyond is reached. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mpir/image/host_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char head[] = "dvm-host 1\n", end[] = "\nend\n";
  struct dvm_error err = DVM_ERROR_INIT;
  char *text = malloc(size + sizeof(head) + sizeof(end));

  if (!text)
    return 0;
  memcpy(text, head, sizeof(head) - 1);
  if (size)
    memcpy(text + sizeof(head) - 1, data, size);
  memcpy(text + sizeof(head) - 1 + size, end, sizeof(end) - 1);
  mpir_host_facts_free(mpir_host_facts_parse(text + sizeof(head) - 1, size, &err));
  mpir_host_facts_free(mpir_host_facts_parse(text, size + sizeof(head) + sizeof(end) - 2, &err));
  free(text);
  return 0;
}
