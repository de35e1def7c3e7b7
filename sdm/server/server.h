/* A debug server: commands from the tree go to a back end, its answers, events and output go up. */
#ifndef SDM_SERVER_H
#define SDM_SERVER_H
#include <errno.h>
#include <string.h>

#include "sdm/gdb/backend.h"
#include "sdm/sdm.h"

/* What becomes of the program when the server has had no parent for 'orphan_ms'. */
enum sdm_orphan { SDM_ORPHAN_USUAL /* killed if it was started here, detached if not */, SDM_ORPHAN_DETACH, SDM_ORPHAN_KILL };

/* usual, detach, kill: 0 or -EINVAL. */
static inline int sdm_orphan_parse(const char *word, enum sdm_orphan *out) {
  static const char *const words[] = {[SDM_ORPHAN_USUAL] = "usual", [SDM_ORPHAN_DETACH] = "detach", [SDM_ORPHAN_KILL] = "kill"};
  for (unsigned i = 0; i < 3; i++)
    if (!strcmp(word, words[i])) {
      *out = (enum sdm_orphan)i;
      return 0;
    }
  return -EINVAL;
}

struct sdm_server_options {
  const struct sdm_backend_ops *backend;
  const char *backend_path;
  uint32_t app; /* which program of a job of several it starts, from 0 on */
  bool oob; /* program I/O by the server's own stdio instead of the tree */
  enum sdm_orphan orphan;
  bool inside; /* in a program that has other things to do: its signals are left alone */
  bool (*progress)(struct sdm_ctx *c); /* in place of waiting in sdm_progress; false: it is over; NULL: that */
};

/* Runs until the session ends: 0, or a negative code. */
int sdm_server_run(struct sdm_options *o, const struct sdm_server_options *s, struct dvm_error *err);
#endif
