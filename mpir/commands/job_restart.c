/* A job from its snapshot: its ranks become what they were, and the command their controller. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "mpir/commands/deadlock.h"
#include "mpir/commands/job_memory.h"
#include "mpir/commands/job_private.h"
#include "mpir/commands/job_start.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/image/image_set.h"

struct restarting {
  struct job job;
  const struct mpir_job_manifest *m;
  const struct mpir_set *set;
  void (*announce)(const struct mpir_restarted *);
  void (*announce_job)(const struct job *);
  mpir_replicas_printed *before; /* what the command whose place this one has taken has put out, by rank; or NULL */
};

static int map_segment(struct job *j, struct dvm_error *err) {
  struct stat st;

  if (fstat(j->fd, &st) || st.st_size < (off_t)sizeof(*j->shared))
    return dvm_error_set(err, -EBADMSG, "the images hold no memory of a job");
  j->shared = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, j->fd, 0);
  if (j->shared == MAP_FAILED)
    return dvm_error_errno(err, "cannot map the memory of the job");
  if (j->shared->magic != MPL_MAGIC || j->shared->version != MPL_VERSION || j->shared->nranks != j->nranks ||
      (uint64_t)st.st_size < j->shared->size)
    return dvm_error_set(err, -EBADMSG, "the memory of the job in the images is not that of a job of %u ranks of this version", j->nranks);
  return 0;
}

/* MPI_Wtime goes on where it stood, on whatever host. */
static void move_clock(struct mpl_job *shared) {
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  shared->start_ns += t.tv_sec * 1000000000 + t.tv_nsec - shared->stopped_ns;
}

static void find_ranks(struct restarting *r, const struct mpir_restarted *out) {
  struct job *j = &r->job;
  size_t n = 0;

  for (size_t i = 0; i < r->set->member_count; i++) {
    if (r->set->members[i].ended)
      continue;
    for (uint32_t k = 0; k < j->nranks; k++)
      if (r->m->ranks[k].state == MPIR_RANK_SAVED && r->m->ranks[k].pid == r->set->members[i].pid) {
        j->pids[k] = out->all[n];
        j->how_index[k] = (int)i;
        j->alive++;
      }
    n++;
  }
}

/* Mains make their shadows anew.  In a namespace they would be the children of its first process. */
static int resume_replicas(struct restarting *r, const struct mpir_restarted *out, struct dvm_error *err) {
  struct job *j = &r->job;

  if (out->how) {
    fputs("dvm restart: note: the ranks go on without shadows: they are in a pid namespace, since their process numbers are taken or "
          "cannot be chosen by this user\n",
          stderr);
    if (r->before)
      fputs("dvm restart: note: without them what was printed since the snapshot is printed again\n", stderr);
    if (replica_job(j->shared)->input_at)
      fputs("dvm restart: note: without them rank 0 reads standard input of this command alone: what had come and was not read is lost\n",
            stderr);
    mpir_replicas_renounce(j->shared);
    return 0;
  }
  j->replicas = mpir_replicas_resume(j->shared, j->pids, r->before, j->kept_input, err);
  return j->replicas ? 0 : err->code;
}

/* All ranks are what they were, none runs yet. */
static int on_ready(void *arg, const struct mpir_restarted *out, struct dvm_error *err) {
  struct restarting *r = arg;
  struct job *j = &r->job;
  int rc = map_segment(j, err);

  if (rc)
    return rc;
  move_clock(j->shared);
  find_ranks(r, out);
  if (out->how) {
    j->how = out->how;
    j->init = out->child;
  }
  j->deadlock = mpir_deadlock_create(j->shared);
  rc = j->shared->replicas_at ? resume_replicas(r, out, err) : 0;
  mpir_crs_fault("job-restored");
  return rc;
}

static int check(const struct mpir_job_manifest *m, const struct mpir_set *set, const char *path, struct dvm_error *err) {
  if (mpir_job_is_partial(m))
    return dvm_error_set(err, -EINVAL, "'%s' is partial: it lacks the images of some of the %u ranks and can only be inspected", path,
                         m->nranks);
  for (uint32_t i = 0; i < m->nranks; i++) {
    const int member = m->ranks[i].state == MPIR_RANK_SAVED ? mpir_set_find(set, m->ranks[i].pid) : 0;

    if (member < 0 || (m->ranks[i].state == MPIR_RANK_SAVED && strcmp(set->members[member].image, m->ranks[i].image) != 0))
      return dvm_error_set(err, -EBADMSG, "'%s' is damaged: the list of the set has no image for rank %u", path, i);
  }
  return mpir_job_manifest_verify(m, path, err);
}

