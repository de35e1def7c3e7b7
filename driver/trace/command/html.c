#define _GNU_SOURCE
#include "driver/trace/command/html.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/json.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 96, FRAMES = 128, MAPS_MAX = 64 };

/* Cell (row, column) of a frame has the decimal exponent of the greatest relative difference, from 1 (1e-20 and less) to 21 (1 and
 * more); 0: nothing differs. */
struct map {
  char *construct, *variable, *place; /* owned */
  int64_t rows, columns;              /* elements of the array's last two dimensions, all others above each other */
  int64_t cell_rows, cell_columns;    /* elements of a cell */
  unsigned char (*frame)[SIDE][SIDE]; /* owned; [FRAMES] */
};
struct dvmt_html {
  struct map map[MAPS_MAX];
  int nmaps;
  uint64_t width;                     /* executions of constructs in a frame; doubled when the frames are full */
  uint64_t left_out;                  /* differences that no map has room for */
};

struct dvmt_html *dvmt_html_create(void) {
  struct dvmt_html *h = calloc(1, sizeof(*h));
  if (h)
    h->width = 1;
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
  }
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

static struct map *map_of(struct dvmt_html *h, const struct dvmt_spot *s) {
  char place[512] = "outside constructs";
  if (s->construct) {
    struct dvmt_where w = dvmt_site_where(s->construct);
    dvmt_where_text(&w, place, sizeof(place));
  }
  for (int i = 0; i < h->nmaps; i++)
    if (!strcmp(h->map[i].variable, s->variable) && !strcmp(h->map[i].place, place))
      return &h->map[i];
  if (h->nmaps == MAPS_MAX)
    return NULL;
  struct map *m = &h->map[h->nmaps];
  struct dvmt_span kind = s->construct ? dvmt_site_kind(s->construct) : (struct dvmt_span){"", 0};
  *m = (struct map){.variable = strdup(s->variable), .place = strdup(place), .construct = strndup(kind.s, kind.n),
                    .frame = calloc(FRAMES, sizeof(*m->frame))};
  h->nmaps++;
  shape(m, s->object);
  return m->variable && m->place && m->construct && m->frame ? m : NULL;
}

static void widen(struct dvmt_html *h) {
  h->width *= 2;
  for (int i = 0; i < h->nmaps; i++)
    for (int f = 0; f < FRAMES; f++) {
      unsigned char *to = &h->map[i].frame[f / 2][0][0], *from = &h->map[i].frame[f][0][0];
      for (int k = 0; k < SIDE * SIDE; k++) {
        unsigned char v = from[k];
        from[k] = f / 2 == f ? v : 0;
        to[k] = f % 2 ? (v > to[k] ? v : to[k]) : v;
      }
    }
}

