#include "driver/trace/command/replay.h"
#include "driver/trace/command/feed.h"
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the last record that writes each value ----------------------------------------------------------------------------------------- */

struct last_row {
  uint64_t key;                 /* object and offset, mixed; 0: none */
  uint64_t record;
};
struct last {
  struct last_row *row;         /* owned */
  size_t n, room;               /* room: a power of two, or 0 */
};

static uint64_t key_of(uint32_t object, int64_t offset) { return ((uint64_t)object << 40 ^ (uint64_t)offset) + 1; }

static struct last_row *last_at(const struct last *l, uint64_t key) {
  size_t i = key * 0x9e3779b97f4a7c15ull >> 32 & (l->room - 1);
  while (l->row[i].key && l->row[i].key != key)
    i = (i + 1) & (l->room - 1);
  return &l->row[i];
}

static int note_last(struct last *l, uint64_t key, uint64_t record) {
  if (2 * (l->n + 1) > l->room) {
    struct last bigger = {calloc(l->room ? 2 * l->room : 1024, sizeof(*bigger.row)), l->n, l->room ? 2 * l->room : 1024};
    if (!bigger.row)
      return -ENOMEM;
    for (size_t i = 0; i < l->room; i++)
      if (l->row[i].key)
        *last_at(&bigger, l->row[i].key) = l->row[i];
    free(l->row);
    *l = bigger;
  }
  struct last_row *row = last_at(l, key);
  l->n += !row->key;
  *row = (struct last_row){key, record};
  return 0;
}

/* ---- the run's side: the reference's records with other values ------------------------------------------------------------------------ */

struct replaying {
  struct dvmt_sink sink;
  struct dvmt_sink *out;
  struct dvmt_replay *p;
  struct dvmt_compare *c;
  struct last last;
  bool first_pass;
  uint64_t records;
  struct dvmt_type *types; /* of sites; owned, as the rest */
  bool *parts_of_word; /* bit-fields: left as they are */
  size_t nsites;
  struct dvmt_image **images; /* of objects */
  unsigned char **written; /* likewise: of each byte whether the reference writes it; shared with the image's first object */
  size_t nobjects;
  const char *construct; /* site text of the reference */
  uint32_t site; /* its number; UINT32_MAX: not met yet */
  bool told_iteration;
};

static int take_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct replaying *x = (struct replaying *)sink;
  struct dvmt_type *types = realloc(x->types, (x->nsites + 1) * sizeof(*types));
  bool *parts = types ? realloc(x->parts_of_word, (x->nsites + 1) * sizeof(*parts)) : NULL;
  if (types)
    x->types = types;
  if (parts)
    x->parts_of_word = parts;
  if (!types || !parts)
    return -ENOMEM;
  types[x->nsites] = dvmt_type_of(def->text);
  parts[x->nsites] = dvmt_text_line(def->text, DVMRT_TRACE_BITS).s != NULL;
  if (x->construct && def->kind == DVMT_SITE_CONSTRUCT && !strcmp(def->text, x->construct))
    x->site = (uint32_t)x->nsites;
  x->nsites++;
  return x->out ? x->out->site(x->out, def) : 0;
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct replaying *x = (struct replaying *)sink;
  struct dvmt_image **images = realloc(x->images, (x->nobjects + 1) * sizeof(*images));
  unsigned char **written = images ? realloc(x->written, (x->nobjects + 1) * sizeof(*written)) : NULL;
  if (images)
    x->images = images;
  if (written)
    x->written = written;
  if (!images || !written)
    return -ENOMEM;
  images[x->nobjects] = def->flags & DVMT_OBJECT_ARRAY ? dvmt_images_of(x->p->images, def->name) : NULL;
  written[x->nobjects] = images[x->nobjects] ? calloc(1, images[x->nobjects]->bytes) : NULL;
  if (images[x->nobjects] && !written[x->nobjects])
    return -ENOMEM;
  x->nobjects++;
  return x->out ? x->out->object(x->out, def) : 0;
}

static struct dvmt_image *image_of(const struct replaying *x, const struct dvmt_record *r) {
  struct dvmt_image *image = r->kind == DVMT_WRITE && r->object < x->nobjects ? x->images[r->object] : NULL;
  uint64_t bytes = image ? x->types[r->site].bytes : 0;
  return bytes && r->offset >= 0 && (uint64_t)r->offset + bytes <= image->bytes && !x->parts_of_word[r->site] ? image : NULL;
}

static int note(struct replaying *x, const struct dvmt_record *r) {
  const struct dvmt_image *image = image_of(x, r);
  if (!image)
    return 0;
  memset(x->written[r->object] + r->offset, 1, x->types[r->site].bytes);
  return note_last(&x->last, key_of(r->object, r->offset), x->records);
}

