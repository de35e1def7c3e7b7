/* Values that memcpy, memset, memmove, strcpy, calloc, strdup and their kin assign; in the sequential part and in loops. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#define N 12

#pragma dvm array distribute[block]
double a[N];
#pragma dvm array align([i] with a[i])
struct { double pair[2]; } b[N];

int main(void) {
  double image[N], copy[N], sum = 0;
  int zeros[N], *heap = calloc(N, sizeof *heap);
  char text[32], *twin, moved[8];
  wchar_t wide[4];
  if (!heap)
    return 1;
  for (int i = 0; i < N; i++)
    image[i] = i;
  memcpy(copy, image, sizeof copy);
  memset(zeros, 0, sizeof zeros);
  strcpy(text, "twelve");
  strncat(text, " ok", 8);
  memmove(moved, text + 1, 6);
  wmemset(wide, L'x', 4);
  twin = strdup(text);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    double local[2];
    memcpy(&a[i], &copy[i], sizeof *a);
    memset(&b[i], 0, sizeof b[i]);
    memcpy(local, b[i].pair, sizeof local);
    local[1] += image[i];
    memcpy(&b[i].pair[1], &local[1], sizeof(double));
  }
#pragma dvm parallel([i] on a[i]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    sum += a[i] + b[i].pair[0] + b[i].pair[1] + zeros[i] + heap[i];
  printf("%g %s %.5s %d\n", sum, twin, moved, (int)wide[3]);
  free(twin);
  free(heap);
  return 0;
}
