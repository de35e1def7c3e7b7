/* Texts of different lengths that are sorted: which bytes have a value goes with them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void names(void) {
  char texts[6][24];
  for (int k = 0; k < 5; k++)
    snprintf(texts[k], sizeof texts[k], "%c%d:%.3f", 97 + k * 7 % 26, k * 13, 3.7 * k * k);
  qsort(texts, 5, sizeof texts[0], by_text);
  for (int k = 0; k < 5; k++)
    printf("%s\n", texts[k]);
}

#pragma dvm array distribute[block]
double a[10];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 10; i++)
    a[i] = 0;
  names();
  return 0;
}
