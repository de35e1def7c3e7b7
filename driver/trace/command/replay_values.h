/* Values of a recorded execution, and which of them ranks are left with: of each element the last one that is written. */
#ifndef DVM_TRACE_REPLAY_VALUES_H
#define DVM_TRACE_REPLAY_VALUES_H
#include "driver/trace/format/value.h"
#include "driver/trace/job/elements.h"

struct replay_last_row {
  uint64_t key;                 /* object and offset, mixed; 0: none */
  uint64_t record;
};
struct replay_last {
  struct replay_last_row *row;  /* owned */
  size_t n, room;               /* room: a power of two, or 0 */
};
struct replay_values {
  struct dvmt_images *images;   /* borrowed */
  struct replay_last last;
  uint64_t records;             /* so far */
  struct dvmt_type *types;      /* of sites; owned, as the rest */
  bool *parts_of_word;          /* bit-fields: left as they are */
  size_t nsites;
  struct dvmt_image **image;    /* of objects */
  unsigned char **written;      /* likewise: of each byte whether the recorded program writes it; objects of one array share it */
  size_t nobjects;
};
/* The next definition of the trace.  0 or -ENOMEM. */
int replay_values_site(struct replay_values *v, const struct dvmt_site_def *def);
int replay_values_object(struct replay_values *v, const struct dvmt_object_def *def);
/* Another execution begins, of which the ranks tell these images; the definitions stay. */
int replay_values_begin(struct replay_values *v, struct dvmt_images *images,
                        const struct dvmt_object_def *(*object)(const void *of, size_t n), const void *of);
/* First all records are noted, then, from 'records' 0 on, each is asked for again. */
int replay_values_note(struct replay_values *v, const struct dvmt_record *r);
/* True: 'words' has the value that the ranks have in place of the record's. */
bool replay_values_put(struct replay_values *v, const struct dvmt_record *r, uint64_t words[DVMT_WORDS_MAX]);
/* NULL: nothing of it is written. */
const unsigned char *replay_values_written(const struct replay_values *v, const struct dvmt_image *image);
void replay_values_fini(struct replay_values *v);
#endif
