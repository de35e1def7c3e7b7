/* Several translation units: the arrays live in one, are filled by another, swept by a third. */
#include <stdio.h>
#include "field.h"

int main(void) {
  field_set(field, 1.5);
  field_set(buffer, 0.5);
  for (int it = 0; it < 5; it++)
    printf("%d %.9g\n", it, field_step());
  printf("%.9g %.9g\n", field_norm(field), field_norm(buffer));
  return 0;
}
