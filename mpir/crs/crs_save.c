/* Saving the stopped process: collect, copy by fork, let a copy write; and waking up in a restarted process. */
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "mpir/crs/crs_clock.h"
#include "mpir/crs/crs_descriptors.h"
#include "mpir/crs/crs_dump.h"
#include "mpir/crs/crs_semaphores.h"
#include "mpir/crs/crs_track.h"
#include "mpir/crs/crs_fault.h"
#include "mpir/crs/crs_helper.h"
#include "mpir/crs/sys.h"

static void *area_map(size_t size, int flags) {
  void *p = (void *)sys6(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);

  return sys_failed((long)p) ? NULL : p;
}

static void plain_copy(char *to, size_t size, const char *from) {
  struct plain_text t = {to, size, 0};

  to[0] = '\0';
  mpir_plain_add(&t, from);
}

static int dump_semaphores(struct crs_dump *d) {
  bool too_many;

  d->semaphore_count = mpir_crs_semaphores_held(&d->semaphores, &too_many);
  return too_many ? mpir_dump_fail(d, -E2BIG, "more than 4096 System V semaphores are changed under SEM_UNDO") : 0;
}

static int collect(struct crs_dump *d) {
  int rc = mpir_dump_threads(d), children, files;

  if (!rc)
    rc = mpir_dump_credentials(d);
  if (!rc)
    rc = mpir_dump_header(d);
  if (!rc)
    rc = mpir_dump_timers(d);
  if (!rc)
    rc = dump_semaphores(d);
  if (rc)
    return rc;
  children = mpir_dump_children(d); /* both lists, so that a refusal names all that was found */
  files = mpir_dump_files(d);
  rc = children ? children : files;
  if (!rc && (d->request->flags & CRS_STRICT) && d->notices.len) {
    mpir_plain_add(&d->why, d->notices_text);
    rc = -EOPNOTSUPP;
  }
  return rc;
}

/* To end takes a while, for its memory is as large as the program's, and nobody waits for it: until then it holds nothing that whoever
 * kills the program now could want to have back at once (the numbers of its session and group, ports, locks, pipes, the terminal). */
static void writer_detach(void) {
  sys0(SYS_setsid);
  sys3(SYS_close_range, 0, ~0u, 0);
  sys1(SYS_chdir, (long)"/");
}

/* In the forked copy: writes, leaves its verdict in the shared page, ends. */
static _Noreturn void writer_run(struct crs_dump *d, const char *path) {
  struct dump_result *result = d->result;
  int rc;

  sys2(SYS_prctl, PR_SET_NAME, "dvm-cr-write");
  if (crs.main_ended) /* whose process does not tell it any more; we have it from there */
    d->process.core_filter = mpir_dump_core_filter();
  mpir_crs_fault_in("writer-killed", d->header.sequence);
  rc = mpir_dump_write(d, path);
  result->image_size = d->header.image_size;
  result->data_size = d->data_size;
  atomic_store(&result->code, rc); /* whatever befalls us from here on */
  writer_detach();
  atomic_store(&result->detached, 1);
  sys_futex_wake(&result->detached);
  mpir_crs_fault_in("writer-ends", d->header.sequence);
  for (;;)
    sys1(SYS_exit_group, 0);
}

static void unlink_temporary(const char *path, pid_t writer) {
  char temporary[CRS_PATH_MAX + 32];
  struct plain_text t = PLAIN_TEXT(temporary);

  mpir_plain_add(&t, path);
  mpir_plain_add(&t, ".tmp");
  mpir_plain_add_dec(&t, writer);
  sys1(SYS_unlink, temporary);
}

/* Whether there is anything that the program could change under the writer's eyes. */
static bool is_shared_with_copy(const struct crs_dump *d) {
  for (unsigned i = 0; i < d->map_count; i++)
    if (dump_is_written_first(&d->maps[i]))
      return true;
  for (unsigned i = 0; i < d->file_count; i++)
    if (dump_is_copied_later(d, &d->files[i]))
      return true;
  return false; /* what stands in pipes and sockets has been copied */
}

/* A copy whose image is whole, and that takes a while to end: its memory is as large as ours. */
static pid_t ending CRS_FORKED;

void mpir_crs_save_reap(void) {
  int status;

  while (ending && sys4(SYS_wait4, ending, &status, __WALL, NULL) == -EINTR)
    ;
  ending = 0;
}

