/* The debug server inside a checked program: a thread that the run-time library starts when DVM_OPTIONS=sdm= asks for it
 * (base/host.h).  It is a server of the tree like any other, with a back end that looks at the program it lives in: what the
 * run-time library knows, and stops at safe points.
 *
 *   starts -> registers with its master, or listens -> serves a session -> registered: ends; listening: listens anew
 *
 * Whatever ends a session, the program goes on. */
#ifndef SDM_INSIDE_H
#define SDM_INSIDE_H
#include "base/host.h"
#include "sdm/gdb/backend.h"
#include "sdm/sdm.h"

struct sdm_inside_options {
  struct sdm_options o;      /* role, rank, rendezvous or base_port, host */
  char rendezvous[300], host[256], secret_file[1024];
  int secret_fd; /* of sdm-server --hand-over; 0: none */
  bool hold, have_rank;
};

/* The value of sdm=: "HOST:PORT" or "PORT", then in any order ",hold", ",rank=N", ",secret=FILE", ",host=ADDRESS",
 * ",start=MS" and ",orphan=MS" (of struct sdm_options). */
int sdm_inside_parse(struct sdm_inside_options *i, const char *text, struct dvm_error *err);
#endif
