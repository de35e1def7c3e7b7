#include "sdm/command/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/usage.h"
#include "sdm/session/held.h"
#include "sdm/session/proctable.h"

/* How many words the command itself has: "dvm-run", or "dvm run"; 0: it is another one. */
static int own_words(char *const *launcher, int n) {
  const char *slash = n ? strrchr(launcher[0], '/') : NULL, *base = slash ? slash + 1 : n ? launcher[0] : "";
  return !strcmp(base, "dvm-run") ? 1 : n > 1 && !strcmp(base, "dvm") && !strcmp(launcher[1], "run") ? 2 : 0;
}

bool sdm_job_is_one(char *const *launcher, int n) {
  bool saved = false;
  for (int i = own_words(launcher, n); i && i < n; i++)
    saved |= !strcmp(launcher[i], "--checkpointable");
  return saved;
}

/* "-n 4", "-n4", "-np 4", "--np 4", "--np=4"; 0: it is not said. */
static unsigned long ranks_of(char *const *launcher, int n) {
  unsigned long ranks = 0;
  for (int i = 0; i < n; i++) {
    const char *w = launcher[i];
    bool next = !strcmp(w, "-n") || !strcmp(w, "-np") || !strcmp(w, "--np");
    const char *number = next && i + 1 < n               ? launcher[i + 1]
                         : !strncmp(w, "--np=", 5)       ? w + 5
                         : !next && !strncmp(w, "-n", 2) ? w + 2
                                                         : NULL;
    if (number && !dvm_usage_number(number, 1, SDM_JOB_RANKS_MAX, &ranks))
      return 0;
  }
  return ranks;
}

json_t *sdm_job_command(struct sdm_arguments *a, struct dvm_error *err) {
  unsigned long ranks = ranks_of(a->line, a->parts[0].program);
  int own = own_words(a->line, a->parts[0].program), n = 0;
  char *words[SDM_ARGUMENTS_MAX + 2];
  a->s.command = NULL;
  if (!ranks) {
    dvm_error_set(err, -EINVAL, "'%s' is not told how many ranks to start: '-n RANKS' is missing or wrong", a->line[0]);
    return NULL;
  }
  for (char **w = a->line; *w && n < SDM_ARGUMENTS_MAX; w++) {
    words[n++] = *w;
    if (n == own)
      words[n++] = (char *)"--debug";
  }
  words[n] = NULL;
  a->job = sdm_job_start(words, (uint32_t)ranks, a->json, &a->targets, err);
  if (a->job < 0)
    return NULL;
  a->owns_job = true;
  a->s.targets = &a->targets;
  return sdm_attach_command(&a->targets);
}
