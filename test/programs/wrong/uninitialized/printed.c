/* Texts that are printed with characters that nobody has assigned. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef RIGHT
#define FROM 0
#define SHOWN 3
#else
#define FROM 1
#define SHOWN 4
#endif

#pragma dvm array distribute[block]
static int order[5];

static void fill(char *s, int n) {
  for (int i = FROM; i < n; i++)
    s[i] = (char)('a' + i);
}

int main(void) {
  char *name = malloc(8), *part = malloc(8), *line = malloc(16), local[12];
  int width = SHOWN;
#pragma dvm parallel([i] on order[i])
  for (int i = 0; i < 5; i++)
    order[i] = i;
  fill(name, 5);
  name[5] = 0;
  printf("[%s]\n", name);
  //               ^ error dvm-uninitialized 'name'
  memcpy(part, "xyz", 3);
  printf("%5.*s|%-*d|%%|%.3s\n", width, part, 4, 7, part);
  //                                    ^ error dvm-uninitialized 'part'
  fill(local, 4);
  local[4] = 0;
  puts(local);
  //   ^ error dvm-uninitialized 'local'
  for (int i = FROM; i < 3; i++)
    line[i] = '-';
  line[3] = '\0';
  fprintf(stderr, "%s", FROM ? "" : line + 3);
  fputs(line, stdout);
  //    ^ error dvm-uninitialized 'line'
  char copy[20];
  snprintf(copy, sizeof copy, "%d %s", 3, name);
  //                                      ^ error dvm-uninitialized 'name'
  printf("%s %c\n", copy, copy[0]);
  printf("%.2s %zu\n", "const", strlen("abc"));
  free(name);
  free(part);
  free(line);
  return 0;
}
// OUTPUT any
