/* Collective operations as schedules: rounds of messages on the hidden context, each followed by local work in a fixed order.  The same
   schedule serves the blocking and the non-blocking call, and its results do not depend on who comes first. */
#ifndef MPL_SCHEDULE_H
#define MPL_SCHEDULE_H
#include "mpir/mpi/object.h"
#include "mpir/mpi/ring.h"

/* Operations of different kinds do not take each other's messages: ranks that part ways wait, and the deadlock is told. */
struct mpl_schedule *mpl_schedule_new(struct ompi_communicator_t *comm, enum mpl_collective kind);
/* Added to the present round.  'peer' is a rank of the communicator that messages go to. */
void mpl_add_send(struct mpl_schedule *s, const void *buf, MPI_Aint count, struct ompi_datatype_t *type, int peer);
void mpl_add_recv(struct mpl_schedule *s, void *buf, MPI_Aint count, struct ompi_datatype_t *type, int peer);
/* Local work: after the messages of the round, in the order given. */
void mpl_add_copy(struct mpl_schedule *s, const void *from, MPI_Aint nfrom, struct ompi_datatype_t *tfrom, void *to, MPI_Aint nto,
                  struct ompi_datatype_t *tto);
void mpl_add_op(struct mpl_schedule *s, struct ompi_op_t *op, void *in, void *inout, int count, struct ompi_datatype_t *type);
typedef int mpl_work_f(void *arg, struct ompi_communicator_t *comm);
void mpl_add_work(struct mpl_schedule *s, mpl_work_f *f, void *arg);
void mpl_next_round(struct mpl_schedule *s);
/* Memory that lives as long as the schedule. */
void *mpl_schedule_memory(struct mpl_schedule *s, size_t bytes);
/* Room for 'count' elements, as the address that a buffer of this type would have. */
void *mpl_schedule_buffer(struct mpl_schedule *s, MPI_Aint count, const struct ompi_datatype_t *type);

/* Starts; the request owns the schedule. */
struct ompi_request_t *mpl_schedule_start(struct mpl_schedule *s, const char *call, const void *place);
/* Starts and waits; returns an error class after the handler was called. */
int mpl_schedule_run(struct mpl_schedule *s, const char *call, const void *place);
#endif
