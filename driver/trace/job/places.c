/* The run's constructs are the texts of its sites, which lie in the files of the program and its shared libraries.  Both lists of a source file are laid side by side as 'diff' does
 * with lines; of as many pairs those that have moved least. */
#include "driver/trace/job/places.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CELLS_MAX = 1 << 22 };

static bool is_parallel(void *arg, const char *path) {
  (void)arg;
  struct dvmt_object_file f = dvmt_object_file_open(path);
  bool found = dvmt_object_file_holds(&f, "libdvmpar.so");
  dvmt_object_file_close(&f);
  return found;
}

const char *dvmt_job_program(char *const *command, char *buf, size_t size) {
  return dvmt_object_file_find(command, NULL, is_parallel, NULL, buf, size);
}

/* ---- constructs ------------------------------------------------------------------------------------------------------------------ */

struct construct {
  char *token; /* what must be alike: index variables and reductions; owned */
  struct dvmt_span file; /* without folders */
  unsigned line, column;
  size_t number; /* in the order they were added */
};
struct list {
  struct construct *row; /* owned */
  size_t n;
};
struct dvmt_job_places {
  struct dvmt_object_file *files; /* owned: the program, its libraries */
  struct stat *known; /* owned; of the files */
  size_t nfiles;
  struct list run, reference;
  struct dvmt_where *found; /* owned; [reference.n] once they are paired */
};

/* Names of the index variables and of what is reduced; addresses and sizes belong to one way to compile. */
static bool add_field(void *arg, char key, struct dvmt_span rest) {
  FILE *f = arg;
  if (key == DVMRT_DIRECTIVE_NAMES)
    fprintf(f, "%.*s;", (int)rest.n, rest.s);
  else if (key == DVMRT_DIRECTIVE_REDUCTION) {
    struct dvmt_span op = dvmt_text_field(&rest), name = dvmt_text_field(&rest);
    fprintf(f, "%.*s(%.*s);", (int)op.n, op.s, (int)name.n, name.s);
  }
  return true;
}

static bool add(struct list *l, const char *text, struct dvmt_span file) {
  struct construct *rows = realloc(l->row, (l->n + 1) * sizeof(*rows));
  struct dvmt_where w = dvmt_site_where(text);
  char *token = NULL;
  size_t n;
  if (!rows)
    return false;
  l->row = rows;
  FILE *f = open_memstream(&token, &n);
  if (!f)
    return false;
  dvmt_text_lines(text, add_field, f);
  if (fclose(f) || !token)
    return false;
  rows[l->n] = (struct construct){token, dvmt_span_base(file), w.line, w.column, l->n};
  l->n++;
  return true;
}

static void destroy_list(struct list *l) {
  for (size_t i = 0; i < l->n; i++)
    free(l->row[i].token);
  free(l->row);
}

static bool is_known(const struct dvmt_job_places *p, const struct stat *st) {
  for (size_t i = 0; i < p->nfiles; i++)
    if (p->known[i].st_dev == st->st_dev && p->known[i].st_ino == st->st_ino)
      return true;
  return false;
}

static bool read_file(void *arg, const char *path) {
  static const char begin[] = "K parallel";
  struct dvmt_job_places *p = arg;
  struct stat st;
  if (stat(path, &st) || is_known(p, &st))
    return true;
  struct dvmt_object_file *rows = realloc(p->files, (p->nfiles + 1) * sizeof(*rows));
  if (rows)
    p->files = rows;
  struct stat *known = realloc(p->known, (p->nfiles + 1) * sizeof(*known));
  if (known)
    p->known = known;
  if (!rows || !known)
    return false;
  known[p->nfiles] = st;
  rows[p->nfiles] = dvmt_object_file_open(path);
  const char *at = rows[p->nfiles].bytes, *end = at + rows[p->nfiles].n;
  bool fine = true;
  p->nfiles++;
  while (fine && at && (at = memmem(at, (size_t)(end - at), begin, strlen(begin)))) {
    const char *text = at, *zero = memchr(at, 0, (size_t)(end - at));
    at++;
    if (zero && memmem(text, (size_t)(zero - text), "\nP ", 3) && dvmt_site_where(text).file.s && dvmt_site_where(text).line)
      fine = add(&p->run, text, dvmt_site_where(text).file);
  }
  return fine;
}

/* One that is loaded while the program runs, if it is compiled as the program is; such a library need not be linked with ours. */
static bool read_plugin(void *arg, const char *path) {
  struct dvmt_object_file f = dvmt_object_file_open(path);
  bool is = dvmt_object_file_holds(&f, "__dvmp_enter");
  dvmt_object_file_close(&f);
  return !is || read_file(arg, path);
}

static bool read_plugins(struct dvmt_job_places *p, const char *program, char *const *command) {
  bool fine = true;
  for (; fine && *command; command++)
    fine = !strchr(*command, '/') || read_plugin(p, *command);
  for (size_t i = 0, n = p->nfiles; fine && i < n; i++) {
    const struct dvmt_object_file file = p->files[i]; /* others are added */
    fine = dvmt_object_file_named(&file, program, read_plugin, p);
  }
  return fine;
}

