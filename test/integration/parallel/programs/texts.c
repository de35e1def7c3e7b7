/* Texts of distributed elements that are printed, and what output functions return. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#define N 11
#pragma dvm array distribute[block]
struct name {
  int length;
  char text[100];
} names[N];
#pragma dvm array align([i] with names[i])
double value[N];
#pragma dvm array distribute[block]
char line[3 * N + 1];
static void say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
}
int main(void) {
  int r;
#pragma dvm parallel([i] on names[i])
  for (int i = 0; i < N; i++) {
    names[i].length = 9 * i;
    memset(names[i].text, 'a' + i, sizeof names[i].text);
    names[i].text[9 * i] = 0;
    value[i] = i / 2.0;
  }
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i <= 3 * N; i++)
    line[i] = i < 3 * N ? 'A' + i % 26 : 0;
  for (int i = 0; i < N; i++)
    printf("%d '%s' %g\n", names[i].length, names[i].text, value[i]);
  /* more arguments than registers, of all kinds, on both sides of the texts */
  r = fprintf(stdout, "%d %s %f %*d %.3s %Lf %c %s %g %s %g %g %g %g %g %s %g%% %Lg\n", 1, names[8].text, 2.0, 5, 3, names[9].text, 4.0L, 'x',
              names[1].text, value[7], names[4].text, 1., 2., 3., 4., 5., names[10].text, value[10], 6.0L);
  printf("%d\n", r);
  say("%s|%s|%d\n", "before", "behind", 3);
  printf("%s\n", line);
  fputs(&line[20], stdout);
  r = puts(&line[N]);
  printf("%d %d", r, puts("abc"));
  printf(" %d %d\n", fputs("", stdout) >= 0, putchar(' '));
  return 0;
}
