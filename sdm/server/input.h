/* The program's input at its server, which takes no more of it than the program is about to read. */
#ifndef SDM_SERVER_INPUT_H
#define SDM_SERVER_INPUT_H
#include "sdm/gdb/backend.h"

struct sdm_server_input {
  const struct sdm_backend_ops *ops;
  struct sdm_backend *backend;
  struct sdm_loop *loop;
  struct sdm_watch *watch; /* of our own standard input, if the program has that */
  struct sdm_timer *timer;
  bool own, file;          /* 'file' is always ready, and epoll does not take it */
  struct sdm_call *room;   /* asks to be told when there is room; or NULL */
};

void sdm_server_input_init(struct sdm_server_input *in, const struct sdm_backend_ops *ops, struct sdm_backend *b, struct sdm_loop *loop);
void sdm_server_input_fini(struct sdm_server_input *in);
/* From now on the program has our own standard input, up to its end. */
void sdm_server_input_own(struct sdm_server_input *in);
/* Ends 'c' as soon as most of what came is read. */
void sdm_server_input_room(struct sdm_server_input *in, struct sdm_call *c);
#endif
