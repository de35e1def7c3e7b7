/* Texts whose characters have come in all the ways that a program gets them, and parts that are not printed. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct entry {
  char name[16];
  char *more;
  int n;
};
#pragma dvm array distribute[block]
static struct entry table[6];

static void show(const char *format, ...) {
  char line[64];
  va_list ap;
  va_start(ap, format);
  vsnprintf(line, sizeof line, format, ap);
  va_end(ap);
  printf("%s|", line);
}

int main(void) {
  char a[32], b[32], *grown = malloc(4), day[40], word[8], digits[4] = {'1', '2', '3', '4'};
  char *none = NULL;
  strcpy(a, "text");
  sprintf(b, "%s-%d", a, 3);
  printf("%s %s %.4s %.*s\n", a, b, digits, 2, digits);
  grown = realloc(grown, 64);
  memset(grown, 'x', 5);
  grown[5] = 0;
  puts(grown);
  struct tm t = {.tm_year = 100, .tm_mday = 3};
  strftime(day, sizeof day, "%Y-%m-%d", &t);
  printf("%s %10s\n", day, strrchr(day, '-'));
  sscanf("seven 7", "%7s", word);
  fprintf(stdout, "%s %s\n", word, strdup(word));
  for (char *p = word; *p; p++)
    *p = (char)toupper(*p);
  fputs(word, stdout);
  putchar('\n');
  char *copy = strndup(a, 2), c = 'q';
  printf("%s %.1s %d%%\n", copy, &c, 50);
  show("%s%s", copy, getenv("NO_SUCH_VARIABLE_HERE") ? "x" : "y");
  char cut[5];
  strncpy(cut, "abcdefgh", 5);
  printf("%.5s\n", cut);
  if (none)
    printf("%s\n", none);
#pragma dvm parallel([i] on table[i])
  for (int i = 0; i < 6; i++) {
    strcpy(table[i].name, "n");
    table[i].n = i;
    table[i].name[0] = (char)('a' + i);
  }
  for (int i = 0; i < 6; i++)
    printf("%s ", table[i].name);
  printf("\n%2$s %1$s\n", "one", "two");
  free(copy);
  free(grown);
  return 0;
}
