#include "base/output.h"
#include "sdm/command/debug.h"

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(sdm_debug_main(argc, argv));
}
