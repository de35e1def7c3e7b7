/* The command `dvm debug`. */
#ifndef SDM_DEBUG_H
#define SDM_DEBUG_H

/* Arguments as of the command itself: argv[0], then options.  Returns the exit status. */
int sdm_debug_main(int argc, char **argv);
#endif
