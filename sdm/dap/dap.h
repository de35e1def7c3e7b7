/* Debug Adapter Protocol front end of a session. */
#ifndef SDM_DAP_H
#define SDM_DAP_H

/* Serves one client: on stdin and stdout (port 0), or on 127.0.0.1:port.  Returns the exit status. */
int sdm_dap_main(unsigned port);
#endif
