#include "driver/trace/json.h"
#include "runtime/trace/name.h"

json_t *dvmt_json_text(const char *s, size_t n) {
  json_t *j = json_stringn(s, n);
  return j ? j : json_string("?");
}

void dvmt_json_place(json_t *j, const char *site_text) {
  struct dvmt_where w = dvmt_site_where(site_text);
  if (!w.file.s)
    return;
  json_object_set_new(j, "file", dvmt_json_text(w.file.s, w.file.n));
  json_object_set_new(j, "line", json_integer(w.line));
  json_object_set_new(j, "column", json_integer(w.column));
}
