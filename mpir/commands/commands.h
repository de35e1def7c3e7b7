/* The command lines 'dvm checkpoint', 'dvm restart' and 'dvm run --checkpointable'.  Each returns the exit status. */
#ifndef DVM_MPIR_COMMANDS_H
#define DVM_MPIR_COMMANDS_H

int mpir_checkpoint_main(int argc, char **argv);
int mpir_restart_main(int argc, char **argv);
int mpir_run_main(int argc, char **argv);
#endif
