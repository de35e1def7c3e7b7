#include "base/usage.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { NAMES_MAX = 64 };

int dvm_usage_error(const char *command, const char *fmt, ...) {
  struct dvm_text t = DVM_TEXT_INIT;
  va_list ap;
  va_start(ap, fmt);
  dvm_text_vprintf(&t, fmt, ap);
  va_end(ap);
  fprintf(stderr, "dvm %s: error: %s", command, dvm_text_str(&t));
  if (!t.len || t.s[t.len - 1] != '?') /* "did you mean" is enough */
    fprintf(stderr, "; 'dvm help %s' says more", command);
  putc('\n', stderr);
  dvm_text_fini(&t);
  return DVM_USAGE_STATUS;
}

static const char *nearest(const char *word, size_t len, const struct option *options) {
  const char *names[NAMES_MAX + 1];
  char name[64];
  size_t n = 0;
  for (; options[n].name && n < NAMES_MAX; n++)
    names[n] = options[n].name;
  names[n] = NULL;
  snprintf(name, sizeof(name), "%.*s", (int)len, word);
  return dvm_text_nearest(name, names);
}

int dvm_usage_refused(const char *command, int c, char *const *argv, const struct option *options) {
  const char *word = argv[optind - 1];
  if (c == ':')
    return dvm_usage_error(command, "option '%s' needs a value", word);
  for (const struct option *o = options; o->name; o++)
    if (optopt && o->val == optopt && !o->has_arg && strchr(word, '='))
      return dvm_usage_error(command, "option '--%s' takes no value", o->name);
  if (optopt > 0 && optopt < 128 && isprint(optopt))
    return dvm_usage_error(command, "unknown option '-%c'", optopt);
  const char *name = word + strspn(word, "-"), *meant;
  size_t len = strcspn(name, "=");
  meant = nearest(name, len, options);
  if (meant)
    return dvm_usage_error(command, "unknown option '%.*s'; did you mean '--%s'?", (int)(name - word + (long)len), word, meant);
  return dvm_usage_error(command, "unknown option '%.*s'", (int)(name - word + (long)len), word);
}

bool dvm_usage_number(const char *text, unsigned long low, unsigned long high, unsigned long *to) {
  char *end;
  errno = 0;
  unsigned long n = isdigit((unsigned char)*text) ? strtoul(text, &end, 10) : 0;
  if (!isdigit((unsigned char)*text) || *end || errno || n < low || n > high)
    return false;
  *to = n;
  return true;
}

bool dvm_usage_real(const char *text, double low, double high, double *to) {
  char *end;
  double x = strtod(text, &end);
  if (end == text || *end || !(x >= low && x <= high))
    return false;
  *to = x;
  return true;
}
