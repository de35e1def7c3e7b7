/* Instrumented code in a shared library is not foreign: it sweeps the array of the main program. */
#include <stdio.h>
#include "field.h"

#pragma dvm array distribute[block] shadow[1:1]
double field[FIELD_N];
#pragma dvm array align([i] with field[i])
double result[FIELD_N];

int main(void) {
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < FIELD_N; i++)
    field[i] = result[i] = i;
  sweep(field, result);
  printf("%g %g\n", result[1], scale(result));
  return 0;
}
