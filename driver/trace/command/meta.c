#define _GNU_SOURCE
#include "driver/trace/command/meta.h"
#include "base/text.h"
#include "driver/config.h"
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

void dvmt_meta_word(struct dvm_text *t, const char *word) {
  dvm_text_add(t, " '");
  for (; *word; word++) {
    if (*word == '\'')
      dvm_text_add(t, "'\\''");
    else
      dvm_text_add_n(t, *word == '\n' || *word == '\1' ? " " : word, 1);
  }
  dvm_text_add(t, "'");
}

char *dvmt_meta(char *const *command, const char *level, struct dvm_error *err) {
  struct dvm_text t = DVM_TEXT_INIT;
  char cwd[PATH_MAX], date[64];
  time_t now = time(NULL);
  struct tm tm;
  dvm_text_add(&t, "dvm " DVM_VERSION "\ncommand");
  for (; *command; command++)
    dvmt_meta_word(&t, *command);
  if (getcwd(cwd, sizeof(cwd)))
    dvm_text_printf(&t, "\nfolder %s", cwd);
  if (gmtime_r(&now, &tm) && strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
    dvm_text_printf(&t, "\ntime %s", date);
  dvm_text_printf(&t, "\nlevel %s\n", level ? level : "modify");
  if (!t.failed)
    return t.s;
  dvm_text_fini(&t);
  dvm_error_set(err, -ENOMEM, "out of memory");
  return NULL;
}
