/* array_copy between arrays of different distributions, sections, and ordinary arrays: it is executed.  Where directives are comments,
 * loops take its place. */
#include <stdio.h>
#include <stdlib.h>
#define N 10
#ifdef _DVMH
#define COPY(statement)
#else
#define COPY(statement)       \
  for (int i = 0; i < N; i++) \
    for (int j = 0; j < N; j++) { statement; }
#endif
#pragma dvm array distribute[block][*]
static int rows[N][N];
#pragma dvm array distribute[*][block]
static int columns[N][N];
#pragma dvm array distribute[block]
static int line[2 * N];
static int plain[N][N], part[4];

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
  int *memory = malloc(N * sizeof *memory);
#pragma dvm array_copy(memory[0:9] = line[2:11])
  COPY(memory[i] = line[2 + i])
  printf("%ld %d %d %d\n", sum, part[0], part[3], memory[9]);
  free(memory);
  /* What both sections share is copied as it was. */
#pragma dvm array_copy(line[1:19] = line[0:18])
#ifndef _DVMH
  for (int i = 2 * N - 1; i > 0; i--)
    line[i] = line[i - 1];
#endif
  sum = 0;
#pragma dvm parallel([i] on line[i]) reduction(sum(sum))
  for (int i = 0; i < 2 * N; i++)
    sum += (long)i * line[i];
  printf("%ld\n", sum);
#pragma dvm array_copy(line[0:18] = line[1:19])
#ifndef _DVMH
  for (int i = 0; i < 2 * N - 1; i++)
    line[i] = line[i + 1];
#endif
  sum = 0;
#pragma dvm parallel([i] on line[i]) reduction(sum(sum))
  for (int i = 0; i < 2 * N; i++)
    sum += (long)i * line[i];
  printf("%ld\n", sum);
  return 0;
}
