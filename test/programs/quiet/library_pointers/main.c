/* The C library through pointers, as a table of system calls has it: what it writes has a value, on the heap, on the stack, in static data and
 * in distributed arrays; so has what a function of that name writes that is not the library's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#pragma dvm array distribute[block]
static double A[8];

static struct calls {
  int (*access)(const char *, int);
  int (*pipe)(int[2]);
  ssize_t (*read)(int, void *, size_t);
  ssize_t (*write)(int, const void *, size_t);
  int (*status)(const char *, struct stat *);
  struct tm *(*broken)(const time_t *, struct tm *);
  char *(*copy)(char *, const char *);
  void *(*move)(void *, const void *, size_t);
  double (*number)(const char *, char **);
  int (*print)(char *, size_t, const char *, ...);
  void (*sort)(void *, size_t, size_t, int (*)(const void *, const void *));
} calls = {access, pipe, read, write, stat, gmtime_r, strcpy, memmove, strtod, snprintf, qsort};

static int by_value(const void *a, const void *b) {
  const int *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double all(struct calls *c) {
  static char line[16];
  struct stat here, *there = malloc(sizeof *there);
  struct tm tm;
  double number, *mine = malloc(sizeof *mine), v[2], w[2] = {1, 2};
  char text[32], *end, *heap = malloc(16);
  int ends[2], length, sorted[3] = {3, 1, 2};
  time_t now = 86400;
  if (!there || !heap || !mine || c->access((char *)mine, 5) || c->pipe(ends) || c->write(ends[1], "0123456789abcdef", 16) != 16)
    exit(1);
  if (c->read(ends[0], line, 4) != 4 || c->read(ends[0], heap, 4) != 4 || c->read(ends[0], text, 4) != 4)
    exit(1);
  printf("%.4s %.4s %.4s\n", line, heap, text);
  if (c->status("/", &here) || c->status("/", there) || here.st_ino != there->st_ino || !c->broken(&now, &tm))
    exit(1);
  c->copy(text, "2.5 and more");
  c->move(v, w, sizeof v);
  number = c->number(text, &end);
  c->print(heap, 16, "%s%n", "five", &length);
  c->sort(sorted, 3, sizeof *sorted, by_value);
  printf("%d %g %s %g %s %d %d\n", tm.tm_mday, number, end, v[1], heap, length, sorted[2]);
  number += *mine;
  free(there);
  free(heap);
  free(mine);
  return number;
}

int main(void) {
  double s = 0;
  char *bytes = (char *)A;
  int ends[2];
  static const double values[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  if (calls.pipe(ends) || calls.write(ends[1], values, sizeof values) != sizeof values || calls.read(ends[0], bytes, sizeof A) != sizeof A)
    return 1;
#pragma dvm parallel([i] on A[i]) reduction(sum(s))
  for (int i = 0; i < 8; i++)
    s += A[i];
  printf("%g %g\n", s, all(&calls));
  return 0;
}
