/* Starting debug servers: one process each on this host, or by a launcher command as if they were the program. */
#ifndef SDM_LAUNCH_H
#define SDM_LAUNCH_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "sdm/session/target.h"

/* What to do where there is no mpirun. */
#define SDM_NO_MPIRUN ": install the package openmpi-bin, or name another with '--launcher WORDS'; '--launcher local' runs without MPI"

extern char SDM_LAUNCH_SERVER[];

/* The program of the servers: beside our own, or what SDM_SERVER names. */
const char *sdm_launch_server(void);

struct sdm_launch {
  pid_t *pids; /* owned; 0: ended */
  uint32_t n;
  pid_t guard; /* ends the others if we are gone without a word; 0: none */
  int word;    /* where it hears us */
  pid_t relay; /* hands on what a launcher writes to its standard error; 0: none */
};

/* What every server is told besides its rank. */
struct sdm_launch_options {
  const char *rendezvous, *secret; /* the secret in hexadecimal; in the environment of servers, which remove it there */
  const char *backend, *backend_path;
  const char *ssh; /* see sdm_launch_targets */
  bool oob;
  uint32_t start_ms, ping_ms, orphan_ms; /* 0: the usual */
  const char *orphan_do; /* see server.h; NULL: the usual */
  bool survives;         /* a launcher does not end with us: the session may be taken up again */
  char *const *program; /* with its arguments: it has a debug server inside (sdm/server/inside.h), none of ours is started; or NULL */
  bool hold;            /* .. and waits at its first safe point, */
  int told;             /* a pipe that gets what launchers and servers write to standard error, as far as it has room; 0: none */
  bool apart;           /* .. and writes to our standard error, since our output is JSON */
};

/* Servers of ranks 0..n-1 as children. */
int sdm_launch_local(struct sdm_launch *l, uint32_t n, const struct sdm_launch_options *o, struct dvm_error *err);
/* The same for these ranks, those on other hosts by ssh, one connection a host ('ssh': its words; NULL: those of DVM_SSH, or "ssh -o
 * BatchMode=yes"); these get the secret by their standard input, and need the same path of the server there. */
int sdm_launch_targets(struct sdm_launch *l, const struct sdm_targets *t, const struct sdm_launch_options *o, struct dvm_error *err);
/* 'words' is the launcher's command line without the program (NULL-terminated); the server takes the program's place: the end, or
 * the places of the word SDM_LAUNCH_SERVER, for one part of a job after the other.  Its standard error is handed on by a process of its own, unless the programs write there too. */
int sdm_launch_command(struct sdm_launch *l, char *const *words, const struct sdm_launch_options *o, struct dvm_error *err);
bool sdm_launch_alive(void *launch); /* for sdm_gather: all are still there */
void sdm_launch_terminate(struct sdm_launch *l);           /* asks all of them to end */
/* What a launcher says from now on is dropped: advice on programs that the end of the session has killed. */
void sdm_launch_mute(struct sdm_launch *l);
/* No process is ended, now or after we have gone: what was started keeps running. */
void sdm_launch_leave(struct sdm_launch *l);
void sdm_launch_fini(struct sdm_launch *l, int grace_ms); /* waits, then kills what is left */
#endif
