/* Debug Adapter Protocol front end of a session. */
#ifndef SDM_DAP_H
#define SDM_DAP_H

/* Serves one client: on stdin and stdout ('where' is NULL), or on a socket, see sdm/dap/dap_listen.h.  Returns the exit status. */
int sdm_dap_main(const char *where, const char *token_file);
#endif
