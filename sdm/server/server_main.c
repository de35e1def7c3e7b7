/* sdm-server: one debug server.  Started once per rank by the launcher; see docs/man/sdm-server.1. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output.h"
#include "sdm/net/below.h"
#include "sdm/net/rank.h"
#include "sdm/server/hand_over.h"
#include "sdm/server/server.h"

static const char usage[] = "usage: sdm-server [--rank N] [--rendezvous HOST:PORT] [--host HOST] [--port BASE] [--port-tries N]\n"
                            "                  [--secret-file FILE] [--backend gdb|stub] [--backend-path PATH] [--io tree|oob]\n"
                            "                  [--start-timeout MS] [--orphan MS] [--orphan-do usual|detach|kill] [--ping MS] [--app N]\n"
                            "       sdm-server --list-ranks CONTROL,PROXY\n"
                            "       sdm-server --hand-over PROGRAM [ARGUMENT]...\n";

static bool number(const char *text, unsigned long max, unsigned long *out) {
  char *end;
  *out = strtoul(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *out <= max;
}

struct arguments {
  struct sdm_options o;
  struct sdm_server_options s;
  const char *secret_file;
  bool have_rank;
};

static int parse(int argc, char **argv, struct arguments *a) {
  static const struct option options[] = {
      {"rank", 1, 0, 'r'},        {"rendezvous", 1, 0, 'm'}, {"host", 1, 0, 'h'},         {"port", 1, 0, 'p'}, {"port-tries", 1, 0, 't'},
      {"secret-file", 1, 0, 's'}, {"backend", 1, 0, 'b'},    {"backend-path", 1, 0, 'B'}, {"io", 1, 0, 'i'},   {"start-timeout", 1, 0, 'S'},
      {"orphan", 1, 0, 'o'},      {"ping", 1, 0, 'P'},       {"orphan-do", 1, 0, 'O'},    {"app", 1, 0, 'A'},  {0}};
  unsigned long v = 0;
  bool good = true;
  int c;
  while (good && (c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (c) {
    case 'r':
      good = a->have_rank = number(optarg, SDM_ID_MAX, &v);
      a->o.id = (sdm_id)v;
      break;
    case 'm': a->o.rendezvous = optarg; break;
    case 'h': a->o.host = optarg; break;
    case 'p':
      good = number(optarg, 65535, &v);
      a->o.base_port = (uint16_t)v;
      break;
    case 't':
      good = number(optarg, 65535, &v);
      a->o.port_tries = (uint16_t)v;
      break;
    case 's': a->secret_file = optarg; break;
    case 'b':
      a->s.backend = !strcmp(optarg, "stub") ? &sdm_backend_stub : &sdm_backend_gdb;
      good = !strcmp(optarg, a->s.backend->name);
      break;
    case 'A':
      good = number(optarg, 1u << 20, &v);
      a->s.app = (uint32_t)v;
      break;
    case 'B': a->s.backend_path = optarg; break;
    case 'i':
      a->s.oob = !strcmp(optarg, "oob");
      good = a->s.oob || !strcmp(optarg, "tree");
      break;
    case 'S':
      good = number(optarg, 1u << 30, &v);
      a->o.start_ms = (uint32_t)v;
      break;
    case 'o':
      good = number(optarg, 1u << 30, &v);
      a->o.orphan_ms = (uint32_t)v;
      break;
    case 'O': good = !sdm_orphan_parse(optarg, &a->s.orphan); break;
    case 'P':
      good = number(optarg, 1u << 30, &v);
      a->o.ping_ms = v ? (uint32_t)v : ~0u;
      break;
    default: good = false;
    }
  }
  return good && optind == argc ? 0 : -EINVAL;
}

struct proxy {
  const char *control, *id;
};

static void print_rank(void *arg, sdm_id rank, long pid) {
  (void)arg;
  printf("%u %ld\n", rank, pid);
}

static void list_of_proxy(void *arg, long pid) {
  const struct proxy *wanted = arg;
  const char *control, *id;
  size_t len = 0;
  char *words = sdm_below_words(pid, &len);
  const char *proxy = words ? sdm_below_proxy(words, len, &control, &id) : NULL;
  if (proxy == words && proxy && !strcmp(control, wanted->control) && !strcmp(id, wanted->id))
    sdm_below_ranks(pid, print_rank, NULL);
  free(words);
}

/* The ranks that one proxy of hydra has started on this host, for a front end on another: "RANK PID" a line. */
static int list_ranks(char *text) {
  char *comma = strchr(text, ',');
  if (!comma)
    return 2;
  *comma = 0;
  sdm_below_all(list_of_proxy, &(struct proxy){text, comma + 1});
  return 0;
}

static int sdm_server_main(int argc, char **argv) {
  struct arguments a = {.o = {.role = SDM_ROLE_SERVER}, .s = {.backend = &sdm_backend_gdb}};
  struct dvm_error err = DVM_ERROR_INIT;
  if (argc > 2 && !strcmp(argv[1], "--hand-over")) {
    sdm_hand_over(argv + 2, &err);
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
    return 127;
  }
  if (argc == 3 && !strcmp(argv[1], "--list-ranks"))
    return list_ranks(argv[2]);
  if (parse(argc, argv, &a)) {
    fputs(usage, stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  signal(SIGINT, SIG_IGN); /* a ^C at the user's terminal is the front end's */
  int rc = a.have_rank ? 0 : sdm_rank_from_environment(&a.o.id, &err);
  if (!rc)
    rc = sdm_secret_take(&a.o.secret, a.secret_file, "--secret-file", &err);
  if (!rc)
    rc = sdm_server_run(&a.o, &a.s, &err);
  if (rc)
    fprintf(stderr, "sdm-server: error: rank %u: %s\n", a.o.id, err.text);
  return rc ? 1 : 0;
}

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(sdm_server_main(argc, argv));
}
