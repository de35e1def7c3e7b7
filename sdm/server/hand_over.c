#define _GNU_SOURCE /* memfd_create */
#include "sdm/server/hand_over.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* The descriptor, or a negative code.  It is inherited by the program. */
static int put_secret(const char *secret, struct dvm_error *err) {
  size_t n = strlen(secret);
  int fd = memfd_create("sdm-secret", 0);
  if (fd < 0)
    return dvm_error_errno(err, "cannot keep the session secret");
  if (fchmod(fd, 0600) || write(fd, secret, n) != (ssize_t)n) {
    close(fd);
    return dvm_error_set(err, -EIO, "cannot keep the session secret");
  }
  return fd;
}

int sdm_hand_over(char *const *words, struct dvm_error *err) {
  const char *options = getenv("DVM_OPTIONS");
  char *secret = getenv("SDM_SECRET");
  if (!words[0] || !options || !secret)
    return dvm_error_set(err, -EINVAL, "'--hand-over PROGRAM' is for 'dvm debug --inside', which says more in the environment");
  int fd = put_secret(secret, err);
  if (fd < 0)
    return fd;
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s,secret-fd=%d", options, fd); /* sdm= is the last of the options */
  setenv("DVM_OPTIONS", dvm_text_str(&t), 1);
  explicit_bzero(secret, strlen(secret));
  unsetenv("SDM_SECRET");
  dvm_text_fini(&t);
  execvp(words[0], words);
  return dvm_error_errno(err, "cannot run '%s'", words[0]);
}

int sdm_hand_over_take(int fd, struct sdm_secret *s, struct dvm_error *err) {
  char hex[2 * SDM_SECRET_BYTES + 1] = "";
  ssize_t n = pread(fd, hex, sizeof(hex) - 1, 0);
  close(fd);
  int rc = n < 0 ? dvm_error_errno(err, "cannot read the session secret") : sdm_secret_parse(s, hex, err);
  explicit_bzero(hex, sizeof(hex));
  return rc;
}
