#include "sdm/session/hydra.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/net/below.h"
#include "sdm/session/launch.h"
#include "sdm/session/ssh.h"

#define PATIENCE_MS 30000

struct search {
  struct sdm_targets *t;
  const char *ssh;
  struct dvm_error *err;
  int rc;
};

static void add_here(void *arg, sdm_id rank, long pid) { sdm_targets_add(arg, rank, pid, NULL); }

/* They go through the shell of another host: nothing but what hydra writes there. */
static bool is_plain(const char *word) {
  return *word && !word[strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.:_-")];
}

static void add_answer(struct search *s, const char *host, const char *answer) {
  unsigned rank;
  long pid;
  int n;
  for (; sscanf(answer, "%u %ld\n%n", &rank, &pid, &n) == 2; answer += n)
    if (rank <= SDM_ID_MAX && pid > 0)
      sdm_targets_add(s->t, rank, pid, host);
  if (*answer)
    s->rc = dvm_error_set(s->err, -EIO, "host '%s' answered '%.40s' instead of its ranks; is another version of sdm-server there?", host,
                          answer);
}

static void ask(struct search *s, const char *host, const char *control, const char *id) {
  struct dvm_text script = DVM_TEXT_INIT, answer = DVM_TEXT_INIT;
  dvm_text_add(&script, "exec ");
  dvm_text_add_shell_word(&script, sdm_launch_server());
  dvm_text_printf(&script, " --list-ranks %s,%s", control, id);
  s->rc = sdm_ssh_ask(s->ssh, host, dvm_text_str(&script), PATIENCE_MS, &answer, s->err);
  if (!s->rc)
    add_answer(s, host, dvm_text_str(&answer));
  dvm_text_fini(&script);
  dvm_text_fini(&answer);
}

/* One child of the launcher: a proxy, or what reaches another host and has the host's name before the proxy's. */
static void look(void *arg, long child) {
  struct search *s = arg;
  const char *control, *id, *host = NULL;
  size_t len = 0, before = s->t->n;
  if (s->rc)
    return;
  long rank = sdm_rank_of(child);
  if (rank >= 0)
    sdm_targets_add(s->t, (sdm_id)rank, child, NULL);
  else
    sdm_below_ranks(child, add_here, s->t);
  char *words = sdm_below_words(child, &len);
  const char *proxy = words && s->t->n == before ? sdm_below_proxy(words, len, &control, &id) : NULL;
  for (const char *w = words; proxy && w < proxy; w += strlen(w) + 1)
    host = w;
  if (host && host != words && *host != '-' && is_plain(host) && is_plain(control) && is_plain(id))
    ask(s, host, control, id);
  free(words);
}

int sdm_hydra_read(long launcher, const char *ssh, struct sdm_targets *t, struct dvm_error *err) {
  struct search s = {t, ssh, err, 0};
  sdm_below_children(launcher, look, &s);
  return s.rc;
}