void dvmt_html_spot(void *arg, const struct dvmt_spot *s) {
  struct dvmt_html *h = arg;
  if (!s->object)
    return;
  while (s->enters / h->width >= FRAMES)
    widen(h);
  struct map *m = map_of(h, s);
  int64_t element = s->offset / (s->object->element_bytes ? s->object->element_bytes : 1);
  int64_t row = m ? element / m->columns / m->cell_rows : SIDE, column = m ? element % m->columns / m->cell_columns : 0;
  if (row < 0 || row >= SIDE || column < 0) {
    h->left_out++;
    return;
  }
  double exponent = s->relative > 0 ? floor(log10(s->relative)) + 21 : 21;
  unsigned char v = (unsigned char)(exponent < 1 ? 1 : exponent > 21 ? 21 : exponent);
  unsigned char *cell = &m->frame[s->enters / h->width][row][column];
  if (v > *cell)
    *cell = v;
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

static json_t *data_of(const struct dvmt_html *h, const char *title) {
  json_t *maps = json_array();
  for (int i = 0; i < h->nmaps; i++) {
    const struct map *m = &h->map[i];
    json_array_append_new(maps, json_pack("{s:o,s:o,s:o,s:I,s:I,s:I,s:I,s:o}", "variable", text_of(m->variable), "place", text_of(m->place),
                                          "construct", text_of(m->construct), "rows", (json_int_t)m->rows, "columns",
                                          (json_int_t)m->columns, "cellRows", (json_int_t)m->cell_rows, "cellColumns",
                                          (json_int_t)m->cell_columns, "frames", frames_of(m)));
  }
  return json_pack("{s:o,s:I,s:i,s:I,s:o}", "title", text_of(title), "width", (json_int_t)h->width, "frames", FRAMES, "leftOut",
                   (json_int_t)h->left_out, "maps", maps);
}

static const char head[] =
  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>dvm compare</title>\n<style>\n"
  "body{font:15px/1.4 system-ui,sans-serif;margin:1.5em;color:#222;background:#fff}\n"
  "canvas{border:1px solid #999;image-rendering:pixelated;display:block}\n"
  "figure{display:inline-block;margin:0 2em 2em 0;vertical-align:top}\nfigcaption{margin-bottom:.4em}\n"
  "#time{width:60%}\n#said{min-height:1.4em;color:#555}\n</style></head><body>\n"
  "<h1>Elements that differ</h1>\n<p id=\"title\"></p>\n"
  "<p><label for=\"time\">Time</label> <input type=\"range\" id=\"time\" min=\"0\" value=\"0\"> <output id=\"now\"></output></p>\n"
  "<p><label><input type=\"checkbox\" id=\"all\"> all until then</label></p>\n"
  "<p id=\"said\"></p>\n<main id=\"maps\"></main>\n<script id=\"data\" type=\"application/json\">";

static const char tail[] =
  "</script>\n<script>\n"
  "'use strict';\n"
  "const data = JSON.parse(document.getElementById('data').textContent);\n"
  "const time = document.getElementById('time'), all = document.getElementById('all');\n"
  "const last = Math.max(0, ...data.maps.flatMap(m => m.frames.map(f => f[0])));\n"
  "document.getElementById('title').textContent = data.title + (data.leftOut ? ' (' + data.leftOut + ' differences are outside the maps)' : '');\n"
  "time.max = last;\n"
  "time.value = data.maps.length ? Math.min(...data.maps.flatMap(m => m.frames.map(f => f[0]))) : 0;\n"
  "function colour(exponent) { const t = (exponent + 20) / 20; return `hsl(${60 - 60 * t} 90% ${85 - 45 * t}%)`; }\n"
  "function draw(m, canvas) {\n"
  "  const g = canvas.getContext('2d'), scale = canvas.scale, now = Number(time.value);\n"
  "  g.fillStyle = '#f4f4f4'; g.fillRect(0, 0, canvas.width, canvas.height);\n"
  "  const shown = new Set();\n"
  "  for (const [frame, cells] of m.frames) {\n"
  "    if (frame > now || (frame < now && !all.checked)) continue;\n"
  "    for (let i = 0; i < cells.length; i += 3) {\n"
  "      g.fillStyle = colour(cells[i + 2]); shown.add(`${cells[i]} ${cells[i + 1]}`);\n"
  "      g.fillRect(cells[i + 1] * scale, cells[i] * scale, scale, scale);\n"
  "    }\n"
  "  }\n"
  "  return shown.size;\n"
  "}\n"
  "const canvases = data.maps.map(m => {\n"
  "  const figure = document.createElement('figure'), caption = document.createElement('figcaption'), canvas = document.createElement('canvas');\n"
  "  const rows = Math.ceil(m.rows / m.cellRows), columns = Math.ceil(m.columns / m.cellColumns);\n"
  "  canvas.scale = Math.max(2, Math.floor(384 / Math.max(rows, columns)));\n"
  "  canvas.width = columns * canvas.scale; canvas.height = rows * canvas.scale;\n"
  "  caption.textContent = `${m.variable}, ${m.construct} ${m.place}`;\n"
  "  canvas.addEventListener('mousemove', e => {\n"
  "    const i = Math.floor(e.offsetY / canvas.scale) * m.cellRows, j = Math.floor(e.offsetX / canvas.scale) * m.cellColumns;\n"
  "    document.getElementById('said').textContent = `${m.variable}: row ${i}, column ${j}`;\n"
  "  });\n"
  "  figure.append(caption, canvas); document.getElementById('maps').append(figure);\n"
  "  return canvas;\n"
  "});\n"
  "function show() {\n"
  "  const shown = data.maps.reduce((sum, m, k) => sum + draw(m, canvases[k]), 0), from = time.value * data.width;\n"
  "  document.getElementById('now').textContent = `executions of constructs ${from} to ${from + data.width - 1}: ${shown} cells differ`;\n"
  "}\n"
  "time.addEventListener('input', show); all.addEventListener('change', show); show();\n"
  "</script></body></html>\n";

int dvmt_html_write(const struct dvmt_html *h, const char *path, const char *title, struct dvm_error *err) {
  json_t *data = data_of(h, title);
  char *text = data ? json_dumps(data, JSON_COMPACT) : NULL;
  json_decref(data);
  FILE *f = text ? fopen(path, "we") : NULL;
  if (!f) {
    int rc = text ? dvm_error_errno(err, "cannot write '%s'", path) : dvm_error_set(err, -ENOMEM, "out of memory");
    free(text);
    return rc;
  }
  fputs(head, f);
  for (const char *p = text; *p; p++) /* no text of the program's ends the script */
    fputs(*p == '<' ? "\\u003c" : (char[]){*p, 0}, f);
  fputs(tail, f);
  free(text);
  return dvmt_file_close(f, path, err);
}
