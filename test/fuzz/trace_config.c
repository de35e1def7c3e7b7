/* Any text is read or refused with a place inside it. */
#include "runtime/trace/config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvmt_config c = DVMT_CONFIG_INIT;
  struct dvm_error err = DVM_ERROR_INIT;
  char *text = malloc(size + 1);
  unsigned line = 0, column = 0;
  memcpy(text, data, size);
  text[size] = 0;
  if (dvmt_config_parse(&c, text, "c", &err)) {
    size_t lines = 1;
    for (size_t i = 0; i < size; i++)
      lines += text[i] == '\n';
    if (sscanf(err.text, "c:%u:%u:", &line, &column) != 2 || !line || line > lines || !column)
      abort();
  }
  dvmt_config_fini(&c);
  free(text);
  return 0;
}
