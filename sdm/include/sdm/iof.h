/* I/O forwarding: each handler copies from one descriptor to another whenever there is something to read.
 * A handler returns the bytes it moved, 0 at the end of the input (it is not called again), or a negative code.  NULL
 * takes the usual one, which reads once and writes all of it.  Handlers run from sdm_progress.
 *
 * Route "oob" uses them: a server copies its own stdin to the program and the program's output to its own stdout and
 * stderr, and the launcher carries these.  Route "tree" does not: see sdm_output and sdm_input. */
#ifndef SDM_IOF_H
#define SDM_IOF_H
#include "sdm/sdm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int (*sdm_iof_handler_f)(int fd_in, int fd_out);

/* 0, or -EINVAL for a descriptor that cannot be waited for (a plain file is read at once).  A second call for the
 * same stream replaces the first; fd_in -1 only removes it. */
int sdm_iof_set_stdin_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler);
int sdm_iof_set_stdout_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler);
int sdm_iof_set_stderr_handler(struct sdm_ctx *c, int fd_in, int fd_out, sdm_iof_handler_f handler);
int sdm_iof_copy(int fd_in, int fd_out); /* the usual handler */
#ifdef __cplusplus
}
#endif
#endif
