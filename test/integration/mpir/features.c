/* Everything a process can have that a checkpoint might lose, a row each.  features --list: the rows, "group: name".
 * features NUMBER IMAGE FOLDER: makes it, saves itself, and looks at it in the restarted process. */
#include "features.h"

#define MADV_GUARD 102

static int fd, pair[2], other;
static long value;
static timer_t timer;
static volatile sig_atomic_t hits;

static void count(int sig) { hits += sig != 0; }
static int file(int flags)
{
  snprintf(path, sizeof(path), "%s/file", folder);
  return open(path, flags | O_CREAT, 0600);
}
static void make_file(void) { file(O_RDWR); }
static void (*on_restart)(void);
static char *map(int flags, int of) { return mmap(NULL, 16384, PROT_READ | PROT_WRITE, flags, of, 0); }
static int is_text(const char *text) { return strcmp(memory, text) == 0; }
static int faults(const char *at)
{
  pid_t child = fork();
  int status;

  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    _exit(*(const volatile char *)at & 0);
  }
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status);
}
static void *wait_long(void *arg)
{
  for (;;)
    pause();
  return arg;
}
/* Its length; -1 where its priority is another. */
static ssize_t next_message(int queue, unsigned expected)
{
  unsigned priority = ~0u;
  char text[8192];
  ssize_t n = mq_receive(queue, text, sizeof(text), &priority);

  return priority == expected ? n : -1;
}
static void *save_alone(void *arg)
{
  usleep(50000); /* the main thread ends */
  self_save(arg);
  puts("as before");
  exit(0);
}
static const char *image_path;

static void send_descriptor(int to)
{
  union { char bytes[CMSG_SPACE(sizeof(int))]; struct cmsghdr head; } control = { .head = { CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS } };
  struct msghdr message = { .msg_iov = &(struct iovec){ "x", 1 }, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control) };

  memcpy(CMSG_DATA(&control.head), &to, sizeof(to));
  CHECK(sendmsg(to, &message, 0) == 1);
}

/* 'pair' is connected through the listening socket 'fd', whose address is then in 'path'. */
static void connect_inside(void)
{
  struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
  socklen_t size = sizeof(name);

  fd = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)));
  CHECK(!bind(fd, (struct sockaddr *)&name, sizeof(name)) && !listen(fd, 5) && !getsockname(fd, (struct sockaddr *)&name, &size));
  pair[0] = socket(AF_INET, SOCK_STREAM, 0);
  CHECK(!connect(pair[0], (struct sockaddr *)&name, sizeof(name)));
  pair[1] = accept(fd, NULL, NULL);
  memcpy(path, &name, sizeof(name));
}

static long burn(void)
{
  while (clock() < CLOCKS_PER_SEC / 5)
    ;
  return clock();
}

/* A leader of a group cannot begin a session: a child can, and what comes after is its. */
static void setsid_in_child(void)
{
  pid_t child = fork();
  int status;

  if (child == 0) {
    CHECK(setsid() == getpid());
    return;
  }
  CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status))
    kill(getpid(), WTERMSIG(status));
  exit(WEXITSTATUS(status));
}

static int count_threads(void)
{
  DIR *dir = opendir("/proc/self/task");
  int n = 0;

  while (readdir(dir))
    n++;
  return n - 3; /* two folders, the checkpointer's own */
}

static int wanted, number; /* the row that is asked for, counted from 1; 0: list them */

static int is_row(const char *group, const char *name)
{
  number++;
  if (!wanted)
    printf("%s: %s\n", group, name);
  return number == wanted;
}

/* What must hold afterwards comes before what makes it, which may be several statements. */
#define ROW(group, name, look, ...) \
  if (is_row(group, name)) { \
    __VA_ARGS__; \
    self_save(image_path); \
    if (on_restart) \
      on_restart(); \
    return (look) ? 1 : 0; \
  }

