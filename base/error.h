/* Errors that a person may read: a negative errno-style code and a text.
 * Functions that can fail return 0 or -E..., constructors NULL; the text goes to the last argument. */
#ifndef DVM_BASE_ERROR_H
#define DVM_BASE_ERROR_H
#include <stdarg.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DVM_ERROR_TEXT_MAX 1024

struct dvm_error {
  int code;                     /* -E..., 0 if no error was set */
  char text[DVM_ERROR_TEXT_MAX]; /* always terminated; cut at the end with "..." if too long */
};

#define DVM_ERROR_INIT {0, ""}

/* Sets code and text; returns 'code', so that 'return dvm_error_set(err, -EINVAL, ...)' reads well. */
int dvm_error_set(struct dvm_error *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int dvm_error_vset(struct dvm_error *err, int code, const char *fmt, va_list ap) __attribute__((format(printf, 3, 0)));
/* The same from errno: "what: strerror(errno)".  Returns -errno. */
int dvm_error_errno(struct dvm_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prepends "what: " to the present text; keeps the code and returns it. */
int dvm_error_wrap(struct dvm_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#ifdef __cplusplus
}
#endif
#endif
