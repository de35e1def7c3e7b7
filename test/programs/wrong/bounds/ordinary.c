/* Ordinary arrays whose bounds are declared are checked as well, in each dimension. */
// TWIN
#include <stdio.h>
#ifdef RIGHT
#define COLUMNS 4
#else
#define COLUMNS 5
#endif

int main(void) {
  int m[3][4], sum = 0;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 4; c++)
      m[r][c] = r * 4 + c;
  for (int r = 0; r < 2; r++)
    for (int c = 0; c < COLUMNS; c++)
      sum += m[r][c];
      //     ^ error dvm-out-of-bounds 'm[0][4]'
  printf("%s\n", sum > 20 ? "large" : "small");
  return 0;
}
