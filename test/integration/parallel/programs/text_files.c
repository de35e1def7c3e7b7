/* Text and binary files of distributed data: written and read element by element, whole, in parts; positions, ends, errors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define N 37
#define M 11
#pragma dvm array distribute[block] dynamic
double a[N];
#pragma dvm array distribute[block][block]
int b[N][M];
#pragma dvm array align([i] with a[i])
float c[N];
struct point {
  double x, y;
  int tag;
};
#pragma dvm array distribute[block]
struct point points[N];

static double check(void) {
  double s = 0;
#pragma dvm parallel([i] on a[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += a[i] * (i + 1) + c[i];
#pragma dvm parallel([i][j] on b[i][j]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      s += b[i][j] * (i - j);
  return s;
}

static int write_text(const char *name) {
  FILE *f = fopen(name, "w");
  int n = 0;
  if (!f)
    return -1;
  n += fprintf(f, "%d %d\n", N, M);
  for (int i = 0; i < N; i++)
    n += fprintf(f, "%d: %.12g %g\n", i, a[i], c[i]);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++)
      n += fprintf(f, "%s%d", j ? " " : "", b[i][j]);
    fputc('\n', f);
  }
  fputs("end of it\n", f);
  printf("at %ld, %d characters\n", ftell(f), n);
  return fclose(f);
}

static int read_text(const char *name) {
  FILE *f = fopen(name, "r");
  int n, m, k, got = 0;
  char line[80];
  if (!f || fscanf(f, "%d %d", &n, &m) != 2 || n != N)
    return -1;
  for (int i = 0; i < n; i++)
    got += fscanf(f, "%d: %lf %f", &k, &a[N - 1 - i], &c[N - 1 - i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      got += fscanf(f, "%d", &b[i][M - 1 - j]);
  while (fgets(line, sizeof line, f)) {
    line[strcspn(line, "\n")] = 0;
    printf("line '%s' %zu\n", line, strlen(line));
  }
  printf("got %d, end %d, error %d\n", got, feof(f) != 0, ferror(f) != 0);
  k = fscanf(f, "%d", &n);
  printf("behind the end %d\n", k == EOF);
  fclose(f);
  return got;
}

static void binary(const char *name) {
  FILE *f = fopen(name, "wb+");
  size_t n = fwrite(a, sizeof a[0], N, f);
  n += fwrite(b, sizeof b, 1, f);
  n += fwrite(points, sizeof points[0], N, f);
  printf("written %zu, at %ld\n", n, ftell(f));
  rewind(f);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++)
    a[i] = c[i] = -1;
  n = fread(&a[0], sizeof a[0], N / 2, f);
  fseek(f, sizeof a[0] * (N - N / 2), SEEK_CUR);
  for (int i = 0; i < 3; i++)
    n += fread(b[N - 1 - i], sizeof b[0], 1, f);
  printf("read %zu, at %ld\n", n, ftell(f));
  fseek(f, -(long)sizeof points[0] * 2, SEEK_END);
  n = fread(&points[4], sizeof points[0], 5, f);
  printf("read %zu, end %d\n", n, feof(f) != 0);
  fclose(f);
  double s = 0;
#pragma dvm parallel([i] on points[i]) reduction(sum(s))
  for (int i = 0; i < N; i++)
    s += points[i].x * i - points[i].y + points[i].tag;
  printf("%.10g %.10g\n", check(), s);
}

static void errors(void) {
  errno = 0;
  FILE *f = fopen("/nowhere/at/all", "r");
  printf("%d %d\n", f == NULL, errno == ENOENT);
  f = fopen("/dev/full", "w");
  if (f) {
    int r = fprintf(f, "%f\n", a[3]);
    r = fflush(f);
    printf("full %d %d\n", r, errno == ENOSPC);
    fclose(f);
  }
  f = tmpfile();
  for (int i = 0; i < N; i += 5)
    fprintf(f, "%.3f;", a[i]);
  rewind(f);
  char word[16];
  int n = 0;
  double x, s = 0;
  while (fscanf(f, "%15[^;];", word) == 1) {
    n++;
    x = strtod(word, NULL);
    s += x;
  }
  printf("%d words, sum %.3f\n", n, s);
  fclose(f);
}

int main(void) {
  char name[] = "dvm-text-XXXXXX";
  int fd = mkstemp(name);
  if (fd < 0)
    return 1;
  close(fd);
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < N; i++) {
    a[i] = i / 7.0;
    c[i] = i * 0.5f;
  }
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < M; j++)
      b[i][j] = i * 100 - j;
#pragma dvm parallel([i] on points[i])
  for (int i = 0; i < N; i++)
    points[i] = (struct point){i, -i, i % 4};
  printf("%.10g\n", check());
  printf("%d\n", write_text(name));
#pragma dvm redistribute(a[multblock(1)])
  printf("%d\n", read_text(name));
  printf("%.10g\n", check());
  binary(name);
  errors();
  /* What stands in a text of this program, and in pieces of one. */
  char text[400];
  int at = 0;
  for (int i = 0; i < 12; i++)
  {
    double x;
#pragma dvm remote_access(a[i])
    {
      x = a[i];
    }
    at += snprintf(text + at, sizeof text - at, "%.2f,", x);
  }
  printf("%s %d\n", text, at);
  double x, y;
  int used;
  for (const char *p = text; sscanf(p, "%lf,%lf,%n", &x, &y, &used) == 2; p += used)
    a[20] += x - y;
  printf("%.6f\n", a[20]);
  printf("%d %d\n", remove(name), access(name, F_OK));
  return 0;
}