static int run(struct restarting *r, const char *path, const struct mpir_restart_options *options, struct dvm_error *err) {
  struct mpir_restart_options o = *options;
  struct mpir_restarted out;
  struct job *j = &r->job;
  sigset_t before;
  int rc;

  j->fd = memfd_create(MPL_SEGMENT_NAME, MFD_CLOEXEC);
  if (j->fd < 0)
    return dvm_error_errno(err, "cannot create the memory of the job");
  o.given_name = "/memfd:" MPL_SEGMENT_NAME " (deleted)";
  o.given_fd = j->fd;
  o.tied = true;
  o.ready = on_ready;
  o.ready_arg = r;
  rc = mpir_restart(path, &o, &out, err);
  if (rc)
    return rc;
  mpir_job_catch(j, &before); /* ranks have their own masks from the images; what ended before is still to be waited for */
  mpir_table_fill(j, NULL);
  r->announce(&out);
  mpir_table_tell();
  return mpir_job_watch(j);
}

/* On several hosts: each rank by the proxy of its node.  'is_moved': the snapshot is removed as soon as it has been read. */
static int run_on_hosts(struct restarting *r, const char *path, bool is_moved, const struct mpir_job_options *job,
                        const struct mpir_restart_options *options, struct dvm_error *err) {
  const char flags[] = {options->debug ? 'd' : '-', options->restore_files ? 'f' : '-', options->truncate ? 't' : '-', 0};
  char library[PATH_MAX + 32] = "-", snapshot[PATH_MAX];
  struct job *j = &r->job;
  const size_t size = mpl_boxes_size(j->nranks, mpir_hosts_count(j->hosts));
  sigset_t before;
  int rc;

  if (!realpath(path, snapshot))
    return dvm_error_errno(err, "cannot find '%s'", path);
  mpir_job_layer(library, sizeof(library));
  j->fd = memfd_create(MPL_SEGMENT_NAME, MFD_CLOEXEC);
  if (j->fd < 0 || ftruncate(j->fd, (off_t)size) ||
      (j->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, j->fd, 0)) == MAP_FAILED)
    return dvm_error_errno(err, "cannot create the memory of the job");
  *j->shared = (struct mpl_job){.magic = MPL_MAGIC,
                                .version = MPL_VERSION,
                                .nranks = j->nranks,
                                .eager_limit = r->m->eager_limit,
                                .strict = r->m->strict,
                                .size = size,
                                .universe = j->nranks};
  mpir_hosts_describe(j->hosts, j->shared);
  j->deadlock = mpir_deadlock_create(j->shared);
  mpir_deadlock_set_where(j->deadlock, mpir_hosts_where, j);
  mpir_job_catch(j, &before);
  rc = mpir_hosts_start(
      j->hosts, j, &(struct mpir_hosts_what){.launcher = job->launcher, .library = library, .snapshot = snapshot, .flags = flags}, &before);
  if (rc)
    return dvm_error_set(err, rc, "cannot start mpirun: %s", strerror(-rc));
  for (uint32_t i = 0; i < j->nranks; i++)
    j->alive += r->m->ranks[i].state == MPIR_RANK_SAVED;
  rc = mpir_hosts_restored(j->hosts, j->shared, err);
  if (is_moved)
    mpir_set_remove(path);
  if (rc) {
    mpir_hosts_finish(j->hosts, j->shared);
    return rc;
  }
  mpir_crs_fault("job-restored");
  rc = mpir_hosts_await(j->hosts, j);
  for (uint32_t i = 0; i < j->nranks; i++)
    if (r->m->ranks[i].state != MPIR_RANK_SAVED)
      j->pids[i] = 0;
  mpir_table_fill(j, NULL);
  r->announce_job(j);
  mpir_table_tell();
  return mpir_job_watch(j);
}

static int open_job(struct restarting *r, const struct mpir_job_options *job, struct dvm_error *err) {
  int rc = mpir_job_open(&r->job, err);

  if (rc != -EEXIST || job->name)
    return rc;
  fprintf(stderr, "dvm restart: note: another job is named '%s'; this one is named by its process number, %d\n", r->job.name, getpid());
  r->job.name[0] = '\0';
  *err = (struct dvm_error)DVM_ERROR_INIT;
  return mpir_job_open(&r->job, err);
}

