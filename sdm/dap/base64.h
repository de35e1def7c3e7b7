/* Bytes of memory as a DAP client has them. */
#ifndef SDM_DAP_BASE64_H
#define SDM_DAP_BASE64_H
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

void sdm_base64(const uint8_t *p, size_t n, struct dvm_text *out);
/* Hexadecimal of what 'text' means, added to 'out'.  False: it is no base64; 'out' has what could be read. */
bool sdm_base64_hex(const char *text, struct dvm_text *out);
#endif
