/* The adapter's door: a socket on which one client is waited for, who proves that he may have programs run here. */
#ifndef SDM_DAP_LISTEN_H
#define SDM_DAP_LISTEN_H
#include "base/error.h"

struct dap;

/* 'where' is a path (it has a slash), PORT, or HOST:PORT; a bare port is one of 127.0.0.1, port 0 any.  At a path only
 * processes of this user are heard.  Others need the token as the argument "token" of launch or attach: that of
 * 'token_file', which is written where it is not there, or one that is made up and told on standard error.  Until then nothing
 * is executed and nothing read.
 * Returns the client, whose session may have begun, or NULL. */
struct dap *sdm_dap_listen(const char *where, const char *token_file, struct dvm_error *err);
#endif
