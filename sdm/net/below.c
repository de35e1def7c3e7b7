#define _GNU_SOURCE
#include "sdm/net/below.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "sdm/bytes.h"

#define PROXIES_DEEP 4u
#define RANKS_MAX (1 << 20)
#define WORDS_LONG (1u << 20)

long sdm_rank_of(long pid) {
  static const char *const names[] = {"OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK=", "SLURM_PROCID="};
  char path[64], *word = NULL;
  size_t size = 0;
  long rank = -1;
  snprintf(path, sizeof(path), "/proc/%ld/environ", pid);
  FILE *f = fopen(path, "r");
  while (f && rank < 0 && getdelim(&word, &size, 0, f) > 0)
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && rank < 0; i++)
      if (!strncmp(word, names[i], strlen(names[i])))
        rank = strtol(word + strlen(names[i]), NULL, 10);
  if (f)
    fclose(f);
  free(word);
  return rank < RANKS_MAX ? rank : -1;
}

void sdm_below_all(void (*found)(void *arg, long pid), void *arg) {
  DIR *proc = opendir("/proc");
  for (struct dirent *e; proc && (e = readdir(proc));) {
    long pid = strtol(e->d_name, NULL, 10);
    if (pid > 0)
      found(arg, pid);
  }
  if (proc)
    closedir(proc);
}

struct children {
  long parent;
  void (*found)(void *arg, long pid);
  void *arg;
};

static void tell_child(void *arg, long pid) {
  const struct children *c = arg;
  if (dvm_process_stat((pid_t)pid, DVM_STAT_PARENT) == c->parent)
    c->found(c->arg, pid);
}

void sdm_below_children(long pid, void (*found)(void *arg, long pid), void *arg) {
  sdm_below_all(tell_child, &(struct children){pid, found, arg});
}

struct search {
  void (*found)(void *arg, sdm_id rank, long pid);
  void *arg;
  unsigned depth;
};

static void look(void *arg, long child) {
  struct search *s = arg;
  long rank = sdm_rank_of(child);
  if (rank >= 0)
    s->found(s->arg, (sdm_id)rank, child);
  else if (s->depth)
    sdm_below_children(child, look, &(struct search){s->found, s->arg, s->depth - 1});
}

void sdm_below_ranks(long pid, void (*found)(void *arg, sdm_id rank, long pid), void *arg) {
  sdm_below_children(pid, look, &(struct search){found, arg, PROXIES_DEEP});
}

char *sdm_below_words(long pid, size_t *len) {
  char path[64];
  snprintf(path, sizeof(path), "/proc/%ld/cmdline", pid);
  FILE *f = fopen(path, "r");
  if (!f)
    return NULL;
  char *words = sdm_alloc(WORDS_LONG + 1);
  *len = fread(words, 1, WORDS_LONG, f);
  fclose(f);
  words[*len] = 0; /* the last word may be cut */
  return words;
}

/* rsh and ssh get it with quotes, for the shell behind them. */
static bool is_proxy(const char *word) {
  static const char name[] = "hydra_pmi_proxy";
  const char *at = strstr(word, name);
  return at && (at == word || at[-1] == '/' || at[-1] == '"') && (!at[sizeof(name) - 1] || !strcmp(at + sizeof(name) - 1, "\""));
}

const char *sdm_below_proxy(const char *words, size_t len, const char **control, const char **id) {
  const char *proxy = NULL, *end = words + len, *after;
  *control = *id = NULL;
  for (const char *w = words; w < end; w = after) {
    after = w + strlen(w) + 1;
    if (!proxy && is_proxy(w))
      proxy = w;
    else if (proxy && after < end && !strcmp(w, "--control-port"))
      *control = after;
    else if (proxy && after < end && !strcmp(w, "--proxy-id"))
      *id = after;
  }
  return *control && *id ? proxy : NULL;
}
