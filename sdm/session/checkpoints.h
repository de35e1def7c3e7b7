/* The checkpoints of a session: numbered, each with an image of every rank that was saved. */
#ifndef SDM_CHECKPOINTS_H
#define SDM_CHECKPOINTS_H
#include <time.h>

#include "sdm/session/session.h"

struct sdm_checkpoint {
  json_int_t number;
  time_t when;
  struct sdm_set *set; /* who has an image; owned */
  json_t *handles;     /* by rank: a shell's word, or null; owned */
  bool outside;        /* nobody here asked for it */
};

/* "--checkpoint-dir ..": words in front of a program that is to be checkpointable, for a "launch" command; a new reference.  NULL: there is no
 * 'dvm run' beside this program, and *err says so. */
json_t *sdm_checkpointable_words(const char *const *options, struct dvm_error *err);
const char *sdm_restart_words(void); /* the restart command, for a process that does not name it */

void sdm_checkpoints_fini(struct sdm_checkpoints *c);
/* An image of 'ids'.  'number' 0: somebody else's, which gets one.  Returns the number. */
json_int_t sdm_checkpoints_note(struct sdm_session *s, const struct sdm_set *ids, json_int_t number, const char *handle);
/* Saves 'to'.  'options': of the checkpoint command; 'commands': {breakpoint: lines}, kept with the images, or NULL (stolen).  The caller frees the
 * answer; never NULL. */
struct sdm_answer *sdm_session_save(struct sdm_session *s, const struct sdm_set *to, const char *options, json_t *commands);
/* Restarts 'to' from 'which': the number of a checkpoint, a handle (of one rank), or "": the last.  NULL with the reason in *err. */
struct sdm_answer *sdm_session_restart(struct sdm_session *s, const struct sdm_set *to, const char *which, struct dvm_error *err);
/* [{checkpoint, ranks, handle, time, outside}], and images that the programs' folders have beside; a new reference. */
json_t *sdm_session_images(struct sdm_session *s, const struct sdm_set *of);
/* The handle as a restart command takes it: a file's name is quoted and made absolute.  Owned by the caller. */
char *sdm_handle_of(const char *typed);
#endif