/* The parent's side: waits until the copy has saved what is shared, lets the threads go, looks up the hints for the copy, waits for the whole. */
static int writer_wait(struct crs_dump *d, pid_t writer, const char *path, struct crs_reply *reply, int connection) {
  struct dump_result *result = d->result;
  const bool shares = is_shared_with_copy(d);
  int status = 0, others;
  long got = 0;

  while (shares && !atomic_load(&result->shared_written)) {
    sys_futex_wait(&result->shared_written, 0, 50000000);
    got = sys4(SYS_wait4, writer, &status, WNOHANG | __WALL, NULL);
    if (got == writer)
      break;
  }
  others = mpir_crs_group_copied(d->request, connection, d->notices_text);
  reply->held_ns = (uint64_t)(sys_monotonic_ns() - crs.stopped_at_ns);
  mpir_crs_release(others);
  if (got != writer)
    mpir_dump_hints_for(d, writer);
  while (got != writer && !atomic_load(&result->detached)) {
    sys_futex_wait(&result->detached, 0, 50000000);
    got = sys4(SYS_wait4, writer, &status, WNOHANG | __WALL, NULL);
  }
  if (got != writer)
    ending = writer;
  reply->image_size = result->image_size;
  reply->data_size = result->data_size;
  plain_copy(reply->text, sizeof(reply->text), result->text);
  if (atomic_load(&result->code) <= 0)
    return atomic_load(&result->code) ? atomic_load(&result->code) : others;
  unlink_temporary(path, writer);
  plain_copy(reply->text, sizeof(reply->text), "the process that writes the image was killed\n");
  return -EIO;
}

static pid_t fork_writer(void) {
  struct clone_args args;

  memset(&args, 0, sizeof(args)); /* no exit signal: the program's own wait calls must not see it */
  return (pid_t)sys2(SYS_clone3, &args, sizeof(args));
}

static int save_forked(struct crs_dump *d, const char *path, struct crs_reply *reply, int connection, bool *released) {
  struct dump_result *result = area_map(sizeof(*result), MAP_SHARED | MAP_ANONYMOUS);
  pid_t writer;
  int rc;

  if (!result)
    return -ENOMEM;
  atomic_store(&result->code, 1);
  d->result = result;
  rc = mpir_dump_maps(d); /* here, so that a copy that shares nothing with us need not be waited for */
  if (!rc && d->locks)
    mpir_dump_hints(d);
  if (!rc)
    mpir_crs_track_begin(d, path);
  if (rc) {
    sys2(SYS_munmap, result, sizeof(*result));
    return rc;
  }
  writer = fork_writer();
  if (writer == 0) {
    d->why = (struct plain_text){result->text, sizeof(result->text), 0};
    writer_run(d, path);
  }
  if (writer < 0) {
    d->result = NULL;
    d->map_count = d->dirty_count = 0;
    d->hinted = d->incremental = false;
    sys2(SYS_munmap, result, sizeof(*result));
    return -ENOMEM;
  }
  *released = true;
  rc = writer_wait(d, writer, path, reply, connection);
  sys2(SYS_munmap, result, sizeof(*result));
  return rc;
}

static int save_stopped(struct crs_dump *d, const char *path, struct crs_reply *reply) {
  int rc = mpir_dump_maps(d);

  if (!rc) {
    mpir_crs_track_begin(d, path);
    rc = mpir_dump_write(d, path);
  }
  reply->image_size = d->header.image_size;
  reply->data_size = d->data_size;
  return rc;
}

/* The helper, and the copies that it makes of the process, read memory whose protection keys are not theirs. */
static void open_all_keys(void) {
  unsigned a, b, c, d;

  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && (c & bit_OSPKE))
    __asm__ volatile(".byte 0x0f, 0x01, 0xef" /* wrpkru */ : : "a"(0), "c"(0), "d"(0) : "memory");
}

