/* What gdb finds in debug information is kept between sessions: of the C library alone it is most of what a start costs.
 * SDM_INDEX_CACHE names the folder; empty: nothing is kept. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sdm/gdb/gdb_private.h"

#define KEEP_S (30 * 24 * 3600) /* a program that is built anew has a new index, and the old one is of no use */

static char *folder(void) {
  const char *own = getenv("SDM_INDEX_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  struct dvm_text t = DVM_TEXT_INIT;
  if (own)
    dvm_text_add(&t, own);
  else if (cache && *cache == '/')
    dvm_text_printf(&t, "%s/dvm/gdb-index", cache);
  else if (home && *home == '/')
    dvm_text_printf(&t, "%s/.cache/dvm/gdb-index", home);
  return t.s;
}

static void remove_old(const char *path) {
  DIR *dir = opendir(path);
  time_t now = time(NULL);
  for (struct dirent *e; dir && (e = readdir(dir));) {
    struct stat st;
    const char *end = strstr(e->d_name, ".gdb-index");
    if (end && !fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) && now - st.st_mtime > KEEP_S)
      unlinkat(dirfd(dir), e->d_name, 0);
  }
  if (dir)
    closedir(dir);
}

void sdm_gdb_use_cache(struct sdm_backend *b) {
  char *path = folder();
  struct dvm_text t = DVM_TEXT_INIT;
  if (path && *path && !strpbrk(path, "\r\n")) {
    remove_old(path);
    dvm_text_printf(&t, "set index-cache directory %s", path);
    struct dvm_text quoted = DVM_TEXT_INIT;
    sdm_mi_quote(&quoted, dvm_text_str(&t));
    sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console %s", dvm_text_str(&quoted));
    sdm_gdb_send(b, NULL, NULL, "-gdb-set index-cache enabled on");
    dvm_text_fini(&quoted);
  }
  dvm_text_fini(&t);
  free(path);
}
