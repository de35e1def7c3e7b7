#define _GNU_SOURCE
#include "driver/trace/command/json.h"
#include "base/text.h"
#include "driver/trace/compare/name.h"
#include <stdlib.h>
#include <string.h>

json_t *dvmt_json_text(const char *s, size_t n) {
  json_t *j = json_stringn(s, n);
  struct dvm_text t = DVM_TEXT_INIT;
  if (j)
    return j;
  char *text = strndup(s, n);
  for (const char *at = text; at && *at;) {
    unsigned length = dvm_text_utf8_length(at);
    if (length)
      dvm_text_add_n(&t, at, length);
    else
      dvm_text_add(&t, "\xef\xbf\xbd"); /* U+FFFD */
    at += length ? length : 1;
  }
  j = json_string(dvm_text_str(&t));
  free(text);
  dvm_text_fini(&t);
  return j ? j : json_string("");
}

void dvmt_json_place(json_t *j, const char *site_text) {
  struct dvmt_where w = dvmt_site_where(site_text);
  if (!w.file.s)
    return;
  json_object_set_new(j, "file", dvmt_json_text(w.file.s, w.file.n));
  json_object_set_new(j, "line", json_integer(w.line));
  json_object_set_new(j, "column", json_integer(w.column));
}
