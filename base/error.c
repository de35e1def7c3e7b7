#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void mark_cut(char *text) { memcpy(text + DVM_ERROR_TEXT_MAX - 4, "...", 4); }

int dvm_error_vset(struct dvm_error *err, int code, const char *fmt, va_list ap) {
  err->code = code;
  int n = vsnprintf(err->text, sizeof err->text, fmt, ap);
  if (n >= (int)sizeof err->text)
    mark_cut(err->text);
  return code;
}

int dvm_error_set(struct dvm_error *err, int code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  dvm_error_vset(err, code, fmt, ap);
  va_end(ap);
  return code;
}

int dvm_error_errno(struct dvm_error *err, const char *fmt, ...) {
  int saved = errno;
  va_list ap;
  va_start(ap, fmt);
  dvm_error_vset(err, -saved, fmt, ap);
  va_end(ap);
  size_t n = strlen(err->text);
  if (snprintf(err->text + n, sizeof err->text - n, ": %s", strerror(saved)) >= (int)(sizeof err->text - n))
    mark_cut(err->text);
  return -saved;
}

int dvm_error_wrap(struct dvm_error *err, const char *fmt, ...) {
  struct dvm_error inner = *err;
  va_list ap;
  va_start(ap, fmt);
  dvm_error_vset(err, inner.code, fmt, ap);
  va_end(ap);
  size_t n = strlen(err->text);
  if (snprintf(err->text + n, sizeof err->text - n, ": %s", inner.text) >= (int)(sizeof err->text - n))
    mark_cut(err->text);
  return err->code;
}
