/* What the kernel keeps for a process: made, saved, and looked at in the restarted process.  objects IMAGE FOLDER */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include "self.h"

static int pipe_fd[2], pipe_copy, full_pipe[2], event, semaphore, timer_once, timer_every, memory, sealed, gone, file, file_copy;
static int append, null_fd, folder_fd, epoll, epoll_outer, signals, locked, random_fd;
static char *shared_file, *shared_memory, *shared_deleted;
static struct stat deleted_stat;

static void make_pipes(void)
{
  char block[4096];

  CHECK(!pipe2(pipe_fd, O_CLOEXEC) && !pipe2(full_pipe, O_NONBLOCK));
  CHECK(fcntl(pipe_fd[0], F_SETPIPE_SZ, 1 << 18) == 1 << 18);
  CHECK(write(pipe_fd[1], "one two ", 8) == 8 && write(pipe_fd[1], "three", 5) == 5);
  CHECK((pipe_copy = dup(pipe_fd[1])) >= 0);
  memset(block, 'x', sizeof(block));
  while (write(full_pipe[1], block, sizeof(block)) > 0)
    ;
}

static void look_at_pipes(void)
{
  char text[65536];
  size_t got = 0;
  ssize_t n;

  CHECK(fcntl(pipe_fd[0], F_GETPIPE_SZ) == 1 << 18);
  CHECK(fcntl(pipe_fd[0], F_GETFD) & FD_CLOEXEC);
  CHECK(!(fcntl(pipe_copy, F_GETFD) & FD_CLOEXEC));
  CHECK(write(pipe_copy, "!", 1) == 1);
  CHECK(read(pipe_fd[0], text, 100) == 14 && memcmp(text, "one two three!", 14) == 0);
  CHECK(write(full_pipe[1], text, 1) == -1 && errno == EAGAIN);
  while ((n = read(full_pipe[0], text, sizeof(text))) > 0)
    got += (size_t)n;
  CHECK(got == 65536 && text[0] == 'x' && errno == EAGAIN);
  close(full_pipe[1]);
  CHECK(read(full_pipe[0], text, 1) == 0); /* no other end was left open by the restart */
}

static void make_counters(void)
{
  const struct itimerspec far = { { 0, 0 }, { 3600, 0 } }, near = { { 3600, 0 }, { 0, 1 } };
  uint64_t value = 41;

  CHECK((event = eventfd(7, EFD_NONBLOCK)) >= 0 && (semaphore = eventfd(3, EFD_SEMAPHORE)) >= 0);
  CHECK(write(event, &value, 8) == 8);
  CHECK((timer_once = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK)) >= 0 && !timerfd_settime(timer_once, 0, &far, NULL));
  CHECK((timer_every = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0 && !timerfd_settime(timer_every, 0, &near, NULL));
  CHECK(poll(&(struct pollfd){ timer_every, POLLIN, 0 }, 1, 10000) == 1); /* expired once, not read */
}

static void look_at_counters(void)
{
  struct itimerspec setting;
  uint64_t value;

  CHECK(read(event, &value, 8) == 8 && value == 48 && (fcntl(event, F_GETFL) & O_NONBLOCK));
  CHECK(read(semaphore, &value, 8) == 8 && value == 1);
  CHECK(read(timer_once, &value, 8) == -1 && errno == EAGAIN);
  CHECK(!timerfd_gettime(timer_once, &setting) && setting.it_value.tv_sec > 3000 && setting.it_value.tv_sec <= 3600);
  CHECK(read(timer_every, &value, 8) == 8 && value == 1);
  CHECK(!timerfd_gettime(timer_every, &setting) && setting.it_interval.tv_sec == 3600 && setting.it_value.tv_sec > 3000);
}

static void make_memory(const char *folder)
{
  char name[4096];

  CHECK((memory = memfd_create("counter", MFD_ALLOW_SEALING)) >= 0 && !ftruncate(memory, 1 << 20));
  shared_memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  strcpy(shared_memory + 500000, "in memory");
  CHECK(lseek(memory, 499998, SEEK_SET) == 499998);
  CHECK((sealed = memfd_create("sealed", MFD_ALLOW_SEALING)) >= 0 && write(sealed, "fixed", 5) == 5);
  CHECK(!fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW));
  snprintf(name, sizeof(name), "%s/deleted", folder);
  CHECK((gone = open(name, O_RDWR | O_CREAT | O_EXCL, 0600)) >= 0);
  CHECK(write(gone, "nobody knows my name", 20) == 20 && !ftruncate(gone, 100000));
  shared_deleted = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, gone, 0);
  CHECK(!unlink(name) && !fstat(gone, &deleted_stat));
  shared_deleted[4096] = 'q';
}

