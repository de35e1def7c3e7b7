/* Sections that are copied between arrays of different distributions, and ordinary ones.  Where directives are comments, COPY does it. */
#include <stdio.h>
#define N 10
#ifdef _DVMH
#define COPY(statement)
#else
#define COPY(statement) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { statement; }
#endif
#pragma dvm array distribute[block][*]
int rows[N][N];
#pragma dvm array distribute[*][block]
int columns[N][N];
#pragma dvm array distribute[block]
int line[2 * N];
int plain[N][N], part[4];
static void show(const char *name) {
  long sum = 0;
#pragma dvm parallel([i][j] on columns[i][j]) reduction(sum(sum))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += (i * 31L + j * 17) * columns[i][j];
  printf("%s %ld\n", name, sum);
}
int main(void) {
  long sum = 0;
#pragma dvm parallel([i][j] on rows[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      rows[i][j] = 100 * i + j;
#pragma dvm array_copy(columns = rows)
  COPY(columns[i][j] = rows[i][j])
  show("whole");
#pragma dvm array_copy(columns[2:5][1:8] = rows[4:7][0:7])
  COPY(if (i < 4 && j < 8) columns[i + 2][j + 1] = rows[i + 4][j])
  show("section");
#pragma dvm parallel([i] on line[i])
  for (int i = 0; i < 2 * N; i++)
    line[i] = -i;
#pragma dvm array_copy(columns[3][] = line[5:14])
  COPY(columns[3][j] = line[5 + j])
  show("row");
#pragma dvm array_copy(columns[][7] = line[10:])
  COPY(columns[i][7] = line[10 + i])
  show("column");
#pragma dvm array_copy(plain = columns)
  COPY(plain[i][j] = columns[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      sum += plain[i][j] * (i + 2L * j);
  for (int i = 0; i < N; i++)
    plain[i][i] = i;
#pragma dvm array_copy(columns = plain)
  COPY(columns[i][j] = plain[i][j])
  show("back");
#pragma dvm array_copy(part[0:3] = line[8:11])
  COPY(if (i < 4) part[i] = line[8 + i])
  printf("%ld %d %d\n", sum, part[0], part[3]);
  return 0;
}
