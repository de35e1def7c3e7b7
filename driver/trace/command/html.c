#define _GNU_SOURCE
#include "driver/trace/command/html.h"
#include "base/text.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/html_page.h"
#include "driver/trace/command/html_parts.h"
#include "driver/trace/command/json.h"
#include "driver/trace/command/report_file.h"
#include "driver/trace/command/source.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, FRAMES = 128, MAPS_MAX = 64, POINTS = 400 };

struct worst {
  int64_t element;
  double relative, ulps, value, reference; /* relative 0: nothing differs */
};
/* Of the differences in a frame. */
struct norm {
  double most, squares, ulps;
};
struct point {
  uint64_t time;
  double value, reference;
};

/* Cell (row, column) of a frame has the decimal exponent of the greatest relative difference, from 1 (1e-20 and less) to 21 (1 and
 * more); 0: nothing differs. */
struct map {
  char *construct, *variable, *place; /* owned */
  int64_t rows, columns;              /* elements of the array's last two dimensions, all others above each other */
  int64_t cell_rows, cell_columns;    /* elements of a cell */
  unsigned char (*frame)[SIDE][SIDE]; /* owned; [FRAMES] */
  struct worst (*worst)[SIDE];        /* owned; [SIDE]: of each cell the greatest difference */
  int32_t (*owner)[SIDE];             /* owned; [SIDE]: of each cell the rank that has its first element; NULL: not told */
  struct norm norm[FRAMES];
  int64_t extent[DVMT_NDIMS_MAX];
  int ndims;
  struct point *points;               /* owned; of a scalar, [POINTS] */
  int npoints;
  bool sum[FRAMES];                   /* the sum of all elements differs */
  int rank;                           /* whose it is, or -1 */
};
struct dvmt_html {
  struct map map[MAPS_MAX];
  int nmaps;
  uint64_t width;                     /* executions of constructs in a frame; doubled when the frames are full */
  uint64_t left_out;                  /* differences that no map has room for */
  int rank;
  struct dvmt_parts *parts;           /* owned */
};

struct dvmt_html *dvmt_html_create(void) {
  struct dvmt_html *h = calloc(1, sizeof(*h));
  if (h) {
    h->width = 1;
    h->rank = -1;
    h->parts = dvmt_parts_create();
  }
  return h;
}

void dvmt_html_destroy(struct dvmt_html *h) {
  if (!h)
    return;
  for (int i = 0; i < h->nmaps; i++) {
    free(h->map[i].construct);
    free(h->map[i].variable);
    free(h->map[i].place);
    free(h->map[i].frame);
    free(h->map[i].worst);
    free(h->map[i].points);
    free(h->map[i].owner);
  }
  dvmt_parts_destroy(h->parts);
  free(h);
}

static void shape(struct map *m, const struct dvmt_object_def *o) {
  m->rows = m->columns = 1;
  if (o->ndims)
    m->columns = o->extent[o->ndims - 1] > 0 ? o->extent[o->ndims - 1] : 1024;
  for (int d = 0; d + 1 < o->ndims; d++)
    m->rows *= o->extent[d] > 0 ? o->extent[d] : 1024;
  if (o->ndims == 1 && m->columns > SIDE) { /* a long row, folded */
    m->rows = (m->columns + SIDE - 1) / SIDE;
    m->columns = SIDE;
  }
  m->cell_rows = (m->rows + SIDE - 1) / SIDE;
  m->cell_columns = (m->columns + SIDE - 1) / SIDE;
}

static struct map *map_of(struct dvmt_html *h, const struct dvmt_spot *s, const struct dvmt_object_def *object) {
  char place[512] = "outside constructs";
  if (s->construct) {
    struct dvmt_where w = dvmt_site_where(s->construct);
    dvmt_where_text(&w, place, sizeof(place));
  }
  for (int i = 0; i < h->nmaps; i++)
    if (!strcmp(h->map[i].variable, s->variable) && !strcmp(h->map[i].place, place) && h->map[i].rank == h->rank)
      return &h->map[i];
  if (h->nmaps == MAPS_MAX)
    return NULL;
  struct map *m = &h->map[h->nmaps];
  struct dvmt_span kind = s->construct ? dvmt_site_kind(s->construct) : (struct dvmt_span){"", 0};
  *m = (struct map){.variable = strdup(s->variable),
                    .place = strdup(place),
                    .construct = strndup(kind.s, kind.n),
                    .frame = calloc(FRAMES, sizeof(*m->frame)),
                    .worst = calloc(SIDE, sizeof(*m->worst)),
                    .points = calloc(POINTS, sizeof(*m->points)),
                    .ndims = object->ndims,
                    .rank = h->rank};
  memcpy(m->extent, object->extent, sizeof(m->extent));
  h->nmaps++;
  shape(m, object);
  return m->variable && m->place && m->construct && m->frame && m->worst && m->points ? m : NULL;
}