/* Iterations that nobody executes, or more than one rank. */
static void check_iteration(struct replaying *x, const struct dvmt_record *r) {
  char at[300], message[500];
  struct dvmt_replay *p = x->p;
  p->niteration = r->nwords < DVMT_NDIMS_MAX ? r->nwords : DVMT_NDIMS_MAX;
  memcpy(p->iteration, r->words, p->niteration * sizeof(*p->iteration));
  p->executors = dvmt_images_executors(p->images, (const int64_t *)p->iteration, p->niteration, p->executor);
  if (p->executors == 1 || x->told_iteration)
    return;
  x->told_iteration = true;
  dvmt_iteration_text(x->construct, r->words, r->nwords, at, sizeof(at));
  if (!p->executors)
    snprintf(message, sizeof(message), "iteration (%s) is executed by no rank", at);
  else
    snprintf(message, sizeof(message), "iteration (%s) is executed by rank %d and again by rank %d", at, p->executor[0], p->executor[1]);
  dvmt_cmp_structure(x->c, p->executors ? "repeated iteration" : "lost iteration", "", x->construct, message);
}

/* One that the reference does not have. */
static void check_stray(struct replaying *x) {
  char at[300], message[500];
  int32_t rank;
  const int64_t *index = dvmt_images_stray(x->p->images, &rank);
  if (!index || x->told_iteration || !x->p->niteration)
    return;
  dvmt_iteration_text(x->construct, (const uint64_t *)index, x->p->niteration, at, sizeof(at));
  snprintf(message, sizeof(message), "iteration (%s) is executed by rank %d and is not in the reference", at, rank);
  dvmt_cmp_structure(x->c, "repeated iteration", "", x->construct, message);
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct replaying *x = (struct replaying *)sink;
  uint64_t words[DVMT_WORDS_MAX];
  int rc;
  if (x->first_pass) {
    rc = note(x, r);
    x->records++;
    return rc;
  }
  const struct dvmt_image *image = image_of(x, r);
  struct dvmt_record now = *r;
  if (image && r->nwords <= DVMT_WORDS_MAX && last_at(&x->last, key_of(r->object, r->offset))->record == x->records) {
    struct dvmt_type t = x->types[r->site];
    memcpy(words, r->words, r->nwords * sizeof(*words));
    uint64_t is_truth = 0;
    memcpy(t.kind == 'b' ? (void *)&is_truth : (void *)words, image->after + r->offset, t.bytes);
    if (t.kind == 'b')
      words[0] = is_truth != 0;
    now.words = words;
  }
  x->records++;
  rc = x->out->record(x->out, &now);
  if (!rc && r->kind == DVMT_ITER && r->site == x->site)
    check_iteration(x, r);
  return rc;
}

/* ---- what the reference does not write ---------------------------------------------------------------------------------------------- */

static void element_name(const struct dvmt_image *image, uint64_t element, char *buf, size_t size) {
  dvmt_element_text(&image->def, (int64_t)(element * image->def.element_bytes), NULL, buf, size);
}

static const unsigned char *written_of(const struct replaying *x, const struct dvmt_image *image) {
  for (size_t i = 0; i < x->nobjects; i++)
    if (x->images[i] == image)
      return x->written[i];
  return NULL;
}

static void check_image(struct replaying *x, const struct dvmt_image *image) {
  const unsigned char *written = written_of(x, image);
  uint64_t size = image->def.element_bytes;
  char name[300], message[700];
  if (image->unlike >= 0) {
    element_name(image, (uint64_t)image->unlike, name, sizeof(name));
    snprintf(message, sizeof(message), "rank %d and rank %d both have '%s', and are left with different values of it",
             image->unlike_rank[0], image->unlike_rank[1], name);
    dvmt_cmp_structure(x->c, image->def.name, name, x->construct, message);
  }
  for (uint64_t i = 0; i < image->bytes; i++)
    if (image->before[i] != image->after[i] && !(written && written[i])) {
      element_name(image, i / size, name, sizeof(name));
      snprintf(message, sizeof(message), "'%s', which rank %d has, is changed here, and the reference does not write it", name,
               image->owner[i / size]);
      dvmt_cmp_structure(x->c, image->def.name, name, x->construct, message);
      return;
    }
}

static uint64_t count_findings(const struct dvmt_compare *c) {
  uint64_t n = 0;
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
    n += !dvmt_compare_finding(c, i)->warning;
  return n;
}

