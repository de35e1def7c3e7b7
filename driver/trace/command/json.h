/* What all JSON of traces has: texts from a program's source, which need not be UTF-8 (U+FFFD for what is not), and places. */
#ifndef DVM_TRACE_JSON_H
#define DVM_TRACE_JSON_H
#include <jansson.h>
#include <stddef.h>

/* A new reference, never NULL unless memory is out. */
json_t *dvmt_json_text(const char *s, size_t n);
/* Sets "file", "line" and "column" of the site's text; nothing if it names no place. */
void dvmt_json_place(json_t *j, const char *site_text);
#endif