static void widen(struct dvmt_html *h) {
  h->width *= 2;
  for (int i = 0; i < h->nmaps; i++)
    for (int f = 0; f < FRAMES; f++) {
      struct norm *sum = &h->map[i].norm[f / 2], own = h->map[i].norm[f];
      h->map[i].norm[f] = f / 2 == f ? own : (struct norm){0, 0, 0};
      *sum = f % 2 ? (struct norm){fmax(sum->most, own.most), sum->squares + own.squares, fmax(sum->ulps, own.ulps)} : own;
      bool differs = h->map[i].sum[f];
      h->map[i].sum[f] = f / 2 == f && differs;
      h->map[i].sum[f / 2] |= differs;
      unsigned char *to = &h->map[i].frame[f / 2][0][0], *from = &h->map[i].frame[f][0][0];
      for (int k = 0; k < SIDE * SIDE; k++) {
        unsigned char v = from[k];
        from[k] = f / 2 == f ? v : 0;
        to[k] = f % 2 ? (v > to[k] ? v : to[k]) : v;
      }
    }
}

static void note_numbers(const struct dvmt_html *h, struct map *m, const struct dvmt_spot *s, int64_t element, struct worst *w) {
  struct norm *norm = &m->norm[s->enters / h->width];
  double absolute = isfinite(s->absolute) ? s->absolute : 0;
  norm->most = fmax(norm->most, absolute);
  norm->squares += absolute * absolute;
  norm->ulps = fmax(norm->ulps, isfinite(s->ulps) ? s->ulps : 0);
  if (!(w->relative > 0) || s->relative > w->relative)
    *w = (struct worst){element, s->relative > 0 ? s->relative : 1e-300, s->ulps, s->value, s->reference};
  if (!m->ndims && m->npoints < POINTS)
    m->points[m->npoints++] = (struct point){s->enters, s->value, s->reference};
}

/* Of an array whose sum differs, who has which part of it. */
static void note_sum(struct dvmt_html *h, const struct dvmt_spot *s) {
  struct map *m = map_of(h, s, s->array);
  if (!m)
    return;
  m->sum[s->enters / h->width] = true;
  if (m->owner || !h->parts || !m->ndims || !(m->owner = calloc(SIDE, sizeof(*m->owner))))
    return;
  for (int row = 0; row < SIDE; row++)
    for (int column = 0; column < SIDE; column++) {
      int64_t rest = row * m->cell_rows * m->columns + column * m->cell_columns, index[DVMT_NDIMS_MAX] = {0};
      for (int d = m->ndims; d-- > 0;) {
        int64_t n = m->extent[d] > 0 ? m->extent[d] : 1024;
        index[d] = d ? rest % n : rest;
        rest /= n;
      }
      m->owner[row][column] = column * m->cell_columns < m->columns ? dvmt_parts_owner(h->parts, s->variable, index, m->ndims) : -1;
    }
}

void dvmt_html_part(struct dvmt_html *h, const char *variable, size_t rank, const char *own, size_t n) {
  if (h->parts)
    dvmt_parts_note(h->parts, variable, rank, own, n);
}

void dvmt_html_rank(struct dvmt_html *h, int rank) { h->rank = rank; }

void dvmt_html_spot(void *arg, const struct dvmt_spot *s) {
  struct dvmt_html *h = arg;
  if (!s->object && !s->array)
    return;
  while (s->enters / h->width >= FRAMES)
    widen(h);
  if (!s->object) {
    note_sum(h, s);
    return;
  }
  struct map *m = map_of(h, s, s->object);
  int64_t element = s->offset / (s->object->element_bytes ? s->object->element_bytes : 1);
  int64_t row = m ? element / m->columns / m->cell_rows : SIDE, column = m ? element % m->columns / m->cell_columns : 0;
  if (row < 0 || row >= SIDE || column < 0) {
    h->left_out++;
    return;
  }
  note_numbers(h, m, s, element, &m->worst[row][column]);
  double exponent = s->relative > 0 ? floor(log10(s->relative)) + 21 : 21;
  unsigned char v = (unsigned char)(exponent < 1 ? 1 : exponent > 21 ? 21 : exponent);
  unsigned char *cell = &m->frame[s->enters / h->width][row][column];
  if (v > *cell)
    *cell = v;
}

