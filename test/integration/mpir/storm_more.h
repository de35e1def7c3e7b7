/* Storms of what has numbers of its own: threads, processes, libraries, timers, files.  Each loop does one thing and looks at what it gave. */
#ifndef DVM_TEST_STORM_MORE_H
#define DVM_TEST_STORM_MORE_H
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include "self.h"

static atomic_int finish;
static atomic_ulong rounds;
static const char *folder;

static unsigned long next(unsigned long *seed) { return *seed = *seed * 6364136223846793005ul + 1442695040888963407ul; }

static void *short_life(void *arg)
{
  static __thread unsigned long own;

  CHECK(!own);
  own = (unsigned long)arg;
  return (void *)(own * 3);
}

static void thread_storm(unsigned long seed)
{
  while (!atomic_load(&finish)) {
    unsigned long r = next(&seed) >> 33;
    pthread_t ids[3];
    void *result;

    for (unsigned long i = 0; i < 3; i++)
      CHECK(!pthread_create(&ids[i], NULL, short_life, (void *)(r + i + 1)));
    for (unsigned long i = 0; i < 3; i++)
      CHECK(!pthread_join(ids[i], &result) && result == (void *)((r + i + 1) * 3));
    atomic_fetch_add(&rounds, 1);
  }
}

/* The child answers through a pipe, and by its status. */
static void fork_storm(unsigned long seed)
{
  while (!atomic_load(&finish)) {
    const unsigned long r = next(&seed) >> 33;
    unsigned long got = 0;
    int side[2], status;
    pid_t child;

    CHECK(!pipe2(side, O_CLOEXEC) && (child = fork()) >= 0);
    if (!child)
      _exit(write(side[1], &r, sizeof(r)) == sizeof(r) ? (int)(r % 100) : 255);
    CHECK(!close(side[1]));
    CHECK(read(side[0], &got, sizeof(got)) == sizeof(got) && got == r && !close(side[0]));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == (int)(r % 100));
    atomic_fetch_add(&rounds, 1);
  }
}

static void spawn_storm(unsigned long seed)
{
  extern char **environ;
  static char shell[] = "sh", option[] = "-c";

  while (!atomic_load(&finish)) {
    const unsigned long r = next(&seed) >> 33;
    char order[32];
    char *arguments[] = { shell, option, order, NULL };
    pid_t child;
    int status;

    snprintf(order, sizeof(order), "exit %lu", r % 100);
    CHECK(!posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ));
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == (int)(r % 100));
    atomic_fetch_add(&rounds, 1);
  }
}

static void dlopen_storm(unsigned long seed)
{
  static const char *const names[][2] = { { "libresolv.so.2", "ns_initparse" }, { "libBrokenLocale.so.1", "__ctype_get_mb_cur_max" },
                                          { "libnss_hesiod.so.2", "_nss_hesiod_getpwnam_r" } };

  while (!atomic_load(&finish)) {
    const unsigned long r = next(&seed) >> 33;
    void *library = dlopen(names[r % 3][0], r & 64 ? RTLD_NOW : RTLD_LAZY), *found;

    CHECK(library && (found = dlsym(library, names[r % 3][1])));
    CHECK(*(volatile unsigned char *)found);
    CHECK(!dlclose(library));
    atomic_fetch_add(&rounds, 1);
  }
}

/* One-shot timers of both kinds: each expires once, and is heard once. */
static void timer_storm(unsigned long seed)
{
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 5);
  CHECK(!pthread_sigmask(SIG_BLOCK, &set, NULL));
  while (!atomic_load(&finish)) {
    const unsigned long r = next(&seed) >> 33;
    const struct itimerspec once = { .it_value = { 0, 1000 + (long)(r % 3000000) } };
    struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN + 5, .sigev_value.sival_int = (int)(r % 10000) };
    const struct timespec limit = { 60, 0 };
    siginfo_t info;
    timer_t timer;
    uint64_t count = 0;
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

    event._sigev_un._tid = gettid();
    CHECK(fd >= 0 && !timerfd_settime(fd, 0, &once, NULL));
    CHECK(!timer_create(CLOCK_MONOTONIC, &event, &timer) && !timer_settime(timer, 0, &once, NULL));
    CHECK(sigtimedwait(&set, &info, &limit) == SIGRTMIN + 5 && info.si_value.sival_int == (int)(r % 10000));
    CHECK(!timer_delete(timer));
    CHECK(poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, 60000) == 1 && read(fd, &count, sizeof(count)) == sizeof(count) && count == 1);
    CHECK(!close(fd));
    atomic_fetch_add(&rounds, 1);
  }
}

/* Open from the first moment to the last; a name is used once in a life. */
static void file_storm(unsigned long seed)
{
  const unsigned long self = seed;

  for (unsigned long number = 0; !atomic_load(&finish); number++) {
    const unsigned long r = next(&seed) >> 33;
    const size_t size = 1 + r % 20000;
    char name[4096], other[4096 + 8];
    unsigned char bytes[20000], back[20000];
    int fd, twin;

    snprintf(name, sizeof(name), "%s/storm-%lu-%lu", folder, self, number);
    snprintf(other, sizeof(other), "%s.moved", name);
    memset(bytes, (int)(r >> 8), size);
    CHECK((fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) >= 0);
    CHECK(write(fd, bytes, size) == (ssize_t)size && (twin = dup(fd)) >= 0 && lseek(twin, 0, SEEK_CUR) == (off_t)size);
    if (r & 128)
      CHECK(!rename(name, other));
    CHECK(pread(fd, back, size, 0) == (ssize_t)size && !memcmp(bytes, back, size));
    CHECK(!unlink(r & 128 ? other : name) && !close(fd));
    CHECK(lseek(twin, 0, SEEK_SET) == 0 && read(twin, back, size) == (ssize_t)size && !memcmp(bytes, back, size) && !close(twin));
    atomic_fetch_add(&rounds, 1);
  }
}
#endif
