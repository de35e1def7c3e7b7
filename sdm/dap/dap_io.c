#define _GNU_SOURCE /* memmem */
#include "sdm/dap/dap_io.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void sdm_dap_io_fini(struct sdm_dap_io *io) { sdm_bytes_fini(&io->buf); }

void sdm_dap_io_fill(struct sdm_dap_io *io) {
  uint8_t chunk[16384];
  sdm_bytes_consume(&io->buf, io->at);
  io->at = 0;
  ssize_t n = read(io->in, chunk, sizeof(chunk));
  if (n > 0)
    sdm_bytes_add(&io->buf, chunk, (size_t)n);
  else if (n == 0 || (errno != EAGAIN && errno != EINTR))
    io->end = true;
}

/* Value of Content-Length in the header lines before 'end'; -1: none, or not a number. */
static long content_length(const char *p, const char *end) {
  static const char name[] = "Content-Length:";
  while (p < end) {
    const char *line = memmem(p, (size_t)(end - p), "\r\n", 2);
    line = line ? line : end;
    if ((size_t)(line - p) > sizeof(name) - 1 && !strncasecmp(p, name, sizeof(name) - 1)) {
      char text[16] = "", *rest;
      const char *v = p + sizeof(name) - 1;
      while (v < line && *v == ' ')
        v++;
      if (v == line || (size_t)(line - v) >= sizeof(text))
        return -1;
      memcpy(text, v, (size_t)(line - v));
      long n = strtol(text, &rest, 10);
      return *rest || n < 0 ? -1 : n;
    }
    p = line + 2;
  }
  return -1;
}

json_t *sdm_dap_io_take(struct sdm_dap_io *io) {
  size_t have = io->buf.len - io->at;
  const char *start = have ? (const char *)io->buf.p + io->at : NULL;
  const char *head = have ? memmem(start, have, "\r\n\r\n", 4) : NULL;
  if (!head) {
    io->end |= have > SDM_DAP_HEADER_MAX;
    return NULL;
  }
  long n = content_length(start, head);
  if (n < 0 || (unsigned long)n > (io->guest ? SDM_DAP_GUEST_MAX : SDM_DAP_BODY_MAX)) {
    io->end = true;
    return NULL;
  }
  head += 4;
  if (have - (size_t)(head - start) < (size_t)n)
    return NULL;
  json_t *message = json_loadb(head, (size_t)n, 0, NULL);
  io->at += (size_t)(head - start) + (size_t)n;
  if (json_is_object(message))
    return message;
  json_decref(message);
  io->end = true;
  return NULL;
}

static bool write_all(int fd, const char *p, size_t n, bool wait) {
  while (n) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EAGAIN && wait) {
      struct pollfd w = {.fd = fd, .events = POLLOUT};
      poll(&w, 1, -1);
    } else if (done < 0 && errno != EINTR)
      return false;
    n -= done > 0 ? (size_t)done : 0;
    p += done > 0 ? done : 0;
  }
  return true;
}

void sdm_dap_io_send(struct sdm_dap_io *io, json_t *message) {
  char head[64];
  json_object_set_new(message, "seq", json_integer(++io->seq));
  char *text = json_dumps(message, JSON_COMPACT | JSON_SORT_KEYS);
  size_t len = strlen(text);
  struct sdm_bytes whole = {0};
  sdm_bytes_add(&whole, head, (size_t)snprintf(head, sizeof(head), "Content-Length: %zu\r\n\r\n", len));
  sdm_bytes_add(&whole, text, len);
  if (!write_all(io->out, (const char *)whole.p, whole.len, !io->guest)) /* at once: a socket makes one packet of it */
    io->end = true;
  sdm_bytes_fini(&whole);
  free(text);
  json_decref(message);
}
