/* What two sets of replicas need before they are started: hosts, the memory that joins them, pipes. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "mpir/commands/job_input.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_sets_private.h"

/* The first half of the hosts and the second; none is in both. */
int mpir_sets_split(struct run *r, const char *list) {
  size_t n = 1, i = 0;
  for (const char *c = list; *c; c++)
    n += *c == ',';
  if (n < 2 || strlen(list) >= sizeof(r->sides[0].set.hosts)) {
    fputs(
        "dvm run: error: '--placement nodes' needs at least two hosts in '--hosts': the first half is for mains, the second for shadows\n",
        stderr);
    return 2;
  }
  for (const char *from = list; *from; i++) {
    const size_t length = strcspn(from, ",");
    char *to = r->sides[i < n / 2 ? SETS_MAINS : SETS_SHADOWS].set.hosts;
    sprintf(to + strlen(to), "%s%.*s", *to ? "," : "", (int)length, from);
    for (const char *a = list; i >= n / 2 && a < from; a += strcspn(a, ",") + 1) {
      const size_t m = strcspn(a, ":,");
      const bool is_main = a < list + strlen(r->sides[SETS_MAINS].set.hosts);
      if (is_main && m == strcspn(from, ":,") && !strncmp(a, from, m)) {
        fprintf(stderr,
                "dvm run: error: host '%.*s' is among the first half of '--hosts' and the second: both replicas of a rank would be there\n",
                (int)m, a);
        return 2;
      }
    }
    from += length + (from[length] == ',');
  }
  return 0;
}

int mpir_sets_make(struct run *r, const struct mpir_job_options *o) {
  struct rlimit files;
  const size_t size = sets_size(o->nranks);
  if (!getrlimit(RLIMIT_NOFILE, &files)) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }
  r->fd = memfd_create("dvm-sets", MFD_CLOEXEC);
  if (r->fd < 0 || ftruncate(r->fd, (off_t)size))
    return -errno;
  r->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
  if (r->shared == MAP_FAILED)
    return -errno;
  r->shared->command = getpid();
  r->shared->nranks = r->nranks = o->nranks;
  r->shared->determinants = o->replicas->determinants;
  r->shared->heartbeat_ms = o->replicas->heartbeat_ms;
  r->shared->mode = o->replicas->mode;
  r->shared->refresh = o->replicas->refresh && o->replicas->mode != REPLICA_CHECK;
  mpir_sets_refresh_begin(r);
  r->ranks = calloc(r->nranks, sizeof(*r->ranks));
  if (!r->ranks)
    return -ENOMEM;
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++) {
      if (!(r->ranks[i].streams[s] = mpir_output_create(s + 1, r->options->mode & REPLICA_CHECK)))
        return -errno;
      for (unsigned k = 0; k < SETS; k++)
        r->shared->ranks[i].streams[k][s] = mpir_output_end(r->ranks[i].streams[s], k);
      mpir_output_compare(r->ranks[i].streams[s]);
    }
  for (unsigned k = 0; k < SETS; k++)
    if (pipe2(r->shared->sides[k].way, O_CLOEXEC))
      return -errno;
  if (r->known)
    mpir_sets_begin_again(r);
  const int rc = mpir_input_create(0, false, &r->input);
  return rc ? rc : mpir_input_clone(r->input, SETS_SHADOWS) ? 0 : -errno;
}

void mpir_sets_unmake(struct run *r) {
  for (uint32_t i = 0; i < r->nranks; i++)
    for (int s = 0; s < REPLICA_STREAMS; s++)
      mpir_output_destroy(r->ranks[i].streams[s]);
  free(r->ranks);
  r->ranks = NULL;
  for (unsigned k = 0; k < SETS; k++) {
    close(r->shared->sides[k].way[0]);
    close(r->shared->sides[k].way[1]);
    close(r->sides[k].set.said);
    r->sides[k].how = 0;
    r->sides[k].beat = 0;
  }
  mpir_input_destroy(r->input);
  r->input = NULL;
  munmap(r->shared, sets_size(r->nranks));
  close(r->fd);
}
