/* Functions with a variable number of arguments, va_list handed on, structures among the arguments. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#define N 6

struct point { double x, y; };

#pragma dvm array distribute[block]
double a[N];

static double sum_of(int n, ...) {
  va_list list, again;
  double sum = 0;
  va_start(list, n);
  va_copy(again, list);
  for (int i = 0; i < n; i++)
    sum += va_arg(list, double);
  sum += va_arg(again, double);
  va_end(again);
  va_end(list);
  return sum;
}

static double points(int n, ...) {
  va_list list;
  double sum = 0;
  va_start(list, n);
  while (n--) {
    struct point p = va_arg(list, struct point);
    sum += p.x * p.y + va_arg(list, int);
  }
  va_end(list);
  return sum;
}

static int say(char *buffer, size_t size, const char *format, ...) {
  va_list list;
  int n;
  va_start(list, format);
  n = vsnprintf(buffer, size, format, list);
  va_end(list);
  return n;
}

/* What a function behind a va_list writes to. */
static int parse(const char *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsscanf(text, format, list);
  va_end(list);
  return n;
}

static int parse_rest(const char *text, const char *format, va_list *list) { return vsscanf(text, format, *list); }
static int parse_behind(const char *text, int skipped, ...) {
  va_list list;
  va_start(list, skipped);
  while (skipped--)
    (void)va_arg(list, int);
  const char *format = va_arg(list, const char *);
  int n = parse_rest(text, format, &list);
  va_end(list);
  return n;
}

static double parsed(void) {
  int few[2], many[9], *heap = malloc(3 * sizeof *heap), where, other;
  double x, *y = malloc(sizeof *y);
  if (!heap || !y)
    exit(1);
  if (parse("1 2 3.5", "%d%d%lf", &few[0], &few[1], &x) != 3 || parse_behind("4 5 6 7.5", 3, 1, 2, 3, "%d%d%d%lf", heap, heap + 1, heap + 2, y) != 4)
    exit(1);
  if (parse("1 2 3 4 5 6 7 8 9", "%d%d%d%d%d%d%d%d%d", many, many + 1, many + 2, many + 3, many + 4, many + 5, many + 6, many + 7, many + 8) != 9)
    exit(1);
  printf("%d%n and%n\n", 12, &where, &other);
  double sum = few[0] + few[1] + x + heap[2] + *y + many[0] + many[8] + where + other;
  free(heap);
  free(y);
  return sum;
}

int main(void) {
  char text[40];
  int n;
  struct point p = {2, 3};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = sum_of(3, i * 1.0, 2.0, 3.0) + points(2, p, i, p, 1);
  n = say(text, sizeof text, "%d:%s", 42, "text");
  printf("%s %d %c\n", text, n, text[1]);
  printf("%g\n", parsed());
  for (int i = 0; i < N; i++)
    printf("%g\n", a[i]);
  return 0;
}
