/* A rank was lost with both replicas: the job goes on from its last snapshot, by itself.  What the next command has to know of this life, it gets in a memory
   file: a line with how often the snapshot was tried, then the bytes that have been put out, a line for each rank. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "mpir/commands/job_private.h"

#define BEFORE_VARIABLE "DVM_JOB_BEFORE"
#define INPUT_VARIABLE "DVM_JOB_INPUT" /* decimal: file with what came of standard input */
enum { LOST = 68, TRIES = 5 };

static int describe(const struct job *j, const mpir_replicas_printed *printed) {
  int fd = memfd_create("dvm-job-before", 0);
  FILE *f = fd < 0 ? NULL : fdopen(dup(fd), "w");
  if (f) {
    fprintf(f, "%u\n", j->tries + 1);
    for (uint32_t i = 0; i < j->nranks; i++)
      fprintf(f, "%llu %llu\n", (unsigned long long)printed[i][0], (unsigned long long)printed[i][1]);
  }
  if (!f || fclose(f))
    return -1;
  lseek(fd, 0, SEEK_SET);
  return fd;
}

static void hand_on_input(const struct job *j) {
  char number[16];
  const int kept = j->replicas ? mpir_replicas_kept_input(j->replicas) : j->kept_input, fd = kept > 0 ? dup(kept) : -1;
  snprintf(number, sizeof(number), "%d", fd);
  if (fd >= 0)
    setenv(INPUT_VARIABLE, number, 1);
}

static void become_restart(struct job *j, const mpir_replicas_printed *printed) {
  int before = describe(j, printed);
  char self[PATH_MAX], number[16], *words[] = {self, j->snapshot, NULL};
  ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 32);
  sigset_t none;
  self[length > 0 ? length : 0] = 0;
  if (!strrchr(self, '/') || before < 0)
    return;
  strcpy(strrchr(self, '/') + 1, "dvm-restart");
  snprintf(number, sizeof(number), "%d", before);
  setenv(BEFORE_VARIABLE, number, 1);
  unsetenv("LD_PRELOAD"); /* the ranks' */
  hand_on_input(j);
  mpir_job_clock_hand_on(j->clock);
  close(j->fd);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execv(self, words);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", self, strerror(errno));
}

int mpir_job_again(struct job *j, int status) {
  if (status != LOST || !j->snapshot)
    return status;
  if (j->tries >= TRIES) {
    fprintf(stderr,
            "dvm run: error: the job was lost %d times since the snapshot '%s', which is not restarted again; use 'dvm restart' to try "
            "once more\n",
            TRIES + 1, j->snapshot);
    return status;
  }
  mpir_replicas_printed *printed = calloc(j->nranks, sizeof(*printed));
  if (!printed)
    return status;
  mpir_replicas_put_out(j->replicas, printed);
  fprintf(stderr, "dvm run: note: the job goes on from its last snapshot, '%s'; what was printed since then is not printed again\n",
          j->snapshot);
  become_restart(j, printed);
  free(printed);
  return status;
}

void mpir_job_try_again(struct job *j, const mpir_replicas_printed *before, struct dvm_error *err) {
  if (j->tries >= TRIES)
    return;
  fprintf(stderr, "dvm run: note: trying again: %s\n", err->text);
  mpir_job_socket_close(j->socket);
  j->socket = NULL;
  become_restart(j, before);
}

mpir_replicas_printed *mpir_job_before(struct job *j) {
  const char *number = getenv(BEFORE_VARIABLE);
  FILE *f = number ? fdopen(atoi(number), "r") : NULL;
  mpir_replicas_printed *known = f ? calloc(j->nranks, sizeof(*known)) : NULL;
  unsigned long long out, err;
  const char *input = getenv(INPUT_VARIABLE);
  j->kept_input = input ? atoi(input) : -1;
  if (input)
    fcntl(j->kept_input, F_SETFD, FD_CLOEXEC);
  unsetenv(INPUT_VARIABLE);
  unsetenv(BEFORE_VARIABLE);
  if (known && fscanf(f, "%u", &j->tries) == 1)
    for (uint32_t i = 0; i < j->nranks && fscanf(f, "%llu %llu", &out, &err) == 2; i++) {
      known[i][0] = out;
      known[i][1] = err;
    }
  if (f)
    fclose(f);
  return known;
}
