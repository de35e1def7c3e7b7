/* A function of the program that has the name of one of the C library, which would write nothing. */
#include <unistd.h>
int access(const char *name, int mode) {
  *(double *)name = mode;
  return 0;
}
