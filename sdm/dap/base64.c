#include "sdm/dap/base64.h"

#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void sdm_base64(const uint8_t *p, size_t n, struct dvm_text *out) {
  for (size_t i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
    char four[4] = {digits[v >> 18], digits[v >> 12 & 63], i + 1 < n ? digits[v >> 6 & 63] : '=', i + 2 < n ? digits[v & 63] : '='};
    dvm_text_add_n(out, four, 4);
  }
}

bool sdm_base64_hex(const char *text, struct dvm_text *out) {
  size_t n = strlen(text);
  while (n && text[n - 1] == '=')
    n--;
  uint32_t bits = 0, have = 0;
  for (size_t i = 0; i < n; i++) {
    const char *at = strchr(digits, text[i]);
    if (!at)
      return false;
    bits = bits << 6 | (uint32_t)(at - digits);
    have += 6;
    if (have >= 8)
      dvm_text_printf(out, "%02x", bits >> (have -= 8) & 255);
  }
  return n % 4 != 1 && !(bits & ((1u << have) - 1)); /* what is left of the last digit means nothing: it must be 0 */
}
