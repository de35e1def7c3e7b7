/* Objects that live at an address while the program runs: variables that live as long as it does and arrays that directives declare,
 * local variables whose address goes somewhere, allocations.  Functions return 0 or -ENOMEM. */
#ifndef DVMT_ALIVE_H
#define DVMT_ALIVE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DVMT_ALIVE_NO_OBJECT = UINT32_MAX };

struct dvmt_allocation {
  uint64_t low, high;
  uint32_t number;               /* 0: it is gone */
  struct dvmt_allocation *next;
};
/* Where an address has been found. */
struct dvmt_place {
  uint64_t low, high;            /* of the object; both 0: none */
  uint32_t number;               /* of an allocation, from 1, in the order in which they begin; 0: a variable */
  uint32_t object;               /* of a variable: as dvmt_alive_name has said, or DVMT_ALIVE_NO_OBJECT */
  const void *owner;             /* of a variable: as it was given */
  const struct dvmt_allocation *allocation;
  const uint64_t *changes;
  uint64_t seen;
};

struct dvmt_alive *dvmt_alive_create(void);
void dvmt_alive_destroy(struct dvmt_alive *a);
/* The newest object at a place is the one that lives there. */
int dvmt_alive_variable(struct dvmt_alive *a, uint64_t low, uint64_t bytes, uint32_t object, const void *owner);
/* A local one of the function with this frame: those of functions that it has called are gone. */
int dvmt_alive_local(struct dvmt_alive *a, uint64_t low, uint64_t bytes, uint64_t frame, const void *owner);
/* A function is entered; one ends, with the local variables that were entered since. */
void dvmt_alive_call(struct dvmt_alive *a);
void dvmt_alive_return(struct dvmt_alive *a);
/* Begins, or (bytes 0) ends. */
int dvmt_alive_allocation(struct dvmt_alive *a, uint64_t low, uint64_t bytes);
/* How many have begun. */
uint64_t dvmt_alive_allocations(const struct dvmt_alive *a);
bool dvmt_alive_find(struct dvmt_alive *a, uint64_t address, struct dvmt_place *place);
/* Whether what has been found is still there. */
static inline bool dvmt_alive_still(const struct dvmt_place *place) {
  return place->changes && *place->changes == place->seen && (!place->number || place->allocation->number == place->number);
}
/* The number under which the variable is known from now on. */
void dvmt_alive_name(struct dvmt_alive *a, const struct dvmt_place *place, uint32_t object);
/* Bytes from here on without a variable, at most 'most'. */
uint64_t dvmt_alive_room(const struct dvmt_alive *a, uint64_t low, uint64_t most);
#endif