void dvmt_html_owners(struct dvmt_html *h, const char *variable, const int32_t *owner, uint64_t n) {
  for (int i = 0; i < h->nmaps; i++) {
    struct map *m = &h->map[i];
    if (strcmp(m->variable, variable) || m->owner || !(m->owner = calloc(SIDE, sizeof(*m->owner))))
      continue;
    for (int row = 0; row < SIDE; row++)
      for (int column = 0; column < SIDE; column++) {
        uint64_t element = (uint64_t)(row * m->cell_rows * m->columns + column * m->cell_columns);
        m->owner[row][column] = column * m->cell_columns < m->columns && element < n ? owner[element] : -1;
      }
  }
}

/* ---- the page -------------------------------------------------------------------------------------------------------------- */

static json_t *text_of(const char *s) { return s ? dvmt_json_text(s, strlen(s)) : json_string("?"); }

/* [frame, [row, column, exponent, ..]] for the frames that have something. */
static json_t *frames_of(const struct map *m) {
  json_t *all = json_array();
  for (int f = 0; f < FRAMES; f++) {
    json_t *cells = json_array();
    for (int i = 0; i < SIDE; i++)
      for (int k = 0; k < SIDE; k++)
        if (m->frame[f][i][k]) {
          json_array_append_new(cells, json_integer(i));
          json_array_append_new(cells, json_integer(k));
          json_array_append_new(cells, json_integer(m->frame[f][i][k] - 21));
        }
    if (json_array_size(cells))
      json_array_append_new(all, json_pack("[i,o]", f, cells));
    else
      json_decref(cells);
  }
  return all;
}

/* A number of JSON, or null for what is none. */
static json_t *number(double v) { return isfinite(v) ? json_real(v) : json_string(isnan(v) ? "NaN" : v > 0 ? "inf" : "-inf"); }

/* [row, column, element, value, reference, relative, ulps], .. */
static json_t *cells_of(const struct map *m) {
  json_t *all = json_array();
  for (int i = 0; i < SIDE; i++)
    for (int k = 0; k < SIDE; k++)
      if (m->worst[i][k].relative > 0) {
        const struct worst *w = &m->worst[i][k];
        json_array_append_new(all, json_pack("[i,i,I,o,o,o,o]", i, k, (json_int_t)w->element, number(w->value), number(w->reference),
                                             number(w->relative), number(w->ulps)));
      }
  return all;
}

/* Of each cell, row by row; nothing where it is not told. */
static json_t *owners_of(const struct map *m) {
  json_t *all = json_array();
  int64_t rows = (m->rows + m->cell_rows - 1) / m->cell_rows, columns = (m->columns + m->cell_columns - 1) / m->cell_columns;
  for (int64_t i = 0; m->owner && i < rows && i < SIDE; i++)
    for (int64_t k = 0; k < columns && k < SIDE; k++)
      json_array_append_new(all, json_integer(m->owner[i][k]));
  return all;
}

/* Frames in which the sum differs. */
static json_t *sums_of(const struct map *m) {
  json_t *all = json_array();
  for (int f = 0; f < FRAMES; f++)
    if (m->sum[f])
      json_array_append_new(all, json_integer(f));
  return all;
}

static json_t *norms_of(const struct map *m) {
  json_t *all = json_array();
  for (int f = 0; f < FRAMES; f++)
    if (m->norm[f].most > 0)
      json_array_append_new(all,
                            json_pack("[i,o,o,o]", f, number(m->norm[f].most), number(sqrt(m->norm[f].squares)), number(m->norm[f].ulps)));
  return all;
}

static json_t *points_of(const struct map *m) {
  json_t *all = json_array();
  for (int i = 0; i < m->npoints; i++)
    json_array_append_new(all,
                          json_pack("[I,o,o]", (json_int_t)m->points[i].time, number(m->points[i].value), number(m->points[i].reference)));
  return all;
}

