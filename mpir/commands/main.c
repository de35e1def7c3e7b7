/* The program of one command; MPIR_MAIN names its entry. */
#include "base/output.h"
#include "mpir/commands/commands.h"

int main(int argc, char **argv) { return dvm_output_end(MPIR_MAIN(argc, argv)); }