static void look_at_memory(void)
{
  char text[100];
  struct stat st;

  CHECK(read(memory, text, 11) == 11 && memcmp(text, "\0\0in memory", 11) == 0);
  shared_memory[3] = 'z';
  CHECK(pread(memory, text, 4, 0) == 4 && text[3] == 'z');
  CHECK(pread(sealed, text, 10, 0) == 5 && memcmp(text, "fixed", 5) == 0);
  CHECK(pwrite(sealed, "x", 1, 0) == -1 && errno == EPERM);
  CHECK(pread(gone, text, 20, 0) == 20 && memcmp(text, "nobody knows my name", 20) == 0);
  CHECK(!fstat(gone, &st) && st.st_size == 100000 && st.st_nlink == 0);
  CHECK(lseek(gone, 0, SEEK_CUR) == 20);
  CHECK(shared_deleted[4096] == 'q' && pread(gone, text, 1, 4096) == 1 && text[0] == 'q');
}

static void make_files(const char *folder)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 10, .l_len = 5 };
  char name[4096];

  snprintf(name, sizeof(name), "%s/file", folder);
  CHECK((file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600)) >= 0 && write(file, "0123456789", 10) == 10);
  CHECK(lseek(file, 4, SEEK_SET) == 4 && (file_copy = dup(file)) >= 0);
  shared_file = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  snprintf(name, sizeof(name), "%s/log", folder);
  CHECK((append = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600)) >= 0 && write(append, "first\n", 6) == 6);
  snprintf(name, sizeof(name), "%s/locked", folder);
  CHECK((locked = open(name, O_RDWR | O_CREAT, 0600)) >= 0 && !fcntl(locked, F_SETLK, &lock));
  CHECK((null_fd = open("/dev/null", O_WRONLY)) >= 0 && (random_fd = open("/dev/urandom", O_RDONLY)) >= 0);
  CHECK((folder_fd = open(folder, O_RDONLY | O_DIRECTORY)) >= 0);
}

static void look_at_files(const char *folder)
{
  char text[100], name[4096];
  int other;

  CHECK(lseek(file, 0, SEEK_CUR) == 4 && lseek(file, 2, SEEK_CUR) == 6);
  CHECK(lseek(file_copy, 0, SEEK_CUR) == 6); /* one position for both */
  CHECK(read(file_copy, text, 4) == 4 && memcmp(text, "6789", 4) == 0);
  shared_file[0] = 'A';
  CHECK(pread(file, text, 1, 0) == 1 && text[0] == 'A');
  lseek(append, 0, SEEK_SET);
  CHECK((fcntl(append, F_GETFL) & O_APPEND) && write(append, "second\n", 7) == 7);
  snprintf(name, sizeof(name), "%s/log", folder);
  CHECK((other = open(name, O_RDONLY)) >= 0 && read(other, text, 100) == 13 && memcmp(text, "first\nsecond\n", 13) == 0);
  CHECK(write(null_fd, "x", 1) == 1 && read(random_fd, text, 1) == 1);
  CHECK(openat(folder_fd, "file", O_RDONLY) >= 0);
  CHECK(!lseek(locked, 0, SEEK_SET));
}

static void make_watchers(void)
{
  struct epoll_event in = { .events = EPOLLIN, .data.u64 = 0x1122334455667788 }, out = { .events = EPOLLOUT | EPOLLET };
  sigset_t set;

  sigemptyset(&set);
  sigaddset(&set, SIGRTMIN + 5);
  CHECK(!sigprocmask(SIG_BLOCK, &set, NULL) && (signals = signalfd(-1, &set, SFD_NONBLOCK)) >= 0);
  CHECK((epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 && (epoll_outer = epoll_create1(0)) >= 0);
  CHECK(!epoll_ctl(epoll, EPOLL_CTL_ADD, pipe_fd[0], &in));
  in.data.u64 = 5;
  CHECK(!epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &in));
  CHECK(!epoll_ctl(epoll_outer, EPOLL_CTL_ADD, epoll, &in));
  CHECK(!epoll_ctl(epoll_outer, EPOLL_CTL_ADD, full_pipe[1], &out));
}

static void look_at_watchers(void)
{
  struct epoll_event got[4];
  struct signalfd_siginfo info;
  union sigval value = { .sival_int = 99 };

  CHECK(epoll_wait(epoll, got, 4, 0) == 1 && got[0].events == EPOLLIN && got[0].data.u64 == 0x1122334455667788);
  CHECK(epoll_wait(epoll_outer, got, 4, 0) == 1 && got[0].data.u64 == 5);
  CHECK(!sigqueue(getpid(), SIGRTMIN + 5, value) && epoll_wait(epoll, got, 4, 0) == 2);
  CHECK(read(signals, &info, sizeof(info)) == sizeof(info) && info.ssi_int == 99);
}

int main(int argc, char **argv)
{
  struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 12, .l_len = 1 };

  if (argc != 3)
    return 2;
  make_pipes();
  make_counters();
  make_memory(argv[2]);
  make_files(argv[2]);
  make_watchers();
  self_save(argv[1]);
  look_at_watchers();
  look_at_pipes();
  look_at_counters();
  look_at_memory();
  look_at_files(argv[2]);
  if (fork() == 0) /* a lock belongs to a process: another one must find it taken */
    _exit(fcntl(locked, F_SETLK, &lock) == -1 && (errno == EAGAIN || errno == EACCES) ? 0 : 1);
  CHECK(wait(&argc) > 0 && argc == 0);
  puts("as before");
  return 0;
}
