/* Messages of the Debug Adapter Protocol: JSON objects, each after a "Content-Length" header. */
#ifndef SDM_DAP_IO_H
#define SDM_DAP_IO_H
#include <jansson.h>
#include <stdbool.h>

#include "sdm/bytes.h"

#define SDM_DAP_HEADER_MAX 4096u
#define SDM_DAP_BODY_MAX (16u << 20)
#define SDM_DAP_GUEST_MAX (256u << 10)

struct sdm_dap_io {
  int in, out;
  struct sdm_bytes buf;
  size_t at; /* what was taken of 'buf' */
  bool end;  /* the client has gone, or sent what is no message */
  bool guest; /* we do not know him yet: he may not send much, and is not waited for */
  json_int_t seq;
};

void sdm_dap_io_fini(struct sdm_dap_io *io); /* closes nothing */
void sdm_dap_io_fill(struct sdm_dap_io *io); /* one read; waits if 'in' does */
/* The next whole message (a new reference), or NULL: more must be read, or 'end' is set. */
json_t *sdm_dap_io_take(struct sdm_dap_io *io);
void sdm_dap_io_send(struct sdm_dap_io *io, json_t *message); /* stolen; gets its "seq" */
#endif
