#include "runtime/data/due.h"

uint8_t dvmrt_due;
