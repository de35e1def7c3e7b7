#include "sdm/dap.h"
int sdm_dap_main(unsigned port) { (void)port; return 2; }