/* 1: as before; 0: not. */
static int run_rows(void)
{
  ROW("memory", "heap and stack", is_text("kept"),
      memory = strdup("kept"))
  ROW("memory", "private mapping", is_text("kept"),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"))
  ROW("memory", "shared mapping without a name", is_text("kept"),
      strcpy(memory = map(MAP_SHARED | MAP_ANONYMOUS, -1), "kept"))
  ROW("memory", "private mapping of a file", is_text("mine"),
      fd = file(O_RDWR); CHECK(!ftruncate(fd, 16384)); strcpy(memory = map(MAP_PRIVATE, fd), "mine"))
  ROW("memory", "shared mapping of a file", is_text("in the file"),
      fd = file(O_RDWR); CHECK(!ftruncate(fd, 16384)); strcpy(memory = map(MAP_SHARED, fd), "in the file"))
  ROW("memory", "private mapping of /dev/zero", is_text("kept"),
      fd = open("/dev/zero", O_RDWR); strcpy(memory = map(MAP_PRIVATE, fd), "kept"))
  ROW("memory", "shared mapping of /dev/zero", is_text("kept"),
      fd = open("/dev/zero", O_RDWR); strcpy(memory = map(MAP_SHARED, fd), "kept"))
  ROW("memory", "mapping of a memory file", is_text("kept"),
      fd = memfd_create("m", 0); CHECK(!ftruncate(fd, 16384)); strcpy(memory = map(MAP_SHARED, fd), "kept"))
  ROW("memory", "memfd_secret", is_text("kept"),
      fd = (int)syscall(447, 0); CHECK(fd >= 0 && !ftruncate(fd, 16384)); memory = map(MAP_SHARED, fd); CHECK(memory != MAP_FAILED); strcpy(memory, "kept"))
  ROW("memory", "no access", faults(memory) && !mprotect(memory, 16384, PROT_READ) && is_text("kept"),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); strcpy(memory, "kept"); mprotect(memory, 16384, PROT_NONE))
  ROW("memory", "guard pages (MADV_GUARD_INSTALL)", is_text("kept") && faults(memory + 8192) && !faults(memory + 4096) && !faults(memory + 12288),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); strcpy(memory, "kept"); CHECK(!madvise(memory + 8192, 4096, MADV_GUARD)))
  ROW("memory", "locked memory (mlock)", ((munlock(memory, 16384), 1)),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!mlock(memory, 16384)))
  ROW("memory", "not inherited by children (MADV_DONTFORK)", faults(memory),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!madvise(memory, 16384, MADV_DONTFORK)))
  ROW("memory", "protection keys", is_text("kept") && !pkey_set((int)value, PKEY_DISABLE_ACCESS) && faults(memory) && !pkey_set((int)value, 0) && !pkey_free((int)value),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); value = pkey_alloc(0, 0); CHECK(value > 0 && !pkey_mprotect(memory, 16384, 3, (int)value)); strcpy(memory, "kept"))
  ROW("memory", "protection keys, no access", !pkey_set((int)value, 0) && is_text("kept") && !pkey_free((int)value),
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); value = pkey_alloc(0, 0); CHECK(value > 0 && !pkey_mprotect(memory, 16384, 3, (int)value)); strcpy(memory, "kept");
      CHECK(!pkey_set((int)value, PKEY_DISABLE_ACCESS)))
  ROW("memory", "System V shared memory, removed", is_text("kept") && !shmdt(memory) && shmat((int)value, NULL, 0) == (void *)-1,
      value = shmget(IPC_PRIVATE, 16384, 0600); memory = shmat((int)value, NULL, 0); shmctl((int)value, IPC_RMID, NULL); strcpy(memory, "kept"))
  ROW("memory", "System V shared memory", is_text("kept") && shmat((int)value, NULL, SHM_RDONLY) != (void *)-1 &&
      shmget(0x44000000 + getpid(), 5000, 0) == value && !shmctl((int)value, IPC_RMID, NULL) && !shmdt(memory),
      value = shmget(0x44000000 + getpid(), 5000, 0640 | IPC_CREAT); memory = shmat((int)value, NULL, 0); strcpy(memory, "kept"))
  ROW("files", "regular file, position", lseek(fd, 0, SEEK_CUR) == 3,
      fd = file(O_RDWR); CHECK(write(fd, "12345", 5) == 5 && lseek(fd, 3, SEEK_SET) == 3))
  ROW("files", "append mode", fcntl(fd, F_GETFL) & O_APPEND,
      fd = file(O_WRONLY | O_APPEND))
  ROW("files", "close on exec", fcntl(fd, F_GETFD) == FD_CLOEXEC,
      fd = file(O_RDWR | O_CLOEXEC))
  ROW("files", "one position for two descriptors", lseek(fd, 77, SEEK_SET) == 77 && lseek(other, 0, SEEK_CUR) == 77,
      fd = file(O_RDWR); other = dup(fd))
  ROW("files", "O_PATH", fcntl(fd, F_GETFL) & O_PATH,
      fd = open(folder, O_PATH))
  ROW("files", "deleted file", lseek(fd, 0, SEEK_END) == 4,
      fd = file(O_RDWR); CHECK(write(fd, "gone", 4) == 4 && !unlink(path)))
  ROW("files", "memory file with seals", fcntl(fd, F_GET_SEALS) == F_SEAL_SHRINK,
      fd = memfd_create("m", MFD_ALLOW_SEALING); CHECK(write(fd, "kept", 4) == 4 && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)))
  ROW("files", "folder", fcntl(fd, F_GETFL) & O_DIRECTORY,
      fd = open(folder, O_RDONLY | O_DIRECTORY))
  ROW("files", "device /dev/null", write(fd, "x", 1) == 1,
      fd = open("/dev/null", O_WRONLY))
  ROW("files", "device /dev/zero", read(fd, path, 1) == 1 && !path[0],
      fd = open("/dev/zero", O_RDONLY))
  ROW("files", "other devices (/dev/ptmx)", fcntl(fd, F_GETFD) >= 0,
      fd = open("/dev/ptmx", O_RDWR); CHECK(fd >= 0))
  ROW("files", "POSIX lock", ((value = fork()) ? (waitpid((pid_t)value, &other, 0), WEXITSTATUS(other) == 1) : (_exit(fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK }) != 0), 0)),
      fd = file(O_RDWR); CHECK(!fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK })))
  ROW("files", "flock(2)", ((other = open(path, O_RDWR), flock(other, LOCK_EX | LOCK_NB) != 0)),
      fd = file(O_RDWR); CHECK(!flock(fd, LOCK_EX)))
  ROW("files", "lock of an open file description", ((other = open(path, O_RDWR), fcntl(other, F_OFD_SETLK, &(struct flock){ .l_type = F_WRLCK }) != 0)),
      fd = file(O_RDWR); CHECK(!fcntl(fd, F_OFD_SETLK, &(struct flock){ .l_type = F_WRLCK })))
  ROW("files", "lease", fcntl(fd, F_GETLEASE) == F_RDLCK,
      fd = file(O_RDONLY); CHECK(!fcntl(fd, F_SETLEASE, F_RDLCK)))
  ROW("files", "owner of signals (F_SETOWN)", fcntl(pair[0], F_GETOWN) == getpid(),
      CHECK(!pipe(pair)); CHECK(!fcntl(pair[0], F_SETOWN, getpid())))
  ROW("pipes", "pipe with content", read(pair[0], path, 10) == 4,
      CHECK(!pipe(pair)); CHECK(write(pair[1], "kept", 4) == 4))
  ROW("pipes", "pipe with packets", read(pair[0], path, 10) == 3,
      CHECK(!pipe2(pair, O_DIRECT)); CHECK(write(pair[1], "one", 3) == 3 && write(pair[1], "two", 3) == 3))
  ROW("pipes", "pipe whose writer is gone", read(pair[0], path, 10) == 4 && read(pair[0], path, 10) == 0,
      CHECK(!pipe(pair)); CHECK(write(pair[1], "kept", 4) == 4 && !close(pair[1])))
  ROW("pipes", "named FIFO", read(pair[0], path, 10) == 4,
      snprintf(path, sizeof(path), "%s/fifo", folder); CHECK(!mkfifo(path, 0600)); pair[0] = open(path, O_RDONLY | O_NONBLOCK); pair[1] = open(path, O_WRONLY); CHECK(write(pair[1], "kept", 4) == 4))
  ROW("descriptors", "eventfd", read(fd, &value, 8) == 8 && value == 7,
      fd = eventfd(7, 0))
  ROW("descriptors", "timerfd", read(fd, &value, 8) == 8 && value == 1,
      fd = timerfd_create(CLOCK_MONOTONIC, 0); CHECK(!timerfd_settime(fd, 0, &(struct itimerspec){ { 0, 0 }, { 0, 1 } }, NULL)))
  ROW("descriptors", "epoll", (epoll_wait(fd, &(struct epoll_event){ 0 }, 1, 0) == 1),
      fd = epoll_create1(0); CHECK(!pipe(pair)); CHECK(!epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){ .events = EPOLLOUT })))
  ROW("descriptors", "epoll, watched under a number that is another's now", (epoll_wait(fd, (struct epoll_event *)(void *)path, 1, 0) == 1 && ((struct epoll_event *)(void *)path)->data.u64 == 77 && read(pair[0], path, 1) == 1 && fcntl(pair[1], F_GETFD) == FD_CLOEXEC),
      fd = epoll_create1(0); CHECK(!pipe(pair) && !epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){ .events = EPOLLOUT, .data.u64 = 77 })); other = dup(pair[1]); CHECK(write(other, "x", 1) == 1 && dup3(pair[0], pair[1], O_CLOEXEC) == pair[1]))
  ROW("descriptors", "epoll, watched under a number that is closed", (epoll_wait(fd, &(struct epoll_event){ 0 }, 1, 0) == 1 && fcntl(pair[1], F_GETFD) < 0),
      fd = epoll_create1(0); CHECK(!pipe(pair) && !epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){ .events = EPOLLOUT })); other = dup(pair[1]); CHECK(!close(pair[1])))
  ROW("descriptors", "signalfd", (read(fd, path, sizeof(struct signalfd_siginfo)) == sizeof(struct signalfd_siginfo)),
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGUSR2 - 1) } }, NULL); fd = signalfd(-1, &(sigset_t){ { 1ul << (SIGUSR2 - 1) } }, 0); raise(SIGUSR2))
  ROW("descriptors", "inotify", ((file(O_RDWR), read(fd, path, 4096) > 0)),
      fd = inotify_init(); CHECK(inotify_add_watch(fd, folder, IN_CREATE) == 1))
  ROW("descriptors", "pidfd of the process itself", syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0,
      fd = (int)syscall(SYS_pidfd_open, getpid(), 0); CHECK(fd >= 0))
  ROW("descriptors", "userfaultfd", fcntl(fd, F_GETFD) >= 0,
      fd = (int)syscall(SYS_userfaultfd, 1); CHECK(fd >= 0))
  ROW("descriptors", "io_uring", fcntl(fd, F_GETFD) >= 0,
      memset(path, 0, 120); fd = (int)syscall(425, 4, path); CHECK(fd >= 0))
  ROW("descriptors", "perf_event", read(fd, &value, 8) == 8,
      memset(path, 0, 128); path[0] = 1; path[4] = 112; fd = (int)syscall(SYS_perf_event_open, path, 0, -1, -1, 0); CHECK(fd >= 0))
  ROW("descriptors", "POSIX message queue", !mq_send(fd, "kept", 4, 1) && mq_receive(fd, path, 32, NULL) == 4 && mq_send(fd, path, 33, 1) &&
      !mq_unlink("/dvm-features"),
      fd = mq_open("/dvm-features", O_RDWR | O_CREAT, 0600, &(struct mq_attr){ .mq_maxmsg = 3, .mq_msgsize = 32 }); CHECK(fd >= 0))
  ROW("descriptors", "POSIX message queue without a name", !mq_send(fd, "kept", 4, 1) && mq_receive(fd, path, 32, NULL) == 4 &&
      mq_send(fd, path, 33, 1),
      fd = mq_open("/dvm-features", O_RDWR | O_CREAT, 0600, &(struct mq_attr){ .mq_maxmsg = 3, .mq_msgsize = 32 });
      CHECK(fd >= 0 && !mq_unlink("/dvm-features")))
  ROW("descriptors", "POSIX message queue with messages", mq_receive(fd, path, 32, NULL) == 4 && !mq_unlink("/dvm-features"),
      fd = mq_open("/dvm-features", O_RDWR | O_CREAT, 0600, &(struct mq_attr){ .mq_maxmsg = 3, .mq_msgsize = 32 });
      CHECK(fd >= 0 && !mq_send(fd, "kept", 4, 1)))
  ROW("descriptors", "POSIX message queue without a name, with messages", next_message(fd, 7) == 2 && next_message(fd, 1) == 4 &&
      next_message(fd, 1) == 3 && next_message(fd, 0) == 0 && mq_receive(fd, malloc(8192), 8192, NULL) == -1 && errno == EAGAIN,
      fd = mq_open("/dvm-features", O_RDWR | O_CREAT | O_NONBLOCK, 0600, NULL); CHECK(fd >= 0 && !mq_send(fd, "kept", 4, 1) &&
      !mq_send(fd, "", 0, 0) && !mq_send(fd, "one", 3, 1) && !mq_send(fd, "hi", 2, 7)); mq_unlink("/dvm-features"))
  ROW("sockets", "pair of unix streams", recv(pair[1], path, 10, 0) == 4,
      CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); CHECK(send(pair[0], "kept", 4, 0) == 4))
  ROW("sockets", "pair of unix datagram sockets", recv(pair[1], path, 10, 0) == 3 && recv(pair[1], path, 10, 0) == 4,
      CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)); CHECK(send(pair[0], "one", 3, 0) == 3 && send(pair[0], "four", 4, 0) == 4))
  ROW("sockets", "pair of unix packet sockets", recv(pair[1], path, 10, 0) == 3,
      CHECK(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair)); CHECK(send(pair[0], "one", 3, 0) == 3))
  ROW("sockets", "descriptors under way in a socket", recv(pair[1], path, 1, 0) == 1,
      CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); send_descriptor(pair[0]))
  ROW("sockets", "listening TCP socket", ((other = sizeof(value), !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &value, (socklen_t *)&other)) && (int)value == 1),
      fd = socket(AF_INET, SOCK_STREAM, 0); CHECK(!listen(fd, 5)))
  ROW("sockets", "TCP connection inside", send(pair[0], "y", 1, 0) == 1 && recv(pair[1], path, 10, 0) >= 1,
      connect_inside())
  ROW("sockets", "connection that was not accepted", accept(fd, NULL, NULL) >= 0,
      connect_inside(); close(pair[1]); other = socket(AF_INET, SOCK_STREAM, 0); CHECK(!connect(other, (struct sockaddr *)path, sizeof(struct sockaddr_in))))
  ROW("sockets", "UDP socket", fcntl(fd, F_GETFD) >= 0,
      fd = socket(AF_INET, SOCK_DGRAM, 0); CHECK(!bind(fd, (struct sockaddr *)&(struct sockaddr_in){ .sin_family = AF_INET }, sizeof(struct sockaddr_in))))
  ROW("sockets", "netlink socket", fcntl(fd, F_GETFD) >= 0,
      fd = socket(AF_NETLINK, SOCK_RAW, 0); CHECK(fd >= 0))
  ROW("signals", "actions", ((raise(SIGUSR1), hits == 1)),
      signal(SIGUSR1, count))
  ROW("signals", "mask", ((signal(SIGUSR1, count), raise(SIGUSR1), hits == 0)),
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGUSR1 - 1) } }, NULL))
  ROW("signals", "pending", (sigtimedwait(&(sigset_t){ { 1ul << (SIGUSR1 - 1) } }, NULL, &(struct timespec){ 0, 0 }) == SIGUSR1),
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGUSR1 - 1) } }, NULL); raise(SIGUSR1))
  ROW("signals", "queued with a value", (sigtimedwait(&(sigset_t){ { 1ul << (SIGRTMIN - 1) } }, (siginfo_t *)(void *)path, &(struct timespec){ 0, 0 }) == SIGRTMIN && ((siginfo_t *)(void *)path)->si_value.sival_int == 9),
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGRTMIN - 1) } }, NULL); sigqueue(getpid(), SIGRTMIN, (union sigval){ 9 }))
  ROW("signals", "alternate stack", (!sigaltstack(NULL, (stack_t *)(void *)path) && ((stack_t *)(void *)path)->ss_size == 65536),
      sigaltstack(&(stack_t){ .ss_sp = malloc(65536), .ss_size = 65536 }, NULL))
  ROW("time", "interval timer", (!getitimer(ITIMER_REAL, (struct itimerval *)(void *)path) && ((struct itimerval *)(void *)path)->it_value.tv_sec > 900),
      setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 0 }, { 1000, 0 } }, NULL))
  ROW("time", "POSIX timer", (!timer_gettime(timer, (struct itimerspec *)(void *)path) && ((struct itimerspec *)(void *)path)->it_value.tv_sec > 900),
      CHECK(!timer_create(CLOCK_MONOTONIC, NULL, &timer)); timer_settime(timer, 0, &(struct itimerspec){ { 0, 0 }, { 1000, 0 } }, NULL))
  ROW("time", "processor time of the process", clock() * 2 >= value,
      value = burn())
  ROW("process", "number", value == getpid(),
      value = getpid())
  ROW("process", "working folder", (getcwd(path, sizeof(path)) && !strcmp(path, folder)),
      CHECK(!chdir(folder)))
  ROW("process", "file mode mask", umask(0) == 031,
      umask(031))
  ROW("process", "limits", (!getrlimit(RLIMIT_CORE, (struct rlimit *)(void *)path) && ((struct rlimit *)(void *)path)->rlim_cur == 4096),
      setrlimit(RLIMIT_CORE, &(struct rlimit){ 4096, 8192 }))
  ROW("process", "nice value", getpriority(PRIO_PROCESS, 0) == 7,
      setpriority(PRIO_PROCESS, 0, 7))
  ROW("process", "no new privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1,
      prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
  ROW("process", "session of its own", getsid(0) == getpid(),
      setsid_in_child())
  ROW("process", "dumpable", prctl(PR_GET_DUMPABLE) == 0,
      prctl(PR_SET_DUMPABLE, 0))
  ROW("process", "subreaper", ((prctl(PR_GET_CHILD_SUBREAPER, &other), other == 1)),
      prctl(PR_SET_CHILD_SUBREAPER, 1))
  ROW("process", "name", ((prctl(PR_GET_NAME, path), !strcmp(path, "renamed"))),
      prctl(PR_SET_NAME, "renamed"))
  ROW("process", "processor set", ((sched_getaffinity(0, 128, (cpu_set_t *)(void *)path), CPU_COUNT((cpu_set_t *)(void *)path) == 1)),
      sched_setaffinity(0, 8, (cpu_set_t *)&(unsigned long){ 1 }))
  ROW("process", "real-time policy", sched_getscheduler(0) == SCHED_RR,
      CHECK(!sched_setscheduler(0, SCHED_RR, &(struct sched_param){ 3 })))
  ROW("process", "System V semaphore with undo", (semctl((int)value, 0, GETVAL) == 1),
      value = semget(IPC_PRIVATE, 1, 0600); CHECK(!semop((int)value, &(struct sembuf){ 0, 1, SEM_UNDO }, 1)))
  ROW("process", "child, saved by a request of the process itself", (!kill((pid_t)value, SIGKILL)),
      CHECK((value = fork()) >= 0); value ? (void)0 : (prctl(PR_SET_PDEATHSIG, SIGKILL), (void)wait_long(NULL)))
  ROW("threads", "thread", count_threads() >= 2,
      pthread_create(&(pthread_t){ 0 }, NULL, wait_long, NULL))
#include "features_more.h"
  ROW("threads", "a main thread that has ended", 1,
      pthread_create(&(pthread_t){ 0 }, NULL, save_alone, (void *)(uintptr_t)image_path); pthread_exit(NULL))
  return -1;
}

int main(int argc, char **argv)
{
  int kept;

  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    return run_rows() != -1;
  if (argc != 4)
    return 2;
  wanted = atoi(argv[1]);
  image_path = argv[2];
  folder = argv[3];
  signal(SIGALRM, SIG_IGN);
  kept = run_rows();
  puts(kept == 1 ? "as before" : kept == 0 ? "lost" : "no such row");
  return kept != 1;
}
