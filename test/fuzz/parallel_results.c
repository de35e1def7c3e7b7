/* Whatever a table of results holds, values that are looked up in it are replaced or left as they are. */
#include "runtime/parallel/fail.h"
#include "runtime/parallel/results.h"
#include "runtime/trace/results.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

void dvmp_fail_all(int status, const struct dvmrt_pos *pos, const char *format, ...) { /* of files alone */
  (void)status, (void)pos, (void)format;
  abort();
}

void dvmp_out_of_memory(void) { abort(); }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const struct {
    char type;
    int bytes;
  } kinds[] = {{'f', 4}, {'f', 8}, {'f', 16}, {'c', 8}, {'c', 16}, {'c', 32}, {'f', 2}, {'i', 8}};
  unsigned char *p = malloc(size ? size : 1); /* of just that size, and aligned */
  if (!p)
    return 0;
  memcpy(p, data, size);
  if (dvmp_results_take(p, size))
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
      for (unsigned line = 1; line < 4; line++) {
        static struct dvmrt_directive at[4];
        at[line].pos = (struct dvmrt_pos){.file = "a.c", .line = line, .column = 13};
        unsigned char value[32];
        memset(value, 0x3f, sizeof(value));
        const struct dvmp_result result = {value, kinds[i].type, kinds[i].bytes, (float)line};
        dvmp_results_put(&at[line], i % 2, line, &result);
        for (unsigned k = (unsigned)kinds[i].bytes; k < sizeof(value); k++)
          if (value[k] != 0x3f)
            abort();
      }
  free(p);
  return 0;
}
