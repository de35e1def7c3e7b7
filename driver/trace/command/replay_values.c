#include "driver/trace/command/replay_values.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the last record that writes each value ----------------------------------------------------------------------------------------- */

static uint64_t key_of(uint32_t object, int64_t offset) { return ((uint64_t)object << 40 ^ (uint64_t)offset) + 1; }

static struct replay_last_row *last_at(const struct replay_last *l, uint64_t key) {
  size_t i = key * 0x9e3779b97f4a7c15ull >> 32 & (l->room - 1);
  while (l->row[i].key && l->row[i].key != key)
    i = (i + 1) & (l->room - 1);
  return &l->row[i];
}

static int note_last(struct replay_last *l, uint64_t key, uint64_t record) {
  if (2 * (l->n + 1) > l->room) {
    struct replay_last bigger = {calloc(l->room ? 2 * l->room : 1024, sizeof(*bigger.row)), l->n, l->room ? 2 * l->room : 1024};
    if (!bigger.row)
      return -ENOMEM;
    for (size_t i = 0; i < l->room; i++)
      if (l->row[i].key)
        *last_at(&bigger, l->row[i].key) = l->row[i];
    free(l->row);
    *l = bigger;
  }
  struct replay_last_row *row = last_at(l, key);
  l->n += !row->key;
  *row = (struct replay_last_row){key, record};
  return 0;
}

/* ---- definitions -------------------------------------------------------------------------------------------------------------------- */

int replay_values_site(struct replay_values *v, const struct dvmt_site_def *def) {
  struct dvmt_type *types = realloc(v->types, (v->nsites + 1) * sizeof(*types));
  bool *parts = types ? realloc(v->parts_of_word, (v->nsites + 1) * sizeof(*parts)) : NULL;
  if (types)
    v->types = types;
  if (parts)
    v->parts_of_word = parts;
  if (!types || !parts)
    return -ENOMEM;
  types[v->nsites] = dvmt_type_of(def->text);
  parts[v->nsites++] = dvmt_text_line(def->text, DVMRT_TRACE_BITS).s != NULL;
  return 0;
}

static int set_image(struct replay_values *v, size_t object, const struct dvmt_object_def *def) {
  struct dvmt_image *image = v->images && def->flags & DVMT_OBJECT_ARRAY ? dvmt_images_of(v->images, def->name) : NULL;
  unsigned char *written = image ? calloc(1, image->bytes) : NULL;
  v->image[object] = image;
  v->written[object] = written;
  return image && !written ? -ENOMEM : 0;
}

int replay_values_object(struct replay_values *v, const struct dvmt_object_def *def) {
  struct dvmt_image **images = realloc(v->image, (v->nobjects + 1) * sizeof(*images));
  unsigned char **written = images ? realloc(v->written, (v->nobjects + 1) * sizeof(*written)) : NULL;
  if (images)
    v->image = images;
  if (written)
    v->written = written;
  return images && written ? set_image(v, v->nobjects++, def) : -ENOMEM;
}

int replay_values_begin(struct replay_values *v, struct dvmt_images *images,
                        const struct dvmt_object_def *(*object)(const void *of, size_t n), const void *of) {
  int rc = 0;
  v->images = images;
  v->records = 0;
  v->last.n = 0;
  if (v->last.room)
    memset(v->last.row, 0, v->last.room * sizeof(*v->last.row));
  for (size_t i = 0; i < v->nobjects && !rc; i++) {
    free(v->written[i]);
    v->written[i] = NULL;
    rc = set_image(v, i, object(of, i));
  }
  return rc;
}

void replay_values_fini(struct replay_values *v) {
  for (size_t i = 0; i < v->nobjects; i++)
    free(v->written[i]);
  free(v->written);
  free(v->image);
  free(v->types);
  free(v->parts_of_word);
  free(v->last.row);
}

/* ---- values --------------------------------------------------------------------------------------------------------------------------- */

static struct dvmt_image *image_of(const struct replay_values *v, const struct dvmt_record *r) {
  struct dvmt_image *image = r->kind == DVMT_WRITE && r->object < v->nobjects && r->site < v->nsites ? v->image[r->object] : NULL;
  uint64_t bytes = image ? v->types[r->site].bytes : 0;
  return bytes && r->offset >= 0 && (uint64_t)r->offset + bytes <= image->bytes && !v->parts_of_word[r->site] ? image : NULL;
}

int replay_values_note(struct replay_values *v, const struct dvmt_record *r) {
  const uint64_t number = v->records++;
  if (!image_of(v, r))
    return 0;
  memset(v->written[r->object] + r->offset, 1, v->types[r->site].bytes);
  return note_last(&v->last, key_of(r->object, r->offset), number);
}

bool replay_values_put(struct replay_values *v, const struct dvmt_record *r, uint64_t words[DVMT_WORDS_MAX]) {
  const struct dvmt_image *image = image_of(v, r);
  const uint64_t number = v->records++;
  uint64_t is_truth = 0;
  if (!image || r->nwords > DVMT_WORDS_MAX || !v->last.room || last_at(&v->last, key_of(r->object, r->offset))->record != number)
    return false;
  struct dvmt_type t = v->types[r->site];
  memcpy(words, r->words, r->nwords * sizeof(*words));
  memcpy(t.kind == 'b' ? (void *)&is_truth : (void *)words, image->after + r->offset, t.bytes);
  if (t.kind == 'b')
    words[0] = is_truth != 0;
  return true;
}

const unsigned char *replay_values_written(const struct replay_values *v, const struct dvmt_image *image) {
  for (size_t i = 0; i < v->nobjects; i++)
    if (v->image[i] == image)
      return v->written[i];
  return NULL;
}
