/* The program of one command; MPIR_MAIN names its entry. */
#include "base/output.h"
#include "mpir/commands/commands.h"
#include "mpir/crs/crs_fault.h"

int main(int argc, char **argv) {
  mpir_crs_fault_init();
  return dvm_output_end(MPIR_MAIN(argc, argv));
}
