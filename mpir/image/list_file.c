#include "mpir/image/list_file.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/crc32c.h"

#define LIST_MAX (64u << 20)

int mpir_list_check(const char *text, size_t size, struct dvm_error *err) {
  const char *sum = size > 1 && text[size - 1] == '\n' ? memrchr(text, '\n', size - 1) : NULL;
  char expected[32];

  if (memchr(text, 0, size))
    return dvm_error_set(err, -EBADMSG, "the list of the set is not text");
  if (!sum)
    return dvm_error_set(err, -EBADMSG, "the list of the set is truncated");
  sum++;
  snprintf(expected, sizeof(expected), MPIR_LIST_SUM "%08x\n", mpir_crc32c(0, text, (size_t)(sum - text)));
  if (strlen(expected) != (size_t)(text + size - sum) || memcmp(sum, expected, strlen(expected)) != 0)
    return dvm_error_set(err, -EBADMSG, "the list of the set is damaged: its checksum is wrong");
  return 0;
}

char *mpir_list_read(const char *path, size_t *size, struct dvm_error *err) {
  FILE *f = fopen(path, "re");
  struct stat st;
  char *text = NULL;

  if (!f || fstat(fileno(f), &st)) {
    dvm_error_errno(err, "cannot open '%s'", path);
  } else if (!S_ISREG(st.st_mode) || st.st_size > LIST_MAX || !(text = malloc((size_t)st.st_size + 1)) ||
             fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
    dvm_error_set(err, -EBADMSG, "'%s' is not a list of a set", path);
    free(text);
    text = NULL;
  } else {
    *size = (size_t)st.st_size;
    text[*size] = '\0';
  }
  if (f)
    fclose(f);
  return text;
}

int mpir_list_write(const char *path, const char *text, size_t size, struct dvm_error *err) {
  FILE *f = fopen(path, "wxe");
  bool bad = !f;

  if (f) {
    fwrite(text, 1, size, f);
    fprintf(f, MPIR_LIST_SUM "%08x\n", mpir_crc32c(0, text, size));
    bad = fflush(f) || fsync(fileno(f));
    bad = fclose(f) || bad;
  }
  return bad ? dvm_error_errno(err, "cannot write '%s'", path) : 0;
}
