/* Which program a rank runs, where a job has several that are told apart by rank. */
#ifndef SDM_BY_RANK_H
#define SDM_BY_RANK_H
#include <jansson.h>
#include <stdbool.h>

#include "sdm/set.h"

/* Puts the program and the arguments of rank 'id' from "by_rank" into the command; "%t" in an argument is the rank, "%o" its place among
 * those of the same line.  True, also where there is no such list; false: it has no program for this rank. */
bool sdm_server_choose_program(json_t *command, sdm_id id);
#endif
