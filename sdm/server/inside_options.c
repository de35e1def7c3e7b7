#define _GNU_SOURCE /* strsep */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/server/inside.h"
#include "sdm/net/net.h"

static bool number(const char *text, unsigned long max, unsigned long *out) {
  char *end;
  *out = strtoul(text, &end, 10);
  return isdigit((unsigned char)*text) && !*end && *out <= max;
}

static int keep(char *to, size_t size, const char *value, struct dvm_error *err) {
  size_t n = strlen(value);
  if (!n || n >= size)
    return dvm_error_set(err, -EINVAL, "expected a %s text", n ? "shorter" : "longer");
  memcpy(to, value, n + 1);
  return 0;
}

static int place(struct sdm_inside_options *i, const char *word, struct dvm_error *err) {
  unsigned long port;
  char host[256];
  uint16_t parsed;
  if (number(word, 65535, &port) && port) {
    i->o.base_port = (uint16_t)port;
    return 0;
  }
  if (sdm_net_parse(word, host, &parsed, err))
    return dvm_error_set(err, -EINVAL, "expected HOST\\:PORT of the debugger, or a PORT to listen at, not '%s'", word);
  i->o.rendezvous = i->rendezvous;
  return keep(i->rendezvous, sizeof(i->rendezvous), word, err);
}

static int take(struct sdm_inside_options *i, const char *word, struct dvm_error *err) {
  unsigned long rank, ms;
  if (!strcmp(word, "hold")) {
    i->hold = true;
    return 0;
  }
  if (!strncmp(word, "rank=", 5) && number(word + 5, SDM_ID_MAX, &rank)) {
    i->have_rank = true;
    i->o.id = (sdm_id)rank;
    return 0;
  }
  if ((!strncmp(word, "start=", 6) && number(word + 6, 1u << 30, &ms)) ||
      (!strncmp(word, "orphan=", 7) && number(word + 7, 1u << 30, &ms))) {
    *(word[0] == 's' ? &i->o.start_ms : &i->o.orphan_ms) = (uint32_t)ms;
    return 0;
  }
  if (!strncmp(word, "secret-fd=", 10) && number(word + 10, 1u << 20, &rank)) { /* sdm-server --hand-over */
    i->secret_fd = (int)rank;
    return 0;
  }
  if (!strncmp(word, "secret=", 7))
    return keep(i->secret_file, sizeof(i->secret_file), word + 7, err);
  if (!strncmp(word, "host=", 5)) {
    i->o.host = i->host;
    return keep(i->host, sizeof(i->host), word + 5, err);
  }
  return dvm_error_set(err, -EINVAL, "'%s' is not one of hold, rank=N, secret=FILE, host=ADDRESS, start=MS, orphan=MS", word);
}

int sdm_inside_parse(struct sdm_inside_options *i, const char *text, struct dvm_error *err) {
  char copy[2048], *rest = copy, *word;
  int rc = strlen(text) < sizeof(copy) ? 0 : dvm_error_set(err, -E2BIG, "the value is too long");
  *i = (struct sdm_inside_options){.o = {.role = SDM_ROLE_SERVER}};
  if (rc)
    return rc;
  snprintf(copy, sizeof(copy), "%s", text);
  for (unsigned n = 0; !rc && (word = strsep(&rest, ",")); n++)
    rc = n ? take(i, word, err) : place(i, word, err);
  return rc;
}
