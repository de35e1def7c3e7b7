/* A session's file: what it takes to go on with it when its front end has died.  It holds the secret: mode 0600, written
 * under a temporary name, and refused when others could have read or written it. */
#ifndef SDM_SESSION_FILE_H
#define SDM_SESSION_FILE_H
#include <jansson.h>

#include "sdm/link.h"
#include "sdm/tree.h"

/* 'program' is the command that started the programs, or NULL.  0, or a negative code; then there is no file. */
int sdm_session_file_write(const char *path, const struct sdm_secret *secret, const struct sdm_table *t, const json_t *program,
                           struct dvm_error *err);
/* Fills 'secret' and 't'; '*program' is the caller's, or NULL. */
int sdm_session_file_read(const char *path, struct sdm_secret *secret, struct sdm_table *t, json_t **program, struct dvm_error *err);
#endif
