#include "driver/trace/job/elements.h"
#include "runtime/trace/elements.h"
#include "runtime/trace/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct images_span {
  int64_t low, high;
};
/* Of one index variable. */
struct images_axis {
  bool all;
  struct images_span *span;     /* owned */
  size_t n;
};
/* Iterations of one rank. */
struct images_part {
  bool told, none, all, again;
  struct images_axis axis[DVMT_NDIMS_MAX];
  int naxes;
};
/* An array that a rank has declared. */
struct images_kind {
  char *name; /* owned */
  char kind;
};
/* An iteration that a rank has executed. */
struct images_ran {
  int64_t index[DVMT_NDIMS_MAX];
  int32_t rank;
  bool met;                     /* the reference has it */
};
struct dvmt_images {
  struct dvmt_image *image;     /* owned, as the parts */
  size_t n;
  struct images_part *part;     /* by rank */
  size_t nranks;
  struct images_ran *ran;       /* owned; sorted when all ranks are read */
  size_t nran, ran_room;
  struct images_kind *kinds;    /* owned; of all executions */
  size_t nkinds;
};

static int out_of_memory(struct dvm_error *err) { return dvm_error_set(err, -ENOMEM, "out of memory"); }

static int by_index(const void *a, const void *b) {
  const struct images_ran *x = a, *y = b;
  int order = 0;
  for (int k = 0; k < DVMT_NDIMS_MAX && !order; k++)
    order = (x->index[k] > y->index[k]) - (x->index[k] < y->index[k]);
  return order ? order : (x->rank > y->rank) - (x->rank < y->rank);
}

void dvmt_images_clear(struct dvmt_images *m) {
  for (size_t i = 0; i < m->n; i++) {
    free((char *)m->image[i].def.name);
    free(m->image[i].before);
    free(m->image[i].after);
    free(m->image[i].owner);
  }
  for (size_t r = 0; r < m->nranks; r++) {
    for (int k = 0; k < DVMT_NDIMS_MAX; k++)
      free(m->part[r].axis[k].span);
    m->part[r] = (struct images_part){.told = false};
  }
  m->n = m->nran = 0;
}

void dvmt_images_destroy(struct dvmt_images *m) {
  if (!m)
    return;
  dvmt_images_clear(m);
  for (size_t i = 0; i < m->nkinds; i++)
    free(m->kinds[i].name);
  free(m->kinds);
  free(m->image);
  free(m->part);
  free(m->ran);
  free(m);
}

struct dvmt_images *dvmt_images_create(size_t nranks) {
  struct dvmt_images *m = calloc(1, sizeof(*m));
  if (m && !(m->part = calloc(nranks + 1, sizeof(*m->part)))) {
    free(m);
    return NULL;
  }
  if (m)
    m->nranks = nranks;
  return m;
}

void dvmt_images_settle(struct dvmt_images *m) {
  if (m->nran)
    qsort(m->ran, m->nran, sizeof(*m->ran), by_index);
}

struct dvmt_image *dvmt_images_of(const struct dvmt_images *m, const char *name) {
  for (size_t i = 0; i < m->n; i++)
    if (!strcmp(m->image[i].def.name, name))
      return &m->image[i];
  return NULL;
}

struct dvmt_image *dvmt_images_at(const struct dvmt_images *m, size_t i) { return i < m->n ? &m->image[i] : NULL; }

bool dvmt_images_told(const struct dvmt_images *m) { return m->nranks && m->part[0].told; }

/* ---- iterations ------------------------------------------------------------------------------------------------------------------- */

