/* Arrays that ranks have alike, but for an element.  The rank comes from the launcher's environment. */
#include <stdlib.h>

double grid[30][50], other[30][50];
int counts[400], few[3];

static int stop(void) { return 0; }

int main(void) {
  const char *text = getenv("SDM_RANK");
  int rank = text ? atoi(text) : 0;
  float row[450];
  for (int i = 0; i < 30; i++)
    for (int j = 0; j < 50; j++)
      grid[i][j] = other[i][j] = i + 0.5 * j;
  for (int i = 0; i < 450; i++)
    row[i] = i;
  if (rank == 2) {
    other[17][31] = -1;
    other[29][49] = -1;
    row[449] = 0;
    few[1] = 4;
  }
  counts[rank] = 0;
  return stop() + (row[449] > 449);
}
