#include "driver/fix/same.h"
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool both(const char *a, const char *b, bool (*equal)(FILE *, FILE *)) {
  FILE *f = fopen(a, "re"), *g = fopen(b, "re");
  bool is = f && g && equal(f, g);
  if (f)
    fclose(f);
  if (g)
    fclose(g);
  return is;
}

static bool equal_bytes(FILE *f, FILE *g) {
  char x[4096], y[4096];
  for (size_t n = 1; n;) {
    n = fread(x, 1, sizeof x, f);
    if (fread(y, 1, sizeof y, g) != n || memcmp(x, y, n))
      return false;
  }
  return true;
}

bool fix_same(const char *a, const char *b) { return both(a, b, equal_bytes); }

static bool begins_number(const char *s) {
  s += *s == '+' || *s == '-';
  return isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]));
}

static bool is_floating(const char *s, const char *end) {
  while (s < end && !strchr(".eE", *s))
    s++;
  return s < end;
}

/* Both point at a number, and behind it afterwards. */
static bool numbers_agree(const char **a, const char **b) {
  char *a_end, *b_end;
  const double x = strtod(*a, &a_end), y = strtod(*b, &b_end), larger = fmax(fabs(x), fabs(y));
  const bool same_text = a_end - *a == b_end - *b && !memcmp(*a, *b, (size_t)(a_end - *a));
  const bool near = fabs(x - y) <= FIX_TOLERANCE * larger || larger <= FIX_NOTHING;
  const bool agree = same_text || (near && (is_floating(*a, a_end) || is_floating(*b, b_end)));
  *a = a_end;
  *b = b_end;
  return agree;
}

static bool lines_agree(const char *a, const char *b) {
  for (bool in_word = false; *a || *b;) {
    const size_t a_blank = strspn(a, " \t"), b_blank = strspn(b, " \t");
    a += a_blank;
    b += b_blank;
    in_word = in_word && !a_blank && !b_blank;
    if (!in_word && begins_number(a) && begins_number(b)) {
      if (!numbers_agree(&a, &b))
        return false;
      continue;
    }
    if (*a != *b)
      return false;
    in_word = isalnum((unsigned char)*a) || *a == '_';
    a += *a != '\0';
    b += *b != '\0';
  }
  return true;
}

static bool equal_but_rounding(FILE *f, FILE *g) {
  char *x = NULL, *y = NULL;
  size_t x_size = 0, y_size = 0;
  bool equal = true;
  for (ssize_t n = 0, m = 0; equal && n >= 0;) {
    n = getline(&x, &x_size, f);
    m = getline(&y, &y_size, g);
    equal = (n < 0) == (m < 0) && (n < 0 || lines_agree(x, y));
  }
  free(x);
  free(y);
  return equal;
}

bool fix_same_but_rounding(const char *a, const char *b) { return both(a, b, equal_but_rounding); }
