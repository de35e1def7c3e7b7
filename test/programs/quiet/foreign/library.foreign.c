#include <stdlib.h>
struct pair { int first, second; };
struct request { int wanted; struct request *next; double *where; char *text; };
static int *kept;

void foreign_fill(double *where, int n) {
  for (int i = 0; i < n; i++)
    where[i] = i;
}

double *foreign_allocate(int n) {
  double *p = malloc(n * sizeof *p);
  if (!p)
    abort();
  foreign_fill(p, n);
  return p;
}

void foreign_each(int n, void (*call)(int, int *)) {
  for (int k = 0; k < n; k++) {
    int value = k * k;
    call(k, &value);
  }
}

struct pair foreign_pair(int n) {
  struct pair p = {n, n + 1};
  return p;
}

void foreign_keep(int *p) {
  kept = p;
}

void foreign_write_kept(int value) {
  *kept = value;
}

/* Writes before and after it calls back. */
int foreign_integrate(double (*f)(double, void *), double from, double to, int n, void *data, double *result, double terms[]) {
  double sum = 0;
  *result = 0;
  for (int i = 0; i < n; i++) {
    terms[i] = f(from + (i + 0.5) * (to - from) / n, data);
    sum += terms[i];
  }
  *result = sum * (to - from) / n;
  return 0;
}

/* Writes to what pointers in the argument lead to. */
void foreign_serve(struct request *r) {
  for (; r; r = r->next) {
    for (int i = 0; i < r->wanted; i++)
      r->where[i] = 10 * i;
    r->text[0] = 'o';
    r->text[1] = 'k';
    r->text[2] = 0;
  }
}

void *foreign_open(void) { return calloc(1, sizeof(struct request)); }
void foreign_attach(void *handle, double *where, int n) {
  struct request *r = handle;
  r->where = where;
  r->wanted = n;
}
void foreign_run(void *handle) {
  struct request *r = handle;
  for (int i = 0; i < r->wanted; i++)
    r->where[i] = i + 0.5;
  free(handle);
}

void foreign_columns(double **rows, int nrows, int n) {
  for (int i = 0; i < nrows; i++)
    for (int j = 0; j < n; j++)
      rows[i][j] = i * n + j;
}