static int read_spans(struct images_axis *a, struct dvmt_span text) {
  a->all = dvmt_span_is(text, "*");
  for (const char *at = text.s, *end = text.s + text.n; !a->all && at < end;) {
    char *after;
    struct images_span *rows = realloc(a->span, (a->n + 1) * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    a->span = rows;
    rows[a->n].low = strtoll(at, &after, 10);
    if (after == at || strncmp(after, "..", 2))
      return -EBADMSG;
    rows[a->n++].high = strtoll(at = after + 2, &after, 10);
    if (after == at || (after < end && *after != ','))
      return -EBADMSG;
    at = after + 1;
  }
  return 0;
}

static int read_iterations(struct images_part *p, const char *text) {
  struct dvmt_span line = dvmt_text_line(text, DVMRT_ACCESS_TEXT), kind = dvmt_text_field(&line), counted = dvmt_text_field(&line);
  int rc = 0;
  if (!kind.s || !counted.s || p->told)
    return p->told ? 0 : -EBADMSG;
  p->told = true;
  p->none = dvmt_span_is(kind, "none");
  p->all = dvmt_span_is(kind, "all");
  p->again = dvmt_span_is(counted, "again");
  while (!rc && line.n && p->naxes < DVMT_NDIMS_MAX) {
    dvmt_text_field(&line); /* its name */
    rc = read_spans(&p->axis[p->naxes++], dvmt_text_field(&line));
  }
  return rc;
}

static bool executes(const struct images_part *p, const int64_t *index, uint32_t n) {
  bool all = !p->none;
  for (int k = 0; k < p->naxes && k < (int)n && all; k++) {
    const struct images_axis *a = &p->axis[k];
    bool in = a->all;
    for (size_t i = 0; i < a->n && !in; i++)
      in = a->span[i].low <= index[k] && index[k] <= a->span[i].high;
    all = in;
  }
  return all;
}

static int take_ran(struct dvmt_images *m, const struct dvmt_record *rec, int32_t rank) {
  if (m->nran == m->ran_room) {
    size_t room = m->ran_room ? 2 * m->ran_room : 1024;
    struct images_ran *rows = realloc(m->ran, room * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    m->ran = rows;
    m->ran_room = room;
  }
  struct images_ran *r = &m->ran[m->nran++];
  *r = (struct images_ran){.rank = rank};
  memcpy(r->index, rec->words, (rec->nwords < DVMT_NDIMS_MAX ? rec->nwords : DVMT_NDIMS_MAX) * sizeof(*r->index));
  return 0;
}

/* Of those that have been told one by one. */
static int executors_told(struct dvmt_images *m, const int64_t *index, uint32_t n, int32_t rank[2]) {
  struct images_ran wanted = {.rank = -1};
  size_t low = 0, high = m->nran;
  int found = 0;
  memcpy(wanted.index, index, (n < DVMT_NDIMS_MAX ? n : DVMT_NDIMS_MAX) * sizeof(*index));
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    if (by_index(&m->ran[mid], &wanted) < 0)
      low = mid + 1;
    else
      high = mid;
  }
  for (; low < m->nran && !memcmp(m->ran[low].index, wanted.index, sizeof(wanted.index)); low++) {
    const struct images_part *p = &m->part[m->ran[low].rank];
    bool first = !m->ran[low].met;
    m->ran[low].met = true;
    if (!first || p->again || (p->all && m->ran[low].rank)) /* by each of them, as the directive says */
      continue;
    if (found < 2)
      rank[found] = m->ran[low].rank;
    found++;
  }
  return found;
}

const int64_t *dvmt_images_stray(const struct dvmt_images *m, int32_t *rank) {
  for (size_t i = 0; i < m->nran; i++)
    if (!m->ran[i].met) {
      *rank = m->ran[i].rank;
      return m->ran[i].index;
    }
  return NULL;
}

int dvmt_images_executors(struct dvmt_images *m, const int64_t *index, uint32_t n, int32_t rank[2]) {
  int found = 0;
  if (m->nran)
    return executors_told(m, index, n, rank);
  for (size_t r = 0; r < m->nranks; r++)
    if (!m->part[r].again && executes(&m->part[r], index, n)) {
      if (found < 2)
        rank[found] = (int32_t)r;
      found++;
      if (m->part[r].all) /* by each of them, as the directive says */
        break;
    }
  return found;
}

/* ---- kinds of elements -------------------------------------------------------------------------------------------------------------- */

static bool is_declaration(struct dvmt_span kind) { return dvmt_span_is(dvmt_text_field(&kind), "array"); }

/* The latest that a name had counts. */
static int take_kind(struct dvmt_images *m, const char *text, const struct dvmt_record *rec) {
  struct dvmt_array_ref ref;
  size_t i = 0;
  if (!dvmt_text_array(text, (const int64_t *)rec->words, rec->nwords, &ref))
    return 0;
  while (i < m->nkinds && !dvmt_span_is(ref.name, m->kinds[i].name))
    i++;
  if (i == m->nkinds) {
    struct images_kind *rows = realloc(m->kinds, (m->nkinds + 1) * sizeof(*rows));
    char *name = strndup(ref.name.s, ref.name.n);
    m->kinds = rows ? rows : m->kinds;
    if (!rows || !name) {
      free(name);
      return -ENOMEM;
    }
    m->kinds[m->nkinds++].name = name;
  }
  m->kinds[i].kind = ref.kind;
  return 0;
}

static char kind_of(const struct dvmt_images *m, const char *name) {
  for (size_t i = 0; i < m->nkinds; i++)
    if (!strcmp(m->kinds[i].name, name))
      return m->kinds[i].kind;
  return 'o';
}

/* ---- elements --------------------------------------------------------------------------------------------------------------------- */

static struct dvmt_image *image_of(struct dvmt_images *m, const struct dvmt_object_def *def) {
  struct dvmt_image *image = dvmt_images_of(m, def->name), *rows;
  uint64_t bytes = def->element_bytes;
  if (image)
    return image;
  for (int d = 0; d < def->ndims; d++)
    bytes *= def->extent[d] > 0 ? (uint64_t)def->extent[d] : 0;
  if (!bytes || bytes > 1ull << 32 || !(rows = realloc(m->image, (m->n + 1) * sizeof(*rows))))
    return NULL;
  m->image = rows;
  image = &rows[m->n];
  *image = (struct dvmt_image){.def = *def, .kind = kind_of(m, def->name), .bytes = bytes, .unlike = -1};
  image->def.name = strdup(def->name);
  image->before = calloc(1, bytes);
  image->after = calloc(1, bytes);
  image->owner = malloc(bytes / def->element_bytes * sizeof(*image->owner));
  m->n++;
  if (!image->def.name || !image->before || !image->after || !image->owner)
    return NULL;
  for (uint64_t i = 0; i < bytes / def->element_bytes; i++)
    image->owner[i] = DVMT_NOBODY;
  return image;
}

/* A piece of memory that a rank has: of several ranks the first one's counts. */
static void take_piece(struct dvmt_image *image, bool after, uint64_t offset, const void *piece, uint64_t n, int32_t rank) {
  uint64_t size = image->def.element_bytes, end = offset + n;
  for (uint64_t at = offset, next; at < end; at = next) {
    uint64_t element = at / size;
    next = (element + 1) * size < end ? (element + 1) * size : end;
    const char *from = (const char *)piece + (at - offset);
    if (image->owner[element] == DVMT_NOBODY)
      image->owner[element] = rank;
    if (image->owner[element] == rank)
      memcpy((after ? image->after : image->before) + at, from, next - at);
    else if (after && image->unlike < 0 && memcmp(image->after + at, from, next - at)) {
      image->unlike = (int64_t)element;
      image->unlike_rank[0] = image->owner[element];
      image->unlike_rank[1] = rank;
    }
  }
}

int dvmt_images_take(struct dvmt_images *m, const struct dvmt_reader *r, const struct dvmt_record *rec, int32_t rank,
                     struct dvm_error *err) {
  const struct dvmt_site_def *site = dvmt_reader_site(r, rec->site);
  struct dvmt_span kind = dvmt_text_line(site->text, DVMRT_ANY_KIND);
  if (rec->kind == DVMT_DIRECT && dvmt_span_is(kind, DVMT_ELEMENTS_ITERATIONS))
    return read_iterations(&m->part[rank], site->text)
               ? dvm_error_set(err, -EBADMSG, "the stream of rank %d is damaged: '%s'", rank, site->text)
               : 0;
  if (rec->kind == DVMT_DIRECT && dvmt_span_is(kind, DVMT_ELEMENTS_RAN))
    return take_ran(m, rec, rank) ? out_of_memory(err) : 0;
  if (rec->kind == DVMT_DIRECT && is_declaration(kind))
    return take_kind(m, site->text, rec) ? out_of_memory(err) : 0;
  bool after = dvmt_span_is(kind, DVMT_ELEMENTS_AFTER);
  if (rec->kind != DVMT_WRITE || !(after || dvmt_span_is(kind, DVMT_ELEMENTS_BEFORE)))
    return 0;
  const struct dvmt_object_def *def = dvmt_reader_object(r, rec->object);
  uint64_t n = rec->nwords == 1 ? 1 : rec->nwords * 8ull;
  struct dvmt_image *image = def->flags & DVMT_OBJECT_ARRAY ? image_of(m, def) : NULL;
  if (!image)
    return dvm_error_set(err, -ENOMEM, "the elements of '%s' cannot be compared: its size is not known, or memory is exhausted", def->name);
  if (rec->offset < 0 || (uint64_t)rec->offset + n > image->bytes)
    return dvm_error_set(err, -EBADMSG, "the stream of rank %d is damaged: '%s' has no byte %lld", rank, def->name, (long long)rec->offset);
  take_piece(image, after, (uint64_t)rec->offset, rec->words, n, rank);
  return 0;
}

struct dvmt_images *dvmt_images_read(const struct dvmt_job *job, struct dvm_error *err) {
  struct dvmt_images *m = dvmt_images_create(job->nranks);
  struct dvmt_record rec;
  int rc = m ? 0 : out_of_memory(err), more = 0;
  for (size_t r = 0; r < job->nranks && !rc; r++)
    while (!rc && (more = dvmt_reader_next(job->rank[r], &rec, err)) > 0)
      rc = rec.kind == DVMT_LOST ? 0 : dvmt_images_take(m, job->rank[r], &rec, (int32_t)r, err);
  if (!rc && more >= 0) {
    dvmt_images_settle(m);
    return m;
  }
  dvmt_images_destroy(m);
  return NULL;
}
