#include "runtime/report/json.h"
#include "base/text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void dvmrt_json_begin(struct dvmrt_json *j, int fd) {
  j->fd = fd;
  j->comma = false;
  j->n = 0;
}

int dvmrt_json_flush(struct dvmrt_json *j) {
  int rc = 0;
  for (size_t done = 0; done < j->n;) {
    ssize_t n = write(j->fd, j->buf + done, j->n - done);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      rc = n < 0 ? -errno : -EIO;
      break;
    }
    done += (size_t)n;
  }
  j->n = 0;
  return rc;
}

static void put(struct dvmrt_json *j, char c) {
  if (j->n == sizeof(j->buf))
    dvmrt_json_flush(j);
  j->buf[j->n++] = c;
}

void dvmrt_json_raw(struct dvmrt_json *j, const char *s) {
  while (*s)
    put(j, *s++);
}

static void quoted(struct dvmrt_json *j, const char *value) {
  put(j, '"');
  for (const unsigned char *s = (const unsigned char *)value; *s;) {
    unsigned n = dvm_text_utf8_length((const char *)s);
    char escape[8];
    if (*s == '"' || *s == '\\') {
      put(j, '\\');
      put(j, (char)*s);
    } else if (*s < 0x20) {
      snprintf(escape, sizeof(escape), "\\u%04x", *s);
      dvmrt_json_raw(j, escape);
    } else if (!n) {
      dvmrt_json_raw(j, "\\ufffd");
    } else {
      for (unsigned i = 0; i < n; i++)
        put(j, (char)s[i]);
    }
    s += n ? n : 1;
  }
  put(j, '"');
}

static void member(struct dvmrt_json *j, const char *key) {
  if (j->comma)
    put(j, ',');
  j->comma = true;
  if (!key)
    return;
  quoted(j, key);
  put(j, ':');
}

void dvmrt_json_open(struct dvmrt_json *j, const char *key, char bracket) {
  member(j, key);
  put(j, bracket);
  j->comma = false;
}

void dvmrt_json_close(struct dvmrt_json *j, char bracket) {
  put(j, bracket);
  j->comma = true;
}

void dvmrt_json_string(struct dvmrt_json *j, const char *key, const char *value) {
  member(j, key);
  quoted(j, value);
}

void dvmrt_json_number(struct dvmrt_json *j, const char *key, uint64_t value) {
  char text[24];
  member(j, key);
  snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
  dvmrt_json_raw(j, text);
}

void dvmrt_json_false(struct dvmrt_json *j, const char *key) {
  member(j, key);
  dvmrt_json_raw(j, "false");
}
