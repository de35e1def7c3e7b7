/* The words of `dvm debug`: what was asked for, before anything is done. */
#ifndef SDM_ARGUMENTS_H
#define SDM_ARGUMENTS_H
#include "sdm/session/programs.h"
#include "sdm/session/session.h"
#include "sdm/session/target.h"
#include "sdm/session/words.h"

#define SDM_ARGUMENTS_MAX 1024 /* words, commands, core files */

struct sdm_arguments {
  struct sdm_session_options s;
  const char *launcher, *stdin_file, *stdin_to;
  bool batch, json, no_stop, dap, inside, program_after_launcher;
  int job; /* see sdm_job_start; -1: none */
  unsigned timeout_s;
  const char *listen, *token_file;
  const char *attach, *ranks, *hosts, *restart;
  const char *checkpoints[16]; /* options of 'dvm run --checkpointable' */
  size_t ncheckpoints;
  bool checkpointable;
  struct sdm_targets targets;
  struct sdm_part parts[SDM_PARTS_MAX];
  size_t nparts;
  char **line; /* the launcher's, whole */
  struct sdm_program by_rank[SDM_PROGRAMS_MAX];
  int nby_rank;
  const char *cores[SDM_ARGUMENTS_MAX];
  size_t ncores;
  struct {
    bool file;
    const char *text;
  } commands[SDM_ARGUMENTS_MAX];
  size_t ncommands;
  char **program; /* with its arguments */
  char *launch[SDM_ARGUMENTS_MAX];
};

/* 0; 2: misuse, which is said on standard error; -1: help was shown.  Nothing is started, what is given is not copied: 'argv' stays. */
int sdm_arguments_read(struct sdm_arguments *a, int argc, char **argv);
#endif
