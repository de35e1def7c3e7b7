/* The program of one command; MPIR_MAIN names its entry. */
#include "mpir/commands.h"

int main(int argc, char **argv) { return MPIR_MAIN(argc, argv); }
