#define _GNU_SOURCE
#include "sdm/session/target.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sdm/bytes.h"
#include "sdm/net/here.h"
#include "sdm/net/net.h"
#include "sdm/set.h"

#define RANKS_MAX (1u << 20)

void sdm_targets_add(struct sdm_targets *t, sdm_id rank, long pid, const char *host) {
  static char before[256] = "localhost"; /* a table has many rows of one host */
  static bool here_before = true;
  if (host && strcmp(before, host) && strlen(host) < sizeof(before)) {
    strcpy(before, host);
    here_before = sdm_host_is_here(host);
  }
  bool here = !host || !*host || here_before;
  t->at = sdm_realloc(t->at, (t->n + 1) * sizeof(*t->at));
  t->at[t->n++] = (struct sdm_target){rank, pid, here ? NULL : sdm_strdup(host)};
}

void sdm_targets_fini(struct sdm_targets *t) {
  for (size_t i = 0; i < t->n; i++)
    free(t->at[i].host);
  free(t->at);
  *t = (struct sdm_targets){0};
}

int sdm_targets_of_hosts(struct sdm_targets *t, const char *text, struct dvm_error *err) {
  char *copy = sdm_strdup(text), *rest = copy, *word;
  int rc = 0;
  while (!rc && (word = strsep(&rest, ","))) {
    char *colon = strchr(word, ':'), *end = NULL;
    unsigned long n = colon ? strtoul(colon + 1, &end, 10) : 1;
    if (colon)
      *colon = 0;
    if (!*word || word[0] == '-' || !n || n > RANKS_MAX || (colon && *end))
      rc = dvm_error_set(err, -EINVAL, "'%s' is not a list of hosts; expected HOST[:RANKS],...", text);
    for (unsigned long i = 0; i < n && !rc; i++)
      sdm_targets_add(t, (sdm_id)t->n, 0, word);
  }
  free(copy);
  return rc;
}

void sdm_targets_renumber(struct sdm_targets *t) {
  struct sdm_set *seen = sdm_set_new();
  for (size_t i = 0; i < t->n; i++)
    sdm_set_add_element(seen, t->at[i].rank);
  for (size_t i = 0; sdm_set_size(seen) < t->n && i < t->n; i++)
    t->at[i].rank = (sdm_id)i;
  sdm_set_free(seen);
}

int sdm_targets_keep(struct sdm_targets *t, const char *ranks, struct dvm_error *err) {
  struct sdm_set *want = sdm_set_new();
  size_t kept = 0;
  int rc = sdm_set_parse(want, ranks, err);
  for (size_t i = 0; i < t->n && !rc; i++)
    if (sdm_set_contains(want, t->at[i].rank)) {
      sdm_set_remove_element(want, t->at[i].rank);
      t->at[kept++] = t->at[i];
    } else
      free(t->at[i].host);
  if (!rc)
    t->n = kept;
  if (!rc && (!sdm_set_is_empty(want) || !kept)) {
    struct dvm_text text = DVM_TEXT_INIT;
    sdm_set_print(want, &text);
    rc = dvm_error_set(err, -ENOENT, "the job has no rank %s", dvm_text_str(&text));
    dvm_text_fini(&text);
  }
  sdm_set_free(want);
  return rc;
}

bool sdm_targets_remote(const struct sdm_targets *t) {
  for (size_t i = 0; i < t->n; i++)
    if (t->at[i].host)
      return true;
  return false;
}

/* The kernel tells which address it would use; nothing is sent. */
bool sdm_targets_own_address(const struct sdm_targets *t, char *host, size_t size) {
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM}, *list;
  bool known = false;
  for (size_t i = 0; i < t->n && !known; i++) {
    if (!t->at[i].host || getaddrinfo(t->at[i].host, "9", &hints, &list))
      continue;
    int fd = socket(list->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    known = fd >= 0 && !connect(fd, list->ai_addr, list->ai_addrlen) && !sdm_net_own_host(fd, host, (unsigned)size);
    if (fd >= 0)
      close(fd);
    freeaddrinfo(list);
  }
  return known;
}