static json_t *extents_of(const struct map *m) {
  json_t *all = json_array();
  for (int d = 0; d < m->ndims; d++)
    json_array_append_new(all, json_integer(m->extent[d]));
  return all;
}

static json_t *finding_of(const struct dvmt_finding *f, int rank) {
  char place[512] = "", who[32] = "";
  if (rank >= 0)
    snprintf(who, sizeof(who), "rank %d: ", rank);
  struct dvmt_where w = f->text ? dvmt_site_where(f->text) : (struct dvmt_where){{NULL, 0}, 0, 0};
  if (w.file.s)
    dvmt_where_text(&w, place, sizeof(place));
  char *line = w.file.s ? dvmt_source_line(&w) : NULL;
  json_t *j = json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "who", who, "id", dvmt_finding_name(f->id), "severity",
                        dvmt_finding_severity(f), "place", text_of(place), "message", text_of(f->message), "iteration",
                        text_of(f->iteration), "source", text_of(line ? line : ""), "line", (json_int_t)w.line, "column",
                        (json_int_t)w.column, "execution", (json_int_t)f->execution, "count", (json_int_t)f->count, "record",
                        (json_int_t)(f->doubt || !f->record ? -1 : (int64_t)f->record - 1), "calls", text_of(f->calls ? f->calls : ""),
                        "note", text_of(f->note ? f->note : ""));
  free(line);
  return j;
}

/* "mpirun -n 4 ./prog, compared with ref.dvmt" */
static json_t *title_of(const struct dvmt_html_of *of) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (char *const *word = of->run; *word; word++) {
    dvm_text_add(&t, word == of->run ? "" : " ");
    (**word && !strpbrk(*word, " \t\n'\"") ? dvm_text_add : dvm_text_add_shell_word)(&t, *word);
  }
  dvm_text_add(&t, ", compared with ");
  dvm_text_add(&t, of->reference);
  json_t *j = text_of(t.s);
  dvm_text_fini(&t);
  return j;
}

static json_t *data_of(const struct dvmt_html *h, const struct dvmt_compare *const *c, size_t n, const struct dvmt_html_of *of) {
  json_t *maps = json_array(), *findings = json_array();
  for (size_t r = 0; r < n; r++)
    for (size_t i = 0; c[r] && i < dvmt_compare_nfindings(c[r]); i++)
      json_array_append_new(findings, finding_of(dvmt_compare_finding(c[r], i), h->rank < 0 ? -1 : (int)r));
  for (int i = 0; i < h->nmaps; i++) {
    const struct map *m = &h->map[i];
    json_array_append_new(maps,
                          json_pack("{s:i,s:o,s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "rank", m->rank, "sums", sums_of(m),
                                    "variable", text_of(m->variable), "place", text_of(m->place), "construct", text_of(m->construct),
                                    "rows", (json_int_t)m->rows, "columns", (json_int_t)m->columns, "cellRows", (json_int_t)m->cell_rows,
                                    "cellColumns", (json_int_t)m->cell_columns, "frames", frames_of(m), "cells", cells_of(m), "norms",
                                    norms_of(m), "points", points_of(m), "extents", extents_of(m), "owners", owners_of(m)));
  }
  return json_pack("{s:o,s:o,s:o,s:I,s:i,s:I,s:o}", "findings", findings, "closing", text_of(of->closing), "title", title_of(of), "width",
                   (json_int_t)h->width, "frames", FRAMES, "leftOut", (json_int_t)h->left_out, "maps", maps);
}

int dvmt_html_write(const struct dvmt_html *h, const struct dvmt_compare *const *c, size_t n, const struct dvmt_html_of *of,
                    const char *path, struct dvm_error *err) {
  json_t *data = data_of(h, c, n, of);
  char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
  json_decref(data);
  FILE *f = text ? fopen(path, "we") : NULL;
  if (!f) {
    int rc = text ? dvm_error_errno(err, "cannot write '%s'", path) : dvm_error_set(err, -ENOMEM, "out of memory");
    free(text);
    return rc;
  }
  fputs(dvmt_html_head, f);
  for (const char *p = text; *p; p++) /* no text of the program's ends the script */
    fputs(*p == '<' ? "\\u003c" : (char[]){*p, 0}, f);
  fputs(dvmt_html_tail, f);
  free(text);
  return dvmt_file_close(f, path, err);
}
