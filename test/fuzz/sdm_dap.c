/* What a DAP client sends: messages come out as JSON objects, or the connection ends. */
#include <stdlib.h>

#include "sdm/dap/dap_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct sdm_dap_io io = { .in = -1, .out = -1 };
  sdm_bytes_add(&io.buf, data, size);
  for (json_t *m; (m = sdm_dap_io_take(&io));) {
    if (!json_is_object(m) || io.at > io.buf.len)
      abort();
    json_decref(m);
  }
  sdm_dap_io_fini(&io);
  return 0;
}
