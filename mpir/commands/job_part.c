/* What leads a checkpoint on one node of a job: it stops the ranks there, has them saved, and lets them go, as it is told.  When its socket is closed
   before the end all go on, and it leaves nothing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "mpir/commands/client_set_private.h"
#include "mpir/commands/job_hosts.h"

struct part {
  struct mpl_job *job;
  int segment;
  int32_t pids[MPIR_JOB_RANKS_MAX];
  struct mpir_gather_job gather_job;
  struct mpir_gathering g;
  struct crs_request request;
  struct crs_reply reply;
  char folder[CRS_PATH_MAX]; /* in one with a name for the moment */
  bool begun;
};

static int stop_rank(struct part *p, uint32_t rank, struct dvm_error *err) {
  struct mpl_rank_state *s = mpl_state(p->job, rank);
  const size_t before = p->g.set->member_count;
  int rc;
  if (atomic_load(&s->phase) == MPL_ABSENT)
    return dvm_error_set(err, -EAGAIN, "rank %u (process %d) has not called MPI_Init yet", rank, p->pids[rank]);
  rc = mpir_gather_add(&p->g, p->pids[rank], -1);
  if (!rc && p->g.set->member_count == before)
    return dvm_error_set(err, -ESRCH, "rank %u (process %d) has just ended", rank, p->pids[rank]);
  return rc;
}

static int stop(struct part *p, const struct hosts_question *q, struct hosts_answer *a, struct dvm_error *err) {
  struct timespec t;
  struct stat st;
  int rc = p->begun || fstat(p->segment, &st) ? dvm_error_set(err, -EBUSY, "a checkpoint has already begun") : 0;
  p->request = q->request;
  if (!rc)
    rc = mpir_gather_begin(&p->g, &p->request, err);
  p->begun = !rc;
  p->gather_job = (struct mpir_gather_job){.pids = p->pids, .nranks = p->job->nranks, .apart = true, .singly = p->job->replicas_at};
  if (!rc) {
    p->gather_job.segment = (struct crs_object){.device = st.st_dev, .inode = st.st_ino};
    p->g.job = &p->gather_job;
  }
  for (uint32_t i = 0; i < p->job->nranks; i++) {
    const struct mpl_rank_state *s = mpl_state(p->job, i);
    p->pids[i] = s->node == p->job->node && !atomic_load(&s->ended) ? atomic_load(&s->pid) : 0;
  }
  for (uint32_t i = 0; i < p->job->nranks && !rc; i++)
    if (p->pids[i] > 0 && q->wanted[i]) {
      rc = stop_rank(p, i, err);
      a->count++;
    }
  if (!rc)
    mpir_gather_order(&p->g);
  clock_gettime(CLOCK_MONOTONIC, &t);
  p->job->stopped_ns = t.tv_sec * 1000000000 + t.tv_nsec;
  if (!rc)
    memcpy(a->reply.path, p->g.path, sizeof(a->reply.path));
  return rc;
}

static int save(struct part *p, const struct hosts_question *q, struct dvm_error *err) {
  char path[CRS_PATH_MAX + 32];
  int rc;
  if (!p->begun)
    return dvm_error_set(err, -EINVAL, "no checkpoint is under way there");
  if (mkdir(q->request.path, 0700))
    return dvm_error_errno(err, "cannot create the folder '%s' (all hosts must see the folder of the snapshot)", q->request.path);
  snprintf(p->folder, sizeof(p->folder), "%s", q->request.path);
  snprintf(path, sizeof(path), "%s/" MPIR_JOB_SEGMENT, p->folder);
  rc = mpir_segment_write(p->job, p->segment, path, err);
  return rc || !p->g.set->member_count ? rc : mpir_gather_copy(&p->g, p->folder, p->request.flags & CRS_IGNORE_FILES);
}

static int finish(struct part *p, struct hosts_answer *a, struct dvm_error *err) {
  int rc = p->folder[0] ? 0 : dvm_error_set(err, -EINVAL, "no rank was copied there");
  if (!rc && p->request.signal != SIGKILL)
    rc = mpir_gather_finish(&p->g, &p->reply);
  if (!rc && p->g.set->member_count)
    rc = mpir_set_write(p->g.set, p->folder, err);
  mpir_gather_sum(&p->g, &p->reply);
  a->reply = p->reply;
  return rc;
}

static void kill_all(const struct part *p) {
  for (size_t i = 0; p->begun && i < p->g.set->member_count; i++)
    if (p->g.connections[i] >= 0 && p->request.signal)
      kill(p->g.pids[i], p->request.signal);
}

/* What still has its name for the moment is given up. */
static void end(struct part *p) {
  if (p->folder[0]) {
    *strrchr(p->folder, '/') = '\0';
    mpir_set_remove(p->folder);
  }
  if (p->begun)
    mpir_gather_end(&p->g, &p->reply);
}

static bool map(struct part *p, int fd, int segment) {
  struct stat st;
  p->segment = segment;
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  fcntl(segment, F_SETFD, FD_CLOEXEC);
  if (fstat(segment, &st))
    return false;
  p->job = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, segment, 0);
  return p->job != MAP_FAILED;
}

/* The memory that it shares with others is not a part of it. */
static int save_alone(struct part *p, const char *folder, struct dvm_error *err) {
  static struct hosts_answer a;
  if (mkdir(folder, 0700))
    return dvm_error_errno(err, "cannot create the folder '%s'", folder);
  int rc = mpir_gather_copy(&p->g, folder, false);
  if (!rc)
    rc = mpir_gather_finish(&p->g, &a.reply);
  return rc ? rc : mpir_set_write(p->g.set, folder, err);
}

int mpir_job_part_save(int fd, int segment, uint32_t rank, const char *folder) {
  static struct part p;
  static struct hosts_question q = {.request = {.flags = CRS_NO_SYNC | CRS_NO_FORK}};
  static struct hosts_answer a;
  struct dvm_error err = DVM_ERROR_INIT;
  q.wanted[rank] = 1;
  int rc = map(&p, fd, segment) ? stop(&p, &q, &a, &err) : dvm_error_errno(&err, "cannot map the memory of the job");
  if (!rc)
    rc = save_alone(&p, folder, &err);
  if (p.begun)
    mpir_gather_end(&p.g, &p.reply);
  if (rc && send(fd, err.text, strlen(err.text), MSG_NOSIGNAL) < 0)
    return 2;
  return rc ? 1 : 0;
}

void mpir_job_part_remove(const char *folder) { mpir_set_remove(folder); }

int mpir_job_part(int fd, int segment) {
  static struct part p;
  static struct hosts_question q;
  if (!map(&p, fd, segment))
    return 1;
  while (recv(fd, &q, sizeof(q), 0) == (ssize_t)sizeof(q)) {
    static struct hosts_answer a;
    static struct dvm_error err;
    memset(&a, 0, sizeof(a));
    err = (struct dvm_error)DVM_ERROR_INIT;
    switch ((enum hosts_what)q.what) {
    case HOSTS_STOP: a.code = stop(&p, &q, &a, &err); break;
    case HOSTS_SAVE:
      p.g.err = &err;
      a.code = save(&p, &q, &err);
      break;
    case HOSTS_FINISH:
      p.g.err = &err;
      a.code = finish(&p, &a, &err);
      break;
    case HOSTS_KILL: kill_all(&p); break;
    default: end(&p); return 0;
    }
    snprintf(a.text, sizeof(a.text), "%s", err.text);
    if (send(fd, &a, sizeof(a), MSG_NOSIGNAL) != (ssize_t)sizeof(a))
      break;
  }
  end(&p);
  return 0;
}
