/* How many significant digits both sides agree in, by variable: between two precisions, rounding modes, levels of optimisation. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double digits_of(struct dvmt_type t) { return t.part_bytes == 2 ? 3.3 : t.part_bytes == 4 ? 7.2 : t.part_bytes == 8 ? 15.95 : 19.3; }

void dvmt_cmp_note_digits(struct dvmt_compare *c, uint32_t key, struct dvmt_type narrow, double relative) {
  if (!c->options.digits || !narrow.part_bytes)
    return;
  if (key >= c->ndigits) {
    struct dvmt_digits *rows = realloc(c->digits, (c->nnames + 64) * sizeof(*rows));
    if (!rows) {
      c->rc = -ENOMEM;
      return;
    }
    memset(rows + c->ndigits, 0, (c->nnames + 64 - c->ndigits) * sizeof(*rows));
    c->digits = rows;
    c->ndigits = c->nnames + 64;
  }
  struct dvmt_digits *d = &c->digits[key];
  double most = digits_of(narrow), digits = relative > 0 ? fmin(most, fmax(0, -log10(relative))) : most;
  d->least = d->values && d->least < digits ? d->least : digits;
  d->sum += digits;
  d->values++;
  d->identical += relative == 0;
}

bool dvmt_compare_digits(const struct dvmt_compare *c, size_t *at, struct dvmt_digits *digits) {
  while (*at < c->ndigits && *at < c->nnames && !c->digits[*at].values)
    ++*at;
  if (*at >= c->ndigits || *at >= c->nnames)
    return false;
  *digits = c->digits[*at];
  digits->variable = dvmt_cmp_key_name(c, (uint32_t)(*at)++);
  return true;
}
