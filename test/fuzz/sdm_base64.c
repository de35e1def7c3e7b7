/* What a DAP client writes to memory: what is taken comes back as the same text, but for the '=' at its end. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t value(char c) { return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvm_text hex = DVM_TEXT_INIT, again = DVM_TEXT_INIT;
  char *text = malloc(size + 1);
  memcpy(text, data, size);
  text[size] = 0;
  if (sdm_base64_hex(text, &hex)) {
    size_t n = hex.len / 2, digits = strlen(text);
    uint8_t *bytes = malloc(n + 1);
    for (size_t i = 0; i < n; i++)
      bytes[i] = (uint8_t)(value(hex.s[2 * i]) << 4 | value(hex.s[2 * i + 1]));
    sdm_base64(bytes, n, &again);
    while (digits && text[digits - 1] == '=')
      digits--;
    if (again.len < digits || memcmp(dvm_text_str(&again), text, digits) || strspn(dvm_text_str(&again) + digits, "=") != again.len - digits)
      abort();
    free(bytes);
  }
  dvm_text_fini(&hex);
  dvm_text_fini(&again);
  free(text);
  return 0;
}
