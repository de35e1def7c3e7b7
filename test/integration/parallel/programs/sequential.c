/* The sequential part: assignments, input and output, values that differ by nature. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#define N 9
struct point {
  int x;
  double y[2];
};
#pragma dvm array distribute[block]
int a[N];
#pragma dvm array align([i] with a[i])
struct point p[N];
#pragma dvm array distribute[*]
int all[N];
static int calls;
static int next(void) { return ++calls * 3; }
int main(void) {
  int i, n = 0, last;
  double x[2];
  char word[20], line[40];
  struct point one = {4, {5, 6}};
  FILE *f = tmpfile();
  for (i = 0; i < N; i++)
    a[i] = 10 / (i + 1);
  for (i = 0; i < N; i++)
    a[i] = 100 / a[i];          /* nobody divides by what lies elsewhere */
  for (i = 0; i < N; i += 2)
    a[i] = next();
  i = 3;
  a[i++] += 7;
  if (i == 4)
    a[i]--;
  last = a[5] = 12;
  memset(all, 0, sizeof all);
  for (i = 0; i < N; i++)
    all[i] += i, p[i].x = i, p[i].y[1] = i / 2.0;
  p[2] = one;
  p[6].y[0] = 2.5;
  printf("%d %d %d\n", calls, i, last);
  for (i = 0; i < N; i++)
    printf("%d %d %g%c", a[i], p[i].x, p[i].y[1], i < N - 1 ? ' ' : '\n');
  n = fprintf(f, "%d %s %g %g\nsecond line\n%d", all[3], "word", 1.5, 2.5, a[1]);
  rewind(f);
  printf("%d %d", n, fscanf(f, "%d %19s %lf%lf ", &a[0], word, &x[0], &x[1]));
  printf(" %d %s %g %g\n", a[0], word, x[0], x[1]);
  printf("%s", fgets(line, sizeof line, f) ? line : "nothing\n");
  printf("%d", fgetc(f));
  while ((n = getc(f)) != EOF)
    printf(" %d", n);
  printf(" end %d\n", feof(f) != 0);
  fseek(f, 0, SEEK_SET);
  printf("%zu %ld\n", fwrite(a, sizeof *a, N, f), ftell(f));
  rewind(f);
  printf("%zu\n", fread(&a[1], sizeof *a, N - 1, f));
  for (i = 0; i < N; i++)
    printf("%d ", a[i]);
  printf("%d\n", fopen("/no such folder/file", "r") == NULL);
  fclose(f);
  if (time(NULL) % 2 + getpid() % 3 >= 0 && clock() >= 0)
#pragma dvm parallel([i] on a[i])
    for (i = 0; i < N; i++)
      a[i] = (int)(time(NULL) >= 0);
  n = 0;
#pragma dvm remote_access(a[N / 2], p[1])
  {
    n = a[N / 2] + p[1].x;
    one = p[1];
  }
  puts(n == 2 && one.y[1] == 0.5 ? "right" : "wrong");
  return 0;
}
