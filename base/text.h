/* A growing string.  After a failed allocation it stays as it was and remembers the failure, so that callers
 * append freely and look once at the end. */
#ifndef DVM_BASE_TEXT_H
#define DVM_BASE_TEXT_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct dvm_text {
  char *s;      /* owned; NULL or terminated */
  size_t len, cap;
  bool failed;  /* an allocation failed: the content is cut */
};

#define DVM_TEXT_INIT {NULL, 0, 0, false}

void dvm_text_fini(struct dvm_text *t);
void dvm_text_clear(struct dvm_text *t);
void dvm_text_add(struct dvm_text *t, const char *s);
/* In double quotes, with a backslash before quotes and backslashes. */
void dvm_text_add_quoted(struct dvm_text *t, const char *s);
/* In single quotes, as a POSIX shell reads one word; each quote in it becomes '\''. */
void dvm_text_add_shell_word(struct dvm_text *t, const char *s);
void dvm_text_add_n(struct dvm_text *t, const char *s, size_t n);
void dvm_text_printf(struct dvm_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void dvm_text_vprintf(struct dvm_text *t, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));
/* The content, "" when empty.  Valid until the next change. */
const char *dvm_text_str(const struct dvm_text *t);

/* Length of the UTF-8 sequence at 's', 0 if it is none (also: overlong, surrogate, beyond U+10FFFF).  async-signal-safe */
unsigned dvm_text_utf8_length(const char *s);

/* Smallest number of edits (insert, delete, replace, swap of neighbours) between two words, capped at 'limit' + 1. */
unsigned dvm_text_distance(const char *a, const char *b, unsigned limit);
/* The word of the NULL-terminated list that 'word' was probably meant to be (distance at most a third of its
 * length), or NULL.  For "did you mean". */
const char *dvm_text_nearest(const char *word, const char *const *list);
#ifdef __cplusplus
}
#endif
#endif
