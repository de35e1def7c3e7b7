/* Site texts: what the front end tells pass, run-time libraries and traces of an access or directive.  A text is a list of
 * lines; each begins with a key letter and a blank (site_keys.inc); fields are separated by single blanks; a field that is free
 * text comes last in its line and has no newline.  '#' stands for the next integer argument, '&' for the next pointer argument,
 * in reading order.  Readers skip keys that they do not know.
 *
 * Ref:    <name> <flags> & <element bytes> <ndims> <extent>..      extents: number, # or * (first dimension of a pointer)
 *         flags: a array, p pointer (the '&' is its value), t template (the '&' is the address of the variable), x extent unknown
 *         here; letters joined, then the element's kind: f<bytes> floating, i<bytes> signed, u<bytes> unsigned, c<bytes> complex,
 *         o<granule> other, whose members begin at multiples of the granule.  "A af8 & 8 2 100 100", "B pf8 & 8 2 * #" */
#ifndef DVMRT_SITE_TEXT_H
#define DVMRT_SITE_TEXT_H
#include <stdbool.h>
#include <stddef.h>

/* DVMRT_ACCESS_SUBSCRIPT, DVMRT_DIRECTIVE_REMOTE, DVMRT_TRACE_VALUE, DVMRT_ANY_FILE: the letters. */
enum {
#define DVMRT_SITE_KEY(scope, name, letter, signs, fields, meaning) DVMRT_##scope##_##name = letter,
#include "runtime/site_keys.inc"
#undef DVMRT_SITE_KEY
};

struct dvmrt_site_line {
  char key;
  const char *s; /* behind the key and its blank */
  size_t n;      /* bytes up to the end of the line */
};

/* Takes the next line that is not empty off 'at' (ends at 'end').  False: there is none. */
static inline bool dvmrt_site_next_line(const char **at, const char *end, struct dvmrt_site_line *line) {
  while (*at < end) {
    const char *s = *at, *stop = s;
    while (stop < end && *stop != '\n')
      ++stop;
    *at = stop < end ? stop + 1 : stop;
    if (stop == s)
      continue;
    line->key = *s++;
    s += s < stop && *s == ' ';
    line->s = s;
    line->n = (size_t)(stop - s);
    return true;
  }
  return false;
}

/* How many bytes of a directive's line may hold '#' and '&' for arguments: the free text of others is left out. */
static inline size_t dvmrt_site_signs(const struct dvmrt_site_line *line) {
  enum { ANY, ACCESS, DIRECTIVE, TRACE };
  if (line->key == DVMRT_DIRECTIVE_AXIS && line->n && line->s[0] == 'o')
    return 0;
#define DVMRT_SITE_KEY(scope, name, letter, signs, fields, meaning)                                                                        \
  if ((scope == ANY || scope == DIRECTIVE) && line->key == (letter))                                                                       \
    return (signs) ? line->n : 0;
#include "runtime/site_keys.inc"
#undef DVMRT_SITE_KEY
  return line->n;
}
#endif