struct dvmt_job_places *dvmt_job_places_read(const char *program, char *const *command) {
  struct dvmt_job_places *p = calloc(1, sizeof(*p));
  if (p && read_file(p, program) && dvmt_object_file_libraries(program, read_file, p) && read_plugins(p, program, command) && p->run.n)
    return p;
  dvmt_job_places_destroy(p);
  return NULL;
}

struct dvmt_job_places *dvmt_job_places_read_file(const char *path) {
  struct dvmt_job_places *p = calloc(1, sizeof(*p));
  if (p && read_file(p, path) && p->run.n)
    return p;
  dvmt_job_places_destroy(p);
  return NULL;
}

void dvmt_job_places_destroy(struct dvmt_job_places *p) {
  if (!p)
    return;
  destroy_list(&p->run);
  destroy_list(&p->reference);
  for (size_t i = 0; i < p->nfiles; i++)
    dvmt_object_file_close(&p->files[i]);
  free(p->files);
  free(p->known);
  free(p->found);
  free(p);
}

bool dvmt_job_places_add(struct dvmt_job_places *p, const char *text, struct dvmt_span file) { return add(&p->reference, text, file); }

bool dvmt_job_places_know(const struct dvmt_job_places *p, struct dvmt_span file) {
  const struct dvmt_span base = dvmt_span_base(file);
  for (size_t i = 0; i < p->run.n; i++)
    if (p->run.row[i].file.n == base.n && !memcmp(p->run.row[i].file.s, base.s, base.n))
      return true;
  return false;
}

/* ---- pairs ----------------------------------------------------------------------------------------------------------------------- */

static int by_file(const struct construct *x, const struct construct *y) {
  size_t n = x->file.n < y->file.n ? x->file.n : y->file.n;
  int d = n ? memcmp(x->file.s, y->file.s, n) : 0;
  return d ? d : (x->file.n > y->file.n) - (x->file.n < y->file.n);
}

static int by_place(const void *a, const void *b) {
  const struct construct *x = a, *y = b;
  int d = by_file(x, y);
  if (!d)
    d = (x->line > y->line) - (x->line < y->line);
  return d ? d : (x->column > y->column) - (x->column < y->column);
}

/* Of pairs behind two constructs: how many, and how many lines they have moved. */
struct cell {
  uint32_t pairs;
  uint64_t moved;
};
static bool is_better(struct cell x, struct cell y) { return x.pairs > y.pairs || (x.pairs == y.pairs && x.moved < y.moved); }

static struct cell with_pair(struct cell behind, const struct construct *a, const struct construct *b) {
  return (struct cell){behind.pairs + 1, behind.moved + (a->line > b->line ? a->line - b->line : b->line - a->line)};
}

/* The n constructs of a file at 'a', and the m of the run at 'b'. */
static void pair_up(struct dvmt_job_places *p, const struct construct *a, size_t n, const struct construct *b, size_t m) {
  struct cell *cell = n < CELLS_MAX / (m + 1) ? calloc((n + 1) * (m + 1), sizeof(*cell)) : NULL;
  for (size_t i = n; cell && i-- > 0;)
    for (size_t j = m; j-- > 0;) {
      struct cell *at = &cell[i * (m + 1) + j];
      *at = is_better(at[m + 1], at[1]) ? at[m + 1] : at[1];
      struct cell both = with_pair(at[m + 2], &a[i], &b[j]);
      if (!strcmp(a[i].token, b[j].token) && is_better(both, *at))
        *at = both;
    }
  for (size_t i = 0, j = 0; cell && i < n && j < m;) {
    const struct cell *at = &cell[i * (m + 1) + j];
    if (!is_better(*at, at[m + 1]) && !is_better(at[m + 1], *at))
      i++;
    else if (!is_better(*at, at[1]) && !is_better(at[1], *at))
      j++;
    else {
      p->found[a[i].number] = (struct dvmt_where){b[j].file, b[j].line, b[j].column};
      i++, j++;
    }
  }
  free(cell);
}

static size_t end_of_file(const struct list *l, size_t i) {
  size_t end = i;
  while (end < l->n && !by_file(&l->row[i], &l->row[end]))
    end++;
  return end;
}

static void pair_all(struct dvmt_job_places *p) {
  qsort(p->run.row, p->run.n, sizeof(*p->run.row), by_place);
  qsort(p->reference.row, p->reference.n, sizeof(*p->reference.row), by_place);
  for (size_t i = 0, end; i < p->reference.n; i = end) {
    size_t j = 0;
    end = end_of_file(&p->reference, i);
    while (j < p->run.n && by_file(&p->reference.row[i], &p->run.row[j]))
      j++;
    pair_up(p, p->reference.row + i, end - i, p->run.row + j, end_of_file(&p->run, j) - j);
  }
}

struct dvmt_where dvmt_job_places_of(struct dvmt_job_places *p, size_t n) {
  const struct dvmt_where nowhere = {{NULL, 0}, 0, 0};
  if (!p->found && p->reference.n && (p->found = calloc(p->reference.n, sizeof(*p->found))))
    pair_all(p);
  return p->found && n < p->reference.n ? p->found[n] : nowhere;
}
