#include "sdm/debug.h"

int main(int argc, char **argv) { return sdm_debug_main(argc, argv); }
