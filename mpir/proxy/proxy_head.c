/* The proxy at the controller: what nodes say goes into the controller's memory, what it wants goes out. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/commands/job_hosts.h"
#include "mpir/proxy/proxy.h"

enum { IDLE_US = 500 };
static pid_t controller_pid;

static void take_state(struct mpl_rank_state *s, const char *data, size_t bytes) {
  const size_t text = offsetof(struct mpl_rank_state, queues);
  const int32_t before = atomic_load(&s->ended);
  memcpy((char *)s + text, data + text, bytes - text); /* before 'told' */
  memcpy(s, data, text);
  if (atomic_load(&s->ended) != before)
    kill(controller_pid, SIGCHLD); /* it looks at once, as at a child's end */
}

static void take(struct proxy *p, int from, const struct proxy_head *head, const char *data) {
  struct mpl_job *job = p->job;
  if (p->set) {
    proxy_sets_heard(from);
    if (proxy_sets_take(p, head, data))
      return;
  }
  if (head->kind == PROXY_STATE && !(p->set && proxy_roles_state(p, head, data))) {
    take_state(mpl_state(job, head->from), data, head->bytes);
  } else if (head->kind == PROXY_ABORTED) {
    atomic_store(&job->abort_code, (int32_t)head->position);
    atomic_store(&job->aborted, 1);
  } else if (head->kind == PROXY_ANSWER) {
    struct mpl_box *box = mpl_box(job, (uint32_t)from - 1);
    memcpy(box->answer, data, head->bytes);
    box->answer_bytes = head->bytes;
    atomic_store(&box->answered, (uint32_t)head->position);
  }
}

static bool tell_flags(struct proxy *p, struct proxy_flags *told) {
  struct mpl_job *job = p->job;
  struct proxy_flags now = {.aborted = atomic_load(&job->aborted),
                            .held = atomic_load(&job->held),
                            .ending = atomic_load(&job->ending),
                            .asked = atomic_load(&job->asked),
                            .abort_code = atomic_load(&job->abort_code)};
  if (p->set)
    proxy_sets_flags(&now);
  if (!memcmp(&now, told, sizeof(now)))
    return false;
  for (uint32_t k = 0; k < p->nnodes; k++)
    proxy_wire_send((int)k + 1, &(struct proxy_head){PROXY_FLAGS, 0, 0, sizeof(now), 0}, &now);
  *told = now;
  return true;
}

static bool pass_questions(struct proxy *p, uint32_t *passed) {
  bool moved = false;
  for (uint32_t k = 0; k < p->nnodes; k++) {
    struct mpl_box *box = mpl_box(p->job, k);
    const uint32_t asked = atomic_load(&box->asked);
    if (asked == passed[k])
      continue;
    proxy_wire_send((int)k + 1, &(struct proxy_head){PROXY_QUESTION, 0, 0, box->question_bytes, asked}, box->question);
    passed[k] = asked;
    moved = true;
  }
  return moved;
}

void proxy_head_run(pid_t controller, int fd, int sets, unsigned side) {
  char path[64];
  struct stat st;
  struct proxy p = {.node = MPL_NODES_MAX};
  struct proxy_flags told = {0};
  bool was_moved = true;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", controller, fd);
  p.fd = open(path, O_RDWR | O_CLOEXEC);
  if (p.fd < 0 || fstat(p.fd, &st) || (p.job = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, p.fd, 0)) == MAP_FAILED) {
    perror("dvm run: error: the proxy cannot map the memory of 'dvm run'");
    exit(1);
  }
  p.nnodes = p.job->nnodes;
  controller_pid = controller;
  uint32_t *passed = calloc(p.nnodes, sizeof(*passed));
  if (sets >= 0)
    proxy_sets_open(&p, controller, sets, side);
  while (told.ending != MPL_OVER) {
    bool moved = proxy_wire_progress(&p, take);
    moved |= tell_flags(&p, &told);
    moved |= pass_questions(&p, passed);
    moved |= p.set && proxy_sets_progress(&p, !was_moved);
    was_moved = moved;
    if (!moved && p.set)
      proxy_ways_rest(IDLE_US);
    else if (!moved)
      usleep(IDLE_US);
  }
  if (p.set)
    proxy_prints_close();
  free(passed);
}
