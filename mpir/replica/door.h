/* What the preloaded part (libdvmreplica) needs of the message layer, which gives it in MPI_Init. */
#ifndef REPLICA_DOOR_H
#define REPLICA_DOOR_H
#include <stdbool.h>
#include <stdint.h>

/* What is taken into the log of what the surroundings tell the program: bits. */
enum replica_determinant { REPLICA_TIME = 1, REPLICA_PID = 2, REPLICA_RANDOM = 4, REPLICA_ALL_DETERMINANTS = 7 };

struct replica_door {
  bool on;      /* the process is a replica, between MPI_Init and its end */
  int32_t pid;  /* the replica's: a copy of it that something else made is none */
  bool forking; /* it makes its shadow now */
  uint32_t determinants;
  bool elsewhere; /* the other replica is on another host */
  bool (*is_shadow)(void);
  /* What the other replica got at this place; false: this one leads, and is to find it out and tell it. */
  bool (*follow)(uint64_t *value);
  void (*tell)(uint64_t value);
  /* Of a file that is opened for writing; 'whole': for reading, too, from now on by this rank alone.  False: another rank has it so. */
  bool (*claim)(uint64_t file, bool whole);
  void (*await_shadow)(void); /* one that leads: until its shadow has got all that was told */
  void (*wait_for_end)(void); /* a shadow: until its main is over, or this one leads */
  void (*refuse)(const char *what, const char *name, const void *place); /* does not return */
  void (*promoted)(void); /* set by the preloaded part: this replica leads from now on */
  void (*forks)(void);    /* likewise: it makes its shadow now */
  void (*cloned)(void);   /* likewise: this process is a fresh shadow */
};
extern struct replica_door MPIR_dvm_replica;
void MPIR_dvm_replica_use(struct replica_door *door) __attribute__((weak)); /* of libdvmreplica */
#endif
