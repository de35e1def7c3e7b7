#define _GNU_SOURCE
#include "driver/trace/command/meta.h"
#include "base/text.h"
#include "driver/config.h"
#include "driver/trace/format/reader.h"
#include "runtime/trace/config.h"
#include "runtime/trace/launcher.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void dvmt_meta_word(struct dvm_text *t, const char *word) {
  dvm_text_add(t, " ");
  const size_t begin = t->len;
  dvm_text_add_shell_word(t, word);
  for (size_t i = begin; i < t->len; i++) /* it stands in a line of the header */
    if (t->s[i] == '\n' || t->s[i] == '\1')
      t->s[i] = ' ';
}

enum { LINE_BREAK = 0x1f }; /* of the configuration, which is one line of the header */

static void add_config(struct dvm_text *t, const char *path) {
  FILE *f = fopen(path, "re");
  int ch;
  if (!f)
    return;
  dvm_text_add(t, "config ");
  while ((ch = getc(f)) != EOF) {
    const char byte = (char)(ch == '\n' ? LINE_BREAK : ch == 1 || ch == '\r' || !ch ? ' ' : ch);
    dvm_text_add_n(t, &byte, 1);
  }
  dvm_text_add(t, "\n");
  fclose(f);
}

char *dvmt_meta_config(const struct dvmt_reader *r) {
  const char *text = dvmt_reader_meta(r, "config");
  char *copy = text ? strdup(text) : NULL;
  for (char *p = copy; p && *p; p++)
    if (*p == LINE_BREAK)
      *p = '\n';
  return copy;
}

int dvmt_meta_recorded(const struct dvmt_reader *r, struct dvmt_config *config, struct dvm_error *err) {
  const char *name = dvmt_reader_meta(r, "level");
  int level = name ? dvmt_level_number(name) : DVMT_LEVEL_MODIFY;
  char *text = dvmt_meta_config(r);
  int rc = text ? dvmt_config_parse(config, text, "configuration of the trace", err) : 0;
  free(text);
  config->level = level < 0 ? DVMT_LEVEL_MODIFY : (enum dvmt_level)level;
  return rc;
}

bool dvmt_meta_same(const struct dvmt_reader *a, const struct dvmt_reader *b) {
  static const char *const keys[] = {"level", "config"};
  for (int i = 0; i < 2; i++) {
    char *x = dvmt_reader_meta(a, keys[i]) ? strdup(dvmt_reader_meta(a, keys[i])) : NULL; /* the next call takes its place */
    const char *y = dvmt_reader_meta(b, keys[i]);
    bool same = (!x && !y) || (x && y && !strcmp(x, y));
    free(x);
    if (!same)
      return false;
  }
  return true;
}

char *dvmt_meta(char *const *command, const char *level, const char *config, struct dvm_error *err) {
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
  if (config)
    add_config(&t, config);
  if (!t.failed)
    return t.s;
  dvm_text_fini(&t);
  dvm_error_set(err, -ENOMEM, "out of memory");
  return NULL;
}

char *dvmt_meta_job(const char *meta) {
  const char *id = getenv("PMIX_NAMESPACE"); /* this command is a rank itself: its job's others do not know it */
  char *text = NULL;
  struct timespec now;
  int rank, size;
  clock_gettime(CLOCK_REALTIME, &now);
  int n = id && dvmt_launcher_rank(&rank, &size) ? asprintf(&text, "%sjob %s\n", meta, id)
                                                 : asprintf(&text, "%sjob %llx.%d\n", meta, (unsigned long long)now.tv_sec, getpid());
  return n < 0 ? NULL : text;
}
