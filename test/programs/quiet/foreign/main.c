/* A library that our compiler never saw assigns through pointers, allocates, and calls back. */
#include <stdio.h>
#include <stdlib.h>

void foreign_fill(double *where, int n);
double *foreign_allocate(int n);
void foreign_each(int n, void (*call)(int, int *));
struct pair { int first, second; };
struct pair foreign_pair(int n);
void foreign_keep(int *p);
void foreign_write_kept(int value);

struct request { int wanted; struct request *next; double *where; char *text; };
int foreign_integrate(double (*f)(double, void *), double from, double to, int n, void *data, double *result, double terms[]);
void foreign_serve(struct request *r);
void *foreign_open(void);
void foreign_attach(void *handle, double *where, int n);
void foreign_run(void *handle);
void foreign_columns(double **rows, int nrows, int n);

static int seen[4];
static struct request first;

static void note(int k, int *value) {
  seen[k] = *value;
}

static double scaled(double x) {
  return 2 * x;
}

/* Calls other foreign code and our own while it is called back. */
static double square(double x, void *data) {
  int *calls = data;
  double here[1];
  foreign_fill(here, 1);
  ++*calls;
  return x * scaled(x) / 2 + here[0];
}

static double integral(double *first_term) {
  double result, *terms = malloc(100 * sizeof *terms), t;
  int calls = 0;
  if (!terms || foreign_integrate(square, 0, 3, 100, &calls, &result, terms))
    exit(1);
  *first_term = terms[0] * 1e4;
  t = terms[99];
  free(terms);
  return result + calls * 0 + (t > 9);
}

static double served(void) {
  double a[3], *b = malloc(3 * sizeof *b), c[4];
  char word[8], other[8];
  struct request *second = malloc(sizeof *second);
  if (!b || !second)
    exit(1);
  first.wanted = second->wanted = 3;
  first.next = second;
  first.where = a;
  first.text = word;
  second->next = NULL;
  second->where = b;
  second->text = other;
  foreign_serve(&first);
  printf("%s %s\n", word, other);
  void *handle = foreign_open();
  foreign_attach(handle, c, 4);
  foreign_run(handle);
  double sum = a[1] + b[2] + c[3];
  free(b);
  free(second);
  return sum;
}

static double columns(void) {
  double *rows[5], sum = 0, **heap = malloc(5 * sizeof *heap);
  if (!heap)
    exit(1);
  for (int i = 0; i < 5; i++) {
    rows[i] = malloc(6 * sizeof **rows);
    heap[i] = malloc(6 * sizeof **rows);
    if (!rows[i] || !heap[i])
      exit(1);
  }
  foreign_columns(rows, 5, 6);
  foreign_columns(heap, 5, 6);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 6; j++)
      sum += rows[i][j] * heap[i][j];
  return sum;
}

int main(void) {
  double term;
  printf("%.6f ", integral(&term));
  printf("%.3f %g %g\n", term, served(), columns());
  double v[5], *w = foreign_allocate(5), sum = 0;
  int kept[2];
  foreign_fill(v, 5);
  foreign_each(4, note);
  foreign_keep(&kept[1]);
  kept[0] = 1;
  foreign_write_kept(41);
  struct pair p = foreign_pair(3);
#pragma dvm parallel(1) reduction(sum(sum))
  for (int i = 0; i < 5; i++)
    sum += v[i] * w[i];
  printf("%g %d %d %d\n", sum, seen[3], p.first + p.second, kept[0] + kept[1]);
  free(w);
  return 0;
}
