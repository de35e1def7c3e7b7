/* One table of functions between the debug server and what really debugs: gdb, or a stub for tests.
 *
 * Commands are JSON objects {"cmd": NAME, ...}; docs/sdm-debug-protocol.md lists names, arguments and results.  Each
 * function gets a call, which it must end, now or later, with exactly one of sdm_call_done and sdm_call_fail. */
#ifndef SDM_BACKEND_H
#define SDM_BACKEND_H
#include <jansson.h>

#include "base/error.h"
#include "sdm/loop.h"

#define SDM_END_BREAK 1000001 /* from this number on a breakpoint is the front end's own: the program is about to end with an error */

struct sdm_call;
const json_t *sdm_call_args(const struct sdm_call *c);
/* Argument, or the default.  Borrowed. */
const char *sdm_call_text(const struct sdm_call *c, const char *key, const char *otherwise);
long long sdm_call_number(const struct sdm_call *c, const char *key, long long otherwise);
/* 'result' is compared between ranks, 'detail' (or NULL) is not.  Both are stolen. */
void sdm_call_done(struct sdm_call *c, json_t *result, json_t *detail);
void sdm_call_fail(struct sdm_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What a back end tells its server. */
struct sdm_backend_host {
  struct sdm_loop *loop;
  void (*event)(void *arg, json_t *event); /* stolen */
  /* Program output.  Returns false when no more may come now; sdm_backend_ops.resume follows. */
  bool (*output)(void *arg, unsigned stream, bool eof, const void *p, size_t len);
  void *arg;
};

struct sdm_backend;
typedef void (*sdm_backend_f)(struct sdm_backend *b, struct sdm_call *c);

struct sdm_backend_ops {
  const char *name;
  /* 'path': program of the debugger (gdb), or the script (stub); NULL: the usual. */
  struct sdm_backend *(*create)(const struct sdm_backend_host *host, const char *path, struct dvm_error *err);
  void (*destroy)(struct sdm_backend *b);
  void (*input)(struct sdm_backend *b, bool eof, const void *p, size_t len);
  size_t (*pending_input)(struct sdm_backend *b); /* bytes that the program has not been handed yet; NULL: never any */
  void (*resume)(struct sdm_backend *b);
  /* A program that was left to itself still uses our terminal.  NULL: never. */
  bool (*needed)(struct sdm_backend *b);
  sdm_backend_f launch, attach, core, detach, kill;
  sdm_backend_f break_insert, break_delete, break_enable, break_disable, break_condition, break_ignore, watch;
  sdm_backend_f cont, step, next, stepi, nexti, finish, until, advance, interrupt;
  sdm_backend_f checkpoint, restart, images;
  bool (*defer)(struct sdm_backend *b, struct sdm_call *c); /* true: it runs the command itself, later; NULL: never */
  sdm_backend_f stack, variables, evaluate, type, memory, registers, threads, handle, list, raw, dvm, inspect, sources;
};

extern const struct sdm_backend_ops sdm_backend_gdb, sdm_backend_stub;

/* Runs the command that 'c' names; an unknown one fails. */
void sdm_backend_run(const struct sdm_backend_ops *ops, struct sdm_backend *b, struct sdm_call *c);
/* How many frames of the stack (an array of objects with "func" and the path of their source), from the innermost, belong to an MPI library that was built
 * here and has source: its function is the innermost with a name of MPI.  0 where it has none. */
size_t sdm_frames_of_mpi(const json_t *stack, const char *path_key);
#endif
