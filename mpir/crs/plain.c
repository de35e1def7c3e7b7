#include "mpir/crs/plain.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "mpir/crs/sys.h"

void mpir_plain_add(struct plain_text *t, const char *s) {
  while (*s && t->len + 1 < t->size)
    t->s[t->len++] = *s++;
  t->s[t->len] = '\0';
}

void mpir_plain_add_dec(struct plain_text *t, int64_t value) {
  char digits[24];
  char *p = digits + sizeof(digits) - 1;
  uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

  *p = '\0';
  do {
    *--p = (char)('0' + rest % 10);
  } while (rest /= 10);
  if (value < 0)
    *--p = '-';
  mpir_plain_add(t, p);
}

void mpir_plain_add_hex(struct plain_text *t, uint64_t value) {
  char digits[20];
  char *p = digits + sizeof(digits) - 1;

  *p = '\0';
  do {
    *--p = "0123456789abcdef"[value & 15];
  } while (value >>= 4);
  mpir_plain_add(t, p);
}

uint64_t mpir_plain_hex(const char **s) {
  uint64_t value = 0;

  for (;; (*s)++) {
    char c = **s;

    if (c >= '0' && c <= '9')
      value = value << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uint64_t)(c - 'a' + 10);
    else
      return value;
  }
}

uint64_t mpir_plain_dec(const char **s) {
  uint64_t value = 0;

  for (; **s >= '0' && **s <= '9'; (*s)++)
    value = value * 10 + (uint64_t)(**s - '0');
  return value;
}

bool mpir_plain_starts(const char *s, const char *prefix) { return strncmp(s, prefix, strlen(prefix)) == 0; }

const char *mpir_plain_line(const char *text, const char *label) {
  while (*text) {
    if (mpir_plain_starts(text, label)) {
      text += strlen(label);
      return text + strspn(text, " \t");
    }
    while (*text && *text != '\n')
      text++;
    if (*text)
      text++;
  }
  return NULL;
}

long mpir_plain_read_file(const char *path, char *buf, size_t size) {
  long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  size_t len = 0;
  long n = 0;

  buf[0] = '\0';
  if (fd < 0)
    return fd;
  while (len + 1 < size) {
    n = sys3(SYS_read, fd, buf + len, size - 1 - len);
    if (n == -EINTR)
      continue;
    if (n <= 0)
      break;
    len += (size_t)n;
  }
  sys1(SYS_close, fd);
  buf[len] = '\0';
  return n < 0 ? n : (long)len;
}