/* As it was, where nothing else is said. */
static int choose_hosts(struct restarting *r, const struct mpir_job_options *job, struct dvm_error *err) {
  const struct mpir_job_manifest *m = r->m;
  char *list = job->hosts ? strdup(job->hosts) : NULL;
  size_t size;
  FILE *f;

  if (!m->nnodes)
    return 0;
  if (!list && (f = open_memstream(&list, &size))) {
    for (uint32_t k = 0; k < m->nnodes; k++) {
      uint32_t count = 0;

      for (uint32_t i = 0; i < m->nranks; i++)
        count += m->ranks[i].state == MPIR_RANK_SAVED ? mpir_job_node_of(&m->ranks[i]) == (int)k : 0;
      fprintf(f, "%s%s", k ? "," : "", m->nodes[k].host);
      if (m->nnodes > 1 && count)
        fprintf(f, ":%u", count);
    }
    fclose(f);
  }
  r->job.hosts = list ? mpir_hosts_create(list, m->nranks, err) : NULL;
  free(list);
  return r->job.hosts ? 0 : err->code;
}

static int check_set(const struct mpir_job_manifest *m, const struct mpir_set *set, const char *path, struct dvm_error *err) {
  if (!m->nnodes)
    return check(m, set, path, err);
  if (mpir_job_is_partial(m))
    return dvm_error_set(err, -EINVAL, "'%s' is partial: it lacks the images of some of the %u ranks and can only be inspected", path,
                         m->nranks);
  return mpir_job_manifest_verify(m, path, err);
}

/* A job that was on one host goes to others in the form of one that was on several, for as long as it is read. */
static int move_to_hosts(const char *path, char *moved, size_t size, struct mpir_job_manifest **m, struct mpir_set **set,
                         struct dvm_error *err) {
  size_t length = strlen(path);
  int rc;

  while (length > 1 && path[length - 1] == '/')
    length--;
  snprintf(moved, size, "%.*s.tmp%d", (int)length, path, (int)getpid());
  rc = mpir_job_to_hosts(*m, path, moved, err);
  mpir_job_manifest_free(*m);
  mpir_set_free(*set);
  *m = rc ? NULL : mpir_job_manifest_read(moved, err);
  *set = *m ? mpir_set_read(moved, err) : NULL;
  return rc ? rc : *set ? 0 : err->code;
}

int mpir_job_restart(const char *path, const struct mpir_job_options *job, const struct mpir_restart_options *options,
                     const struct mpir_job_announce *announce, struct dvm_error *err) {
  struct mpir_job_manifest *m = mpir_job_manifest_read(path, err);
  struct mpir_set *set = m ? mpir_set_read(path, err) : NULL;
  int rc = set ? check_set(m, set, path, err) : err->code;
  char moved[PATH_MAX] = "";
  bool named = false;

  if (!rc && !m->nnodes && (job->hosts || job->launcher))
    rc = move_to_hosts(path, moved, sizeof(moved), &m, &set, err);
  if (!rc) {
    struct restarting r = {.m = m,
                           .set = set,
                           .announce = announce->processes,
                           .announce_job = announce->ranks,
                           .job = {.nranks = m->nranks,
                                   .checkpointable = true,
                                   .command = strdup(m->command),
                                   .folder = strdup(m->folder),
                                   .pids = calloc(m->nranks, sizeof(pid_t)),
                                   .how_index = calloc(m->nranks, sizeof(int)),
                                   .clock = mpir_job_clock_create()}};

    snprintf(r.job.name, sizeof(r.job.name), "%s", job->name ? job->name : m->name);
    r.job.snapshot = realpath(path, NULL);
    r.before = mpir_job_before(&r.job);
    rc = choose_hosts(&r, job, err);
    if (!rc)
      rc = open_job(&r, job, err);
    named = !rc && !r.job.hosts; /* by mpir_restart */
    if (!rc)
      rc = r.job.hosts ? run_on_hosts(&r, *moved ? moved : path, *moved, job, options, err) : run(&r, path, options, err);
    if (rc < 0 && r.before)
      mpir_job_try_again(&r.job, r.before, err);
    free(r.before);
  }
  if (*moved)
    mpir_set_remove(moved);
  mpir_job_manifest_free(m);
  mpir_set_free(set);
  if (rc < 0 && !named)
    dvm_error_wrap(err, "cannot restart '%s'", path);
  return rc < 0 ? -1 : rc;
}
