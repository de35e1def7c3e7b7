/* The secret for a server inside a program: the environment of a process can be read as long as it lives. */
#ifndef SDM_HAND_OVER_H
#define SDM_HAND_OVER_H
#include "sdm/link.h"

/* Becomes the program 'words', which finds in a file without a name, by DVM_OPTIONS, what was in SDM_SECRET.  Returns only if
 * that fails. */
int sdm_hand_over(char *const *words, struct dvm_error *err);
/* In the program: reads it from the descriptor, and closes that, so that what the program starts does not have it. */
int sdm_hand_over_take(int fd, struct sdm_secret *s, struct dvm_error *err);
#endif
