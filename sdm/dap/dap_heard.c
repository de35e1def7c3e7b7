/* What others write into pipes of ours, for the client of the DAP adapter. */
#define _GNU_SOURCE /* pipe2 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sdm/dap/dap_private.h"

int sdm_dap_heard_open(struct dap *d, struct sdm_dap_heard *h, const char *category) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC))
    return 0;
  fcntl(ends[0], F_SETFL, O_NONBLOCK); /* not the other end: programs may write there */
  *h = (struct sdm_dap_heard){ends[0], category, NULL, d};
  return ends[1];
}

static void on_text(void *arg, unsigned events) {
  struct sdm_dap_heard *h = arg;
  char block[4096];
  ssize_t n;
  (void)events;
  while ((n = read(h->fd, block, sizeof(block))) > 0)
    sdm_dap_text_event(h->d, h->category, block, (size_t)n);
  if (n < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  sdm_watch_free(h->watch);
  h->watch = NULL;
}

void sdm_dap_heard_read(struct sdm_dap_heard *h) {
  if (h->fd > 0)
    on_text(h, SDM_READ);
}

void sdm_dap_heard_watch(struct dap *d, struct sdm_dap_heard *h) {
  if (h->fd > 0 && !h->watch)
    h->watch = sdm_loop_watch(sdm_ctx_loop(d->s.ctx), h->fd, SDM_READ, on_text, h);
}

void sdm_dap_heard_close(struct sdm_dap_heard *h) {
  sdm_watch_free(h->watch);
  if (h->fd > 0)
    close(h->fd);
  *h = (struct sdm_dap_heard){0};
}