/* Returns with the threads released. */
static int save_now(const struct crs_request *request, const char *path, struct crs_reply *reply, int connection, int other) {
  const int lock_future = atomic_load(&crs.lock_future);
  struct crs_dump *d;
  bool released = false;
  int rc;

  open_all_keys();
  if (lock_future) /* most of the work area is never touched: do not fill it because the program locks all its memory */
    sys1(SYS_mlockall, lock_future | MCL_ONFAULT);
  d = area_map(sizeof(*d), MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  if (lock_future)
    sys1(SYS_mlockall, lock_future);
  if (!d) {
    plain_copy(reply->text, sizeof(reply->text), "no address space for the checkpointer's work area\n");
    mpir_crs_release(-ENOMEM);
    return -ENOMEM;
  }
  d->request = request;
  d->why = (struct plain_text){reply->text, sizeof(reply->text), 0};
  d->notices = (struct plain_text){d->notices_text, sizeof(d->notices_text), 0};
  d->own_fds[0] = crs.listen_fd;
  d->own_fds[1] = connection;
  d->own_fds[2] = mpir_crs_track_fd();
  d->own_fds[3] = -1;
  d->own_fds[4] = crs.restart.pager_fd > 0 ? crs.restart.pager_fd : -1; /* 0: never restarted */
  d->own_fds[5] = crs.restart.fault_fd > 0 ? crs.restart.fault_fd : -1;
  d->own_fds[6] = other;
  crs.sequence++;
  d->header.dumpable = (uint32_t)sys1(SYS_prctl, PR_GET_DUMPABLE);
  if (!d->header.dumpable) /* or we could not look at ourselves in /proc */
    sys2(SYS_prctl, PR_SET_DUMPABLE, 1);
  rc = collect(d);
  if (!rc) {
    bool in_place = (request->flags & CRS_NO_FORK) || atomic_load(&crs.fork_unsafe);

    rc = in_place ? -ENOMEM : save_forked(d, path, reply, connection, &released);
    if (rc == -ENOMEM && !released) {
      rc = save_stopped(d, path, reply);
      if (!rc)
        rc = mpir_crs_group_copied(request, connection, d->notices_text);
    }
  }
  if (!released) {
    reply->held_ns = (uint64_t)(sys_monotonic_ns() - crs.stopped_at_ns);
    mpir_crs_release(rc < 0 ? rc : 0);
  }
  if (!d->header.dumpable)
    sys2(SYS_prctl, PR_SET_DUMPABLE, 0);
  mpir_crs_track_end(d, path, !rc);
  if (!rc)
    plain_copy(reply->text, sizeof(reply->text), d->notices_text);
  if (rc)
    crs.sequence--;
  sys2(SYS_munmap, d, sizeof(*d));
  return rc;
}

static void helper_record_fill(void) {
  struct crs_record *record = &crs.records[mpir_crs_stopped_threads()];
  struct mpir_image_thread *image = &record->image;

  memset(image, 0, sizeof(*image));
  mpir_crs_record_fill(image);
  record->frame = NULL;
}

/* First steps of a restarted process, in the helper thread; all others still wait in their handlers. */
static void wake_up(void) {
  unsigned resumed;

  while ((resumed = atomic_load(&crs.resumed)) != mpir_crs_stopped_threads())
    sys_futex_wait(&crs.resumed, resumed, -1);
  if (crs.main_ended)
    mpir_crs_stop_await_main_ended(); /* its last steps are in the area */
  sys2(SYS_munmap, crs.restart.area, crs.restart.area_size);
  if (atomic_load(&crs.lock_future))
    sys1(SYS_mlockall, atomic_load(&crs.lock_future));
  crs.restart.valid = 0;
  mpir_crs_clock_restarted();
  mpir_crs_namespaces_note();
  mpir_crs_track_forget(false);
  mpir_crs_helper_restarted();
  mpir_crs_connection_listen();
  mpir_crs_hooks_after_restart(crs.restart.debug, crs.restart.outer_pid);
}

void mpir_crs_save_after_fork(void) {
  ending = 0;
  if (crs.restart.status_fd > 0) /* 0: never restarted */
    sys1(SYS_close, crs.restart.status_fd);
  if (crs.restart.go_fd > 0)
    sys1(SYS_close, crs.restart.go_fd);
  if (crs.restart.status_fd > 0 || crs.restart.go_fd > 0)
    crs.restart.status_fd = crs.restart.go_fd = -1;
}

/* For the restart command: all threads are there, and with a debugger to come all of them wait. */
static void report_running(void) {
  mpir_crs_descriptors_lock();
  if (crs.restart.status_fd >= 0) {
    sys3(SYS_write, crs.restart.status_fd, "K", 1);
    sys1(SYS_close, crs.restart.status_fd);
  }
  crs.restart.status_fd = -1;
  mpir_crs_descriptors_unlock();
}

/* A member of a set goes on when all of them are there; without them it must not. */
static void await_others(void) {
  char go;

  if (crs.restart.go_fd < 0)
    return;
  if (sys3(SYS_read, crs.restart.go_fd, &go, 1) != 1)
    for (;;)
      sys1(SYS_exit_group, 127);
  mpir_crs_descriptors_lock();
  sys1(SYS_close, crs.restart.go_fd);
  crs.restart.go_fd = -1;
  mpir_crs_descriptors_unlock();
}

int mpir_crs_save(const struct crs_request *request, const char *path, struct crs_reply *reply, int connection, int other) {
  atomic_store(&crs.resumed, 0);
  mpir_crs_clock_note();
  helper_record_fill();
  if (mpir_context_save(&crs.records[mpir_crs_stopped_threads()].image.context)) {
    wake_up();
    if (!crs.restart.debug) { /* now: it may be near its end */
      report_running();
      await_others();
    }
    mpir_crs_release(1);
    mpir_crs_hooks_await_waiting();
    report_running();
    await_others();
    return 1;
  }
  return save_now(request, path, reply, connection, other);
}
