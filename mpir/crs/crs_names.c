/* Where images go, and which of them stay. */
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/crs_track.h"
#include "mpir/crs/plain.h"

/* Image names: FOLDER/PROGRAM-PID-NUMBER.ckpt */
static void image_name(struct plain_text *t, const char *folder, unsigned sequence) {
  char name[16] = "";

  prctl(PR_GET_NAME, name);
  mpir_crs_read_file("/proc/self/comm", name, sizeof(name));
  for (char *p = name; *p; p++)
    if (*p == '\n')
      *p = '\0';
    else if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_' || *p == '.'))
      *p = '_';
  mpir_plain_add(t, folder);
  if (t->len && t->s[t->len - 1] != '/')
    mpir_plain_add(t, "/");
  mpir_plain_add(t, name);
  mpir_plain_add(t, "-");
  mpir_plain_add_dec(t, crs.pid);
  mpir_plain_add(t, "-");
  mpir_plain_add_dec(t, sequence);
  mpir_plain_add(t, ".ckpt");
}

static void make_folders(const char *folder) {
  char path[CRS_PATH_MAX];

  for (size_t i = 1; i < sizeof(path) && folder[i - 1]; i++) {
    if (folder[i] && folder[i] != '/')
      continue;
    memcpy(path, folder, i);
    path[i] = '\0';
    mkdir(path, 0700);
  }
}

void mpir_crs_name_choose(const struct crs_request *request, char *path, size_t size) {
  const char *wanted = request->path[0] ? request->path : mpir_crs_defaults.folder;
  size_t len = strlen(wanted);
  struct plain_text t = {path, size, 0};
  struct stat st;

  if (request->path[0] && wanted[len - 1] != '/') {
    mpir_plain_add(&t, wanted);
    return;
  }
  make_folders(wanted);
  for (;; crs.sequence++) { /* an older line of this process, restarted and gone on, may have used the number */
    t.len = 0;
    image_name(&t, wanted, crs.sequence + 1);
    if (stat(path, &st))
      return;
  }
}

void mpir_crs_name_retain(const struct crs_request *request, const char *path) {
  char folder[CRS_PATH_MAX], name[CRS_PATH_MAX];
  const char *slash = strrchr(path, '/');
  unsigned needed;

  if (!request->keep || !slash || (request->path[0] && request->path[strlen(request->path) - 1] != '/'))
    return;
  memcpy(folder, path, (size_t)(slash - path) + 1);
  folder[slash - path + 1] = '\0';
  if (crs.sequence <= request->keep)
    return;
  needed = mpir_crs_track_needed(crs.sequence - request->keep + 1);
  for (unsigned i = needed; i > 1; i--) {
    struct plain_text t = PLAIN_TEXT(name);

    image_name(&t, folder, i - 1);
    if (unlink(name) && i < needed)
      return; /* a gap: what lies before was removed earlier */
  }
}
