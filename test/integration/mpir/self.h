/* For programs that save themselves: the first life ends in self_save, the restarted one returns from it. */
#ifndef DVM_TEST_SELF_H
#define DVM_TEST_SELF_H
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dvmcr.h"

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: failed: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
      exit(3); \
    } \
  } while (0)

/* Saves the process to 'path' and kills it; returns in the restarted process. */
static inline void self_save(const char *path)
{
  struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };
  char text[4096];
  int ticket = dvmcr_request(&options), rc;

  CHECK(ticket > 0);
  rc = dvmcr_wait(ticket, text, sizeof(text), -1);
  if (rc < 0)
    fprintf(stderr, "no checkpoint: %s\n", text);
  CHECK(rc >= 0);
  if (rc == 0) {
    kill(getpid(), SIGKILL);
    pause();
  }
}
#endif
