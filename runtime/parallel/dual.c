#include "runtime/parallel/dual.h"
#include <complex.h>
#include <stdio.h>
#include <string.h>

/* An array of results is looked at in each iteration: bytes after which the rest of a construct's iterations are not told apart any more. */
#define WORK_MAX (1ull << 34)

struct dvmp_dual {
  char *at, *neutral, *sum; /* the variable; what an iteration begins with; what is combined so far */
  size_t n;
  int64_t count;
  char op, type;
  int bytes;
  bool begun;
  uint64_t work; /* bytes that have been looked at */
};

/* ---- values ------------------------------------------------------------------------------------------------------------------------- */

#define APPLY(name, T)                                                                                                                     \
  static void name(char op, char *to, const char *from) {                                                                                  \
    T a, b;                                                                                                                                \
    memcpy(&a, to, sizeof(a));                                                                                                             \
    memcpy(&b, from, sizeof(b));                                                                                                           \
    a = op == 's' ? a + b : op == 'p' ? a * b : op == 'M' ? (b > a ? b : a) : (b < a ? b : a);                                             \
    memcpy(to, &a, sizeof(a));                                                                                                             \
  }
APPLY(apply_f4, float)
APPLY(apply_f8, double)
APPLY(apply_f16, long double)
APPLY(apply_i8, int64_t)
APPLY(apply_u8, uint64_t)
#undef APPLY

#define APPLY(name, T)                                                                                                                     \
  static void name(char op, char *to, const char *from) {                                                                                  \
    T a, b;                                                                                                                                \
    memcpy(&a, to, sizeof(a));                                                                                                             \
    memcpy(&b, from, sizeof(b));                                                                                                           \
    a = op == 's' ? a + b : a * b;                                                                                                         \
    memcpy(to, &a, sizeof(a));                                                                                                             \
  }
APPLY(apply_c8, float complex)
APPLY(apply_c16, double complex)
#undef APPLY

/* As 64 bits; what is too much for the type is cut off again. */
static void apply_integer(char op, char type, int bytes, char *to, const char *from) {
  char a[8] = {0}, b[8] = {0};
  memcpy(a, to, (size_t)bytes);
  memcpy(b, from, (size_t)bytes);
  if (type == 'i') {
    memset(a + bytes, a[bytes - 1] < 0 ? 0xff : 0, (size_t)(8 - bytes));
    memset(b + bytes, b[bytes - 1] < 0 ? 0xff : 0, (size_t)(8 - bytes));
  }
  if (type == 'i' && (op == 'M' || op == 'm'))
    apply_i8(op, a, b);
  else
    apply_u8(op, a, b);
  memcpy(to, a, (size_t)bytes);
}

static void apply_bits(char op, int bytes, char *to, const char *from) {
  for (int i = 0; i < bytes; i++)
    to[i] = (char)(op == 'a' ? to[i] & from[i] : op == 'o' ? to[i] | from[i] : to[i] ^ from[i]);
}

static void apply(const struct dvmp_dual *d, char *to, const char *from) {
  if (d->op == 'a' || d->op == 'o' || d->op == 'x')
    apply_bits(d->op, d->bytes, to, from);
  else if (d->type == 'f' && d->bytes == 4)
    apply_f4(d->op, to, from);
  else if (d->type == 'f' && d->bytes == 8)
    apply_f8(d->op, to, from);
  else if (d->type == 'f')
    apply_f16(d->op, to, from);
  else if (d->type == 'c' && d->bytes == 8)
    apply_c8(d->op, to, from);
  else if (d->type == 'c')
    apply_c16(d->op, to, from);
  else
    apply_integer(d->op, d->type, d->bytes, to, from);
}

static void set_one(char *to, char type, int bytes) {
  if (type == 'f' && bytes == 4)
    memcpy(to, &(float){1}, 4);
  else if (type == 'f' && bytes == 8)
    memcpy(to, &(double){1}, 8);
  else if (type == 'f')
    memcpy(to, &(long double){1}, sizeof(long double));
  else if (type == 'c' && bytes == 8)
    memcpy(to, &(float complex){1}, 8);
  else if (type == 'c')
    memcpy(to, &(double complex){1}, 16);
  else
    *to = 1; /* little-endian */
}

static bool is_known(char op, char type, int bytes) {
  if (!strchr("spMmaox", op))
    return false;
  if (type == 'f')
    return bytes == 4 || bytes == 8 || bytes == (int)sizeof(long double);
  if (type == 'c')
    return (op == 's' || op == 'p') && (bytes == 8 || bytes == 16);
  return (type == 'i' || type == 'u') && (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8);
}

/* ---- evaluation --------------------------------------------------------------------------------------------------------------------- */

struct dvmp_dual *dvmp_dual_begin(struct dvmp_arena *m, void *at, int64_t count, char op, char type, int bytes) {
  if (!is_known(op, type, bytes) || count < 1)
    return NULL;
  struct dvmp_dual *d = dvmp_arena_get(m, sizeof(*d));
  *d = (struct dvmp_dual){.at = at, .n = (size_t)count * (size_t)bytes, .count = count, .op = op, .type = type, .bytes = bytes};
  d->neutral = dvmp_arena_get(m, d->n);
  d->sum = dvmp_arena_get(m, d->n);
  memcpy(d->sum, at, d->n);
  if (op == 's' || op == 'x' || op == 'p')
    memset(d->neutral, 0, d->n);
  else
    memcpy(d->neutral, at, d->n);
  for (int64_t i = 0; op == 'p' && i < count; i++)
    set_one(d->neutral + i * bytes, type, bytes);
  return d;
}

static void combine(struct dvmp_dual *d) {
  for (int64_t i = 0; i < d->count; i++)
    apply(d, d->sum + i * d->bytes, d->at + i * d->bytes);
}

void dvmp_dual_iteration(struct dvmp_dual *d) {
  if (d->work > WORK_MAX)
    return;
  if (d->begun)
    combine(d);
  d->begun = true;
  d->work += d->n;
  if (d->work > WORK_MAX) /* the others add to what is there */
    memcpy(d->at, d->sum, d->n);
  else
    memcpy(d->at, d->neutral, d->n);
}

void dvmp_dual_end(struct dvmp_dual *d) {
  if (!d->begun || d->work > WORK_MAX)
    return;
  combine(d);
  memcpy(d->at, d->sum, d->n);
}

void dvmp_dual_text(const void *value, char type, int bytes, char *buf, size_t size) {
  float f;
  double v = 0;
  long double l;
  int64_t i = 0;
  if (type == 'f' && bytes == 4)
    memcpy(&f, value, 4), v = (double)f;
  else if (type == 'f' && bytes == 8)
    memcpy(&v, value, 8);
  else if (type == 'f')
    memcpy(&l, value, sizeof(l)), v = (double)l;
  else if (type == 'c' && bytes == 8)
    memcpy(&f, value, 4), v = (double)f;
  else if (type == 'c')
    memcpy(&v, value, 8);
  else
    memcpy(&i, value, bytes < 8 ? (size_t)bytes : 8);
  if (type == 'f' || type == 'c')
    snprintf(buf, size, "%.10g%s", v, type == 'c' ? " (its real part)" : "");
  else if (type == 'u')
    snprintf(buf, size, "%llu", (unsigned long long)i);
  else
    snprintf(buf, size, "%lld", bytes < 8 ? (long long)((uint64_t)i << (64 - 8 * bytes)) >> (64 - 8 * bytes) : (long long)i);
}
