/* What the files of this folder share. */
#ifndef REPLICA_PRIVATE_H
#define REPLICA_PRIVATE_H
#include "mpir/mpi/core.h"
#include "mpir/replica/replica.h"

/* log.c: writes an event down before it has an effect; waits where the log is full. */
void replica_append(enum replica_event event, uint32_t rank, uint64_t value);
bool replica_has_shadow(void); /* as seen by the main */
/* The next event that this shadow has not taken, or NULL; takes it. */
const struct replica_entry *replica_peek(void);
void replica_take(void);
static inline enum replica_event replica_event_of(const struct replica_entry *e) { return (enum replica_event)(e->what & 0xff); }
static inline uint32_t replica_rank_of(const struct replica_entry *e) { return (uint32_t)(e->what >> 8) & 0xffffff; }
static inline uint32_t replica_step_of(const struct replica_entry *e) { return (uint32_t)(e->what >> 32); }

/* roles.c */
bool replica_leads(void); /* the command has made this one the leading replica: the other is dead */
void replica_go_live(void);
void replica_rest(unsigned *turn); /* a shadow has nothing to do */
void replica_notify(void);
int64_t replica_now_ns(void);
_Noreturn void replica_differ(const struct replica_difference *d);

/* fresh.c: another host wants a fresh replica of this one, which stands meanwhile. */
void replica_stand(void);
/* roles.c: this process is replica 'me' from now on. */
void replica_become(uint32_t me);

/* fork.c */
void replica_fork(void);
void replica_take_streams(void); /* standard output and error of this replica, of the command that there is now */
/* restored.c: after a restart from an image this process finds its new command by itself. */
void replica_watch_restarts(void);
/* forward.c: records that the main hands to its shadow. */
void replica_forward(const struct mpl_record *r);
struct mpl_record *replica_forwarded(void);
void replica_forward_taken(void);
void replica_forward_begin(void); /* nothing of what is there is for the fresh shadow */
#endif
