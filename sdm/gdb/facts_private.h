/* Inside the reader of a program's facts: reads that remember the first failure, after which everything is 0. */
#ifndef SDM_FACTS_PRIVATE_H
#define SDM_FACTS_PRIVATE_H
#include <stdbool.h>

#include "base/facts.h"
#include "base/text.h"
#include "sdm/gdb/facts.h"

struct facts {
  const struct sdm_facts_source *src;
  struct dvm_facts head;
  int rc; /* the first failure: after it everything is 0 */
  uint64_t at; /* .. and where */
  unsigned nreads;
};

void sdm_facts_fail(struct facts *f, int rc, uint64_t at);
/* Element 'k' of the field, 'bytes' long; 0 bytes: the whole field. */
uint64_t sdm_facts_number_at(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k, uint32_t bytes);
uint64_t sdm_facts_number(struct facts *f, uint64_t record, enum dvm_facts_id id);
int64_t sdm_facts_wide(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k); /* an element of 8 bytes */
uint64_t sdm_facts_variable(struct facts *f, uint64_t at);
/* Appends the text at an address; what is no printable ASCII or part of UTF-8 comes as '?'. */
void sdm_facts_add_text(struct facts *f, uint64_t at, struct dvm_text *t);
json_t *sdm_facts_json_of(struct dvm_text *t); /* finishes it */
/* Number of dimensions; fails if there are too many. */
uint32_t sdm_facts_ndims(struct facts *f, uint64_t a, enum dvm_facts_id id);

/* facts_parallel.c: a program that is executed in parallel. */
bool sdm_facts_is_parallel(const struct facts *f);
void sdm_facts_put_own(struct facts *f, json_t *j, uint64_t a, uint32_t ndims); /* of an array */
void sdm_facts_put_part(struct facts *f, json_t *j, uint64_t frame, uint64_t d); /* of a construct with directive 'd' */
json_t *sdm_facts_element(struct facts *f, uint64_t address); /* NULL: no array lies there */
#endif
