/* Functions with a variable number of arguments, va_list handed on, structures among the arguments. */
#include <stdarg.h>
#include <stdio.h>
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

int main(void) {
  char text[40];
  int n;
  struct point p = {2, 3};
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = sum_of(3, i * 1.0, 2.0, 3.0) + points(2, p, i, p, 1);
  n = say(text, sizeof text, "%d:%s", 42, "text");
  printf("%s %d %c\n", text, n, text[1]);
  for (int i = 0; i < N; i++)
    printf("%g\n", a[i]);
  return 0;
}
