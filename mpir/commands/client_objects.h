/* What the processes of a set have in common, as seen from outside while they stand. */
#ifndef DVM_MPIR_CLIENT_OBJECTS_H
#define DVM_MPIR_CLIENT_OBJECTS_H
#include <stdbool.h>
#include "mpir/image/image_set.h"
#include "mpir/crs/protocol.h"

struct mpir_objects {
  struct crs_object *all;  /* as the present member is to see them */
  int *savers;             /* by object: the member that saves its content, or -1 */
  size_t count;
};

/* Finds the objects, and the shared descriptors, which go into the set.  'pids' are the members as seen from here.  Refuses memory
 * without a name that others have mapped too, unless 'ignore'; but 'segment' (or NULL) is saved whoever has it. */
int mpir_objects_find(struct mpir_objects *o, struct mpir_set *set, const int *pids, const struct crs_object *segment, bool ignore,
                      struct dvm_error *err);
/* The table for one member; valid until the next call. */
const struct crs_object *mpir_objects_of(const struct mpir_objects *o, size_t member);
void mpir_objects_free(struct mpir_objects *o);
#endif
