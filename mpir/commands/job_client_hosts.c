/* Leading the checkpoint of a job on several hosts: each node's part saves what is there, and here the snapshot is put together. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/commands/client_set_private.h"
#include "mpir/commands/job_client_private.h"
#include "mpir/commands/job_hosts.h"
#include "mpir/crs/crs_fault.h"

#define REMOVE_TRIES 100
#define REMOVE_US 50000

struct lead {
  int connection;
  struct mpl_job *shared;
  bool has_images[MPL_NODES_MAX]; /* ranks there are to be saved */
  uint32_t stopped;
};

/* The controller holds its end of our connection. */
static bool is_alive(void *arg) {
  struct pollfd p = {((struct lead *)arg)->connection, POLLRDHUP, 0};
  return poll(&p, 1, 0) == 0 || !(p.revents & (POLLHUP | POLLRDHUP | POLLERR));
}

static int map_boxes(struct lead *l, pid_t controller, int descriptor, struct dvm_error *err) {
  char path[64];
  struct stat st;
  snprintf(path, sizeof(path), "/proc/%d/fd/%d", controller, descriptor);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && !fstat(fd, &st))
    l->shared = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || !l->shared || l->shared == MAP_FAILED) {
    l->shared = NULL;
    dvm_error_errno(err, "cannot map the memory of process %d", controller);
  }
  if (fd >= 0)
    close(fd);
  return l->shared ? 0 : err->code;
}

/* Asks all nodes, and waits for all of them, also when one says no. */
static int ask_all(struct lead *l, const struct hosts_question *q, const char *folder, struct crs_reply *sum, struct dvm_error *err) {
  static struct hosts_answer a;
  static struct hosts_question one;
  int rc = 0;
  for (uint32_t k = 0; k < l->shared->nnodes; k++) {
    one = *q;
    if (folder)
      snprintf(one.request.path, sizeof(one.request.path), "%.4000s/" MPIR_JOB_NODE, folder, k);
    mpir_hosts_ask(l->shared, k, &one);
  }
  for (uint32_t k = 0; k < l->shared->nnodes; k++) {
    struct dvm_error other = DVM_ERROR_INIT;
    int bad = mpir_hosts_answer(l->shared, k, &a, is_alive, l, rc ? &other : err);
    rc = rc ? rc : bad;
    if (bad)
      continue;
    if (q->what == HOSTS_STOP) {
      l->has_images[k] = a.count > 0;
      l->stopped += a.count;
      if (a.count && !sum->path[0])
        memcpy(sum->path, a.reply.path, sizeof(sum->path));
    }
    sum->image_size += a.reply.image_size;
    sum->data_size += a.reply.data_size;
    sum->threads += a.reply.threads;
    sum->stop_ns = a.reply.stop_ns > sum->stop_ns ? a.reply.stop_ns : sum->stop_ns;
    sum->held_ns = a.reply.held_ns > sum->held_ns ? a.reply.held_ns : sum->held_ns;
    sum->total_ns = a.reply.total_ns > sum->total_ns ? a.reply.total_ns : sum->total_ns;
    const size_t used = strlen(sum->text);
    snprintf(sum->text + used, sizeof(sum->text) - used, "%s", a.reply.text);
  }
  return rc;
}

