/* A report: rows are formatted into buffers that are larger than what they hold, joined, and written by write(2). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int row(char *to, size_t size, int k) {
  int n = snprintf(to, size, "%3d", k);
  for (int i = 0; i < k % 4; i++)
    n += snprintf(to + n, size - (size_t)n, " %d", i * k);
  return n;
}
int main(void) {
  char page[1024], line[80], name[32];
  size_t used = 0;
  for (int k = 0; k < 9; k++) {
    int n = row(line, sizeof line, k);
    line[n++] = '\n';
    memcpy(page + used, line, (size_t)n);
    used += (size_t)n;
  }
  memset(name, 0, sizeof name);
  strncpy(name, "table", sizeof name - 1);
  char both[64];
  strcpy(both, name);
  strcat(both, ".txt");
  used += (size_t)sprintf(page + used, "%s %zu\n", both, strlen(both));
  return write(1, page, used) == (ssize_t)used ? 0 : 1;
}