/* Nothing that is executed here differs, and the sum does. */
static void check_before(struct replaying *x) {
  const struct dvmt_compare_totals *t = dvmt_compare_totals(x->c);
  if (count_findings(x->c) || t->within)
    return;
  for (size_t i = 0; dvmt_images_at(x->p->images, i); i++) {
    char message[500];
    snprintf(message, sizeof(message),
             "what is written here agrees: an element of '%s' that is not differs already where the construct begins, from the sequential "
             "part before it",
             dvmt_images_at(x->p->images, i)->def.name);
    dvmt_cmp_structure(x->c, dvmt_images_at(x->p->images, i)->def.name, "", x->construct, message);
  }
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------------ */

static int feed(struct replaying *x, const struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_reader *again = dvmt_reader_again(r, err);
  int rc = again ? dvmt_feed_sink(again, &x->sink, err) : err->code;
  if (rc && !err->code)
    dvm_error_set(err, rc, "comparison stopped: %s", strerror(-rc));
  dvmt_reader_close(again);
  return rc;
}

static void forget(struct replaying *x) {
  for (size_t i = 0; i < x->nobjects; i++)
    free(x->written[i]);
  free(x->written);
  free(x->images);
  free(x->types);
  free(x->parts_of_word);
  x->written = NULL;
  x->images = NULL;
  x->types = NULL;
  x->parts_of_word = NULL;
  x->nsites = x->nobjects = 0;
  x->records = 0;
}

/* The reference's own text of the construct. */
static char *text_of(const struct dvmt_reader *r, const char *text, struct dvm_error *err) {
  struct dvmt_reader *again = dvmt_reader_again(r, err);
  struct dvmt_where wanted = dvmt_site_where(text);
  struct dvmt_record rec;
  char *found = NULL;
  while (again && !found && dvmt_reader_next(again, &rec, err) > 0) {
    const struct dvmt_site_def *def = rec.kind == DVMT_ENTER ? dvmt_reader_site(again, rec.site) : NULL;
    struct dvmt_where w = def ? dvmt_site_where(def->text) : wanted;
    if (def && def->kind == DVMT_SITE_CONSTRUCT && w.line == wanted.line && w.column == wanted.column)
      found = strdup(def->text);
  }
  dvmt_reader_close(again);
  if (!found && !err->code)
    dvm_error_set(err, -EPROTO, "the reference's program, run again, does not come to the construct at %.*s:%u", (int)wanted.file.n,
                  wanted.file.s, wanted.line);
  return found;
}

int dvmt_replay(struct dvmt_replay *p, struct dvmt_compare *c, struct dvmt_reader *r, struct dvmt_images *images,
                const struct dvmt_step *step, struct dvm_error *err) {
  struct replaying x = {
      .sink = {.site = take_site, .object = take_object, .record = take_record}, .p = p, .c = c, .first_pass = true, .site = UINT32_MAX};
  char *text = text_of(r, step->in_reference, err);
  p->images = images;
  int rc = text ? note_last(&x.last, UINT64_MAX, UINT64_MAX) : err->code; /* the table is there */
  if (!rc)
    rc = feed(&x, r, err);
  struct last last = x.last;
  unsigned char **written = x.written;
  struct dvmt_image **of = x.images;
  size_t n = x.nobjects;
  x.written = NULL;
  x.images = NULL;
  x.nobjects = 0;
  forget(&x);
  x.construct = text;
  x.first_pass = false;
  x.out = dvmt_compare_sink(c);
  x.last = last;
  if (!rc)
    rc = feed(&x, r, err);
  forget(&x);
  x.written = written;
  x.images = of;
  x.nobjects = n;
  if (!rc)
    check_stray(&x);
  for (size_t i = 0; !rc && dvmt_images_at(images, i); i++)
    check_image(&x, dvmt_images_at(images, i));
  if (!rc)
    check_before(&x);
  forget(&x);
  free(x.last.row);
  free(text);
  return rc;
}

/* ---- the report ----------------------------------------------------------------------------------------------------------------------- */

static int owner_of(const struct dvmt_replay *p, const char *element, char *name, size_t size) {
  struct dvmt_span array;
  struct dvmt_subscripts index;
  size_t n = strcspn(element, "[");
  while (element[n] == '[')
    n += strcspn(element + n, "]") + (strchr(element + n, ']') != NULL);
  snprintf(name, size, "%.*s", (int)n, element);
  const bool parsed = dvmt_element_parse(name, &array, &index);
  char array_name[256];
  if (!parsed || !index.n || array.n >= sizeof(array_name))
    return DVMT_NOBODY;
  snprintf(array_name, sizeof(array_name), "%.*s", (int)array.n, array.s);
  const struct dvmt_image *image = dvmt_images_of(p->images, array_name);
  int64_t offset = image ? dvmt_element_offset(&image->def, &index) : -1;
  return offset < 0 || (uint64_t)offset >= image->bytes ? DVMT_NOBODY : image->owner[offset / image->def.element_bytes];
}

void dvmt_replay_found(void *arg, const struct dvmt_finding *f) {
  struct dvmt_replay *p = arg;
  struct dvmt_report *r = p->report;
  char name[300];
  uint64_t shown = r->shown;
  struct dvmt_finding own = *f;
  own.record = 0; /* of the replay */
  own.calls = NULL;
  dvmt_report_found(r, &own);
  int owner = f->element && r->shown > shown ? owner_of(p, f->element, name, sizeof(name)) : DVMT_NOBODY;
  if (owner == DVMT_NOBODY || !p->niteration)
    return;
  if (p->executors == 1 && p->executor[0] == owner)
    fprintf(r->out, "note: rank %d has '%s' and executes the iteration\n", owner, name);
  else if (p->executors == 1)
    fprintf(r->out, "note: rank %d has '%s', but rank %d executes the iteration: what it writes there is lost\n", owner, name,
            p->executor[0]);
  else
    fprintf(r->out, "note: rank %d has '%s'\n", owner, name);
}