/* Which image has which rank: the sets of the nodes say, since their images are named by ranks. */
static int fill_ranks(const struct lead *l, struct mpir_job_manifest *m, const uint8_t *wanted, const char *folder, struct dvm_error *err) {
  m->nnodes = l->shared->nnodes;
  m->nodes = calloc(m->nnodes, sizeof(*m->nodes));
  for (uint32_t i = 0; i < m->nranks; i++)
    m->ranks[i].state = atomic_load(&mpl_state(l->shared, i)->ended) ? MPIR_RANK_ENDED : MPIR_RANK_LEFT_OUT;
  for (uint32_t k = 0; k < m->nnodes; k++) {
    char path[PATH_MAX];
    snprintf(m->nodes[k].host, sizeof(m->nodes[k].host), "%s", mpl_box(l->shared, k)->host);
    if (!l->has_images[k])
      continue;
    snprintf(path, sizeof(path), "%s/" MPIR_JOB_NODE, folder, k);
    struct mpir_set *set = mpir_set_read(path, err);
    for (size_t i = 0; set && i < set->member_count; i++) {
      unsigned rank;
      if (set->members[i].ended || sscanf(set->members[i].image, "rank-%u.ckpt", &rank) != 1 || rank >= m->nranks || !wanted[rank])
        continue;
      m->ranks[rank].state = MPIR_RANK_SAVED;
      m->ranks[rank].pid = set->members[i].pid;
      snprintf(m->ranks[rank].image, sizeof(m->ranks[rank].image), MPIR_JOB_NODE "/%.50s", k, set->members[i].image);
    }
    if (!set)
      return err->code;
    mpir_set_free(set);
  }
  return 0;
}

/* A node without ranks that run has no images, but memory: what its ranks have sent last. */
static int stop_all(struct lead *l, struct hosts_question *q, struct crs_reply *reply, struct dvm_error *err) {
  q->what = HOSTS_STOP;
  int rc = ask_all(l, q, NULL, reply, err);
  return rc || l->stopped ? rc : dvm_error_set(err, -ESRCH, "all ranks to be saved have ended");
}

static int save_all(struct lead *l, struct hosts_question *q, const char *temporary, struct crs_reply *reply, struct dvm_error *err) {
  int rc;
  q->what = HOSTS_SAVE;
  rc = ask_all(l, q, temporary, reply, err);
  mpir_crs_fault("job-copied");
  q->what = HOSTS_FINISH;
  return rc ? rc : ask_all(l, q, NULL, reply, err);
}

/* A node that is just dying, because mpirun is gone, may still write into it. */
static void remove_all(const char *folder) {
  for (int tries = 0; tries < REMOVE_TRIES; tries++) {
    mpir_set_remove(folder);
    if (access(folder, F_OK))
      return;
    usleep(REMOVE_US);
  }
}

int mpir_job_checkpoint_hosts(int connection, const struct mpir_job_lead *lead, struct crs_request *request, struct crs_reply *reply,
                              struct dvm_error *err) {
  static struct hosts_question q;
  struct lead l = {.connection = connection};
  char temporary[CRS_PATH_MAX + 32] = "";
  const bool of_set = lead->answer->holder;
  int rc = map_boxes(&l, of_set ? lead->answer->holder : lead->controller, lead->answer->descriptor, err);
  if (rc)
    return rc;
  const bool ends = request->signal == SIGKILL;
  q.request = *request;
  memcpy(q.wanted, lead->wanted, sizeof(q.wanted));
  rc = stop_all(&l, &q, reply, err);
  mpir_crs_fault("job-stands");
  if (!rc)
    rc = lead->name(lead, reply->path, sizeof(reply->path), err);
  if (!rc) {
    snprintf(temporary, sizeof(temporary), "%s.tmp%d", reply->path, (int)getpid());
    rc =
        mkdir(temporary, 0700) ? dvm_error_errno(err, "cannot create the folder '%s'", temporary) : save_all(&l, &q, temporary, reply, err);
  }
  struct mpir_job_manifest *m = rc ? NULL : lead->describe(lead);
  if (!rc)
    rc = m ? fill_ranks(&l, m, lead->wanted, temporary, err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = lead->seal(lead, m, temporary, err);
  mpir_job_manifest_free(m);
  mpir_crs_fault("job-sealed");
  if (!rc)
    rc = mpir_gather_place(temporary, reply->path, err);
  if (!rc && ends && !(rc = lead->ends(lead, err))) {
    if (of_set) /* the command ends both sets, and the ranks here while they stand */
      return 0;
    q.what = HOSTS_KILL;
    rc = ask_all(&l, &q, NULL, reply, err);
  }
  q.what = HOSTS_END;
  ask_all(&l, &q, NULL, reply, &(struct dvm_error)DVM_ERROR_INIT);
  if (rc && temporary[0])
    remove_all(temporary);
  return rc;
}
