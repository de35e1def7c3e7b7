#include <stddef.h>

void lib_scale(double *v, size_t n) {
  for (size_t i = 0; i < n; i++)
    v[i] *= 2;
}
