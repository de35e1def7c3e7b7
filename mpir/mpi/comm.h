/* Groups and communicators. */
#ifndef MPL_COMM_H
#define MPL_COMM_H
#include "mpir/mpi/object.h"

struct ompi_group_t *mpl_group_new(int size); /* members to be filled in, then mpl_group_ready */
struct ompi_group_t *mpl_group_ready(struct ompi_group_t *g);
void mpl_group_release(struct ompi_group_t *g);
/* A communicator over 'group' (held), with a context of its own that all members have agreed on. */
struct ompi_communicator_t *mpl_comm_new(struct ompi_group_t *group, uint32_t context, struct ompi_communicator_t *parent);
void mpl_comm_release(struct ompi_communicator_t *c);
/* Agrees on a free context among the members of 'c'; the call is collective over it. */
uint32_t mpl_context_agree(struct ompi_communicator_t *c);

/* Attributes: copied by callbacks, deleted by callbacks; 'owner' is the handle they are given. */
/* Keys and values of attributes.  Functions of Fortran's old kind have integers of 4 bytes, those of the new kind of 8. */
enum mpl_attr_kind { MPL_ATTR_C, MPL_ATTR_FINT, MPL_ATTR_AINT };
int mpl_keyval_new(void *copy, void *del, void *state, enum mpl_attr_kind kind, int *key);
int mpl_attr_set(void *owner, struct mpl_attr **list, int key, void *value, bool integer);
/* As Fortran sees it; false: there is no such key. */
bool mpl_attr_get_integer(struct mpl_attr *const *list, int key, MPI_Aint *value, int *flag);
int mpl_attrs_copy(void *owner, struct mpl_attr *from, struct mpl_attr **to);
int mpl_attrs_delete(void *owner, struct mpl_attr **attrs);
#endif
