/* More rows of features.c, in the body of run_rows. */
  ROW("memory", "end of the heap (brk)", sbrk(0) == (void *)value,
      CHECK(sbrk(123456) != (void *)-1); value = (long)sbrk(0))
  ROW("memory", "executable memory that was made", ((int (*)(void))(void *)memory)() == 7,
      memory = mmap(NULL, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); memcpy(memory, "\xb8\x07\x00\x00\x00\xc3", 6))
  ROW("memory", "read-only", is_text("kept") && vm_flag("wr") == 0,
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); mprotect(memory, 16384, PROT_READ))
  ROW("memory", "hole in a mapping", is_text("kept") && faults(memory + 4096) && !faults(memory + 8192),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); munmap(memory + 4096, 4096))
  ROW("memory", "moved mapping (mremap)", is_text("kept"),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); memory = mremap(memory, 16384, 65536, MREMAP_MAYMOVE))
  ROW("memory", "1 GiB that is hardly used", memory[1 << 29] == 'x' && memory[1 << 28] == 0,
      memory = mmap(NULL, 1 << 30, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0); memory[1 << 29] = 'x')
  ROW("memory", "locked as it is touched (mlock2)", vm_flag("lo") == 1 && vm_flag("lf") == 1,
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!mlock2(memory, 16384, 1)))
  ROW("memory", "mappings to come locked (mlockall)", ((memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1)), vm_flag("lo") == 1),
      CHECK(!mlockall(MCL_FUTURE)))
  ROW("memory", "sealed (mseal)", munmap(memory, 16384) == -1 && errno == EPERM && is_text("kept"),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); CHECK(!syscall(462, memory, 16384, 0)))
  ROW("memory", "hint: no huge pages", vm_flag("nh") == 1,
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!madvise(memory, 16384, MADV_NOHUGEPAGE)))
  ROW("memory", "hint: sequential", vm_flag("sr") == 1,
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!madvise(memory, 16384, MADV_SEQUENTIAL)))
  ROW("memory", "hint: not dumped", vm_flag("dd") == 1 && is_text("kept"),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); CHECK(!madvise(memory, 16384, MADV_DONTDUMP)))
  ROW("memory", "hint: mergeable", vm_flag("mg") == 1,
      memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1); CHECK(!madvise(memory, 16384, MADV_MERGEABLE)))
  ROW("memory", "zero in children (MADV_WIPEONFORK)", is_text("kept") && child_reads_zero(),
      strcpy(memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), "kept"); CHECK(!madvise(memory, 16384, MADV_WIPEONFORK)))
  ROW("memory", "huge pages switched off (prctl)", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1,
      CHECK(!prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)))
  ROW("memory", "shared memory with a name (shm_open)", ((shm_unlink("/dvm-features"), is_text("kept"))),
      fd = shm_open("/dvm-features", O_RDWR | O_CREAT, 0600); CHECK(!ftruncate(fd, 16384)); strcpy(memory = map(MAP_SHARED, fd), "kept"))
  ROW("memory", "mapping of a deleted file", is_text("kept"),
      fd = file(O_RDWR); CHECK(!ftruncate(fd, 16384)); strcpy(memory = map(MAP_SHARED, fd), "kept"); unlink(path); close(fd))
  ROW("memory", "mapping of hugetlbfs", is_text("kept"),
      memory = mmap(NULL, 2 << 20, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0); CHECK(memory != MAP_FAILED); CHECK(!access("/proc/self/mem", R_OK)); strcpy(memory, "kept"))
  ROW("memory", "two mappings of one memory file", memory[0] == 'x' && strcmp(memory, (char *)value) == 0 && ((memory[1] = 'y'), ((char *)value)[1] == 'y'),
      fd = memfd_create("m", 0); CHECK(!ftruncate(fd, 16384)); memory = map(MAP_SHARED, fd); value = (long)map(MAP_SHARED, fd); close(fd); memory[0] = 'x')
  ROW("memory", "thread-local data", thread_value == 42,
      thread_value = 42)
  ROW("memory", "text that stdio has not written yet", ((fflush(stream), lseek(fileno(stream), 0, SEEK_END)) == 4),
      file(O_RDWR); stream = fopen(path, "w"); fputs("kept", stream))
  ROW("memory", "library loaded by dlopen", ((double (*)(double))(void *)value)(1.0) == 1.0,
      value = (long)dlsym(dlopen("libm.so.6", RTLD_NOW), "sqrt"); CHECK(value))
  ROW("memory", "context of asynchronous I/O", syscall(SYS_io_getevents, value, 0, 1, path, &(struct timespec){ 0, 0 }) == 0,
      value = 0; CHECK(!syscall(SYS_io_setup, 8, &value)))
  ROW("files", "not blocking (O_NONBLOCK)", fcntl(fd, F_GETFL) & O_NONBLOCK,
      fd = file(O_RDWR | O_NONBLOCK))
  ROW("files", "synchronous (O_SYNC)", (fcntl(fd, F_GETFL) & O_SYNC) == O_SYNC,
      fd = file(O_RDWR | O_SYNC))
  ROW("files", "no access times (O_NOATIME)", fcntl(fd, F_GETFL) & O_NOATIME,
      fd = file(O_RDWR | O_NOATIME))
  ROW("files", "renamed after it was opened", ((snprintf(path, sizeof(path), "%s/renamed", folder)), read(fd, path, 4) == 4 && !memcmp(path, "kept", 4)),
      fd = file(O_RDWR); CHECK(write(fd, "kept", 4) == 4 && !lseek(fd, 0, SEEK_SET)); { char to[5000]; snprintf(to, sizeof(to), "%s/renamed", folder); CHECK(!rename(path, to)); })
  ROW("files", "deleted, with another link", read(fd, path, 4) == 4 && !memcmp(path, "kept", 4),
      fd = file(O_RDWR); CHECK(write(fd, "kept", 4) == 4 && !lseek(fd, 0, SEEK_SET)); { char to[5000]; snprintf(to, sizeof(to), "%s/link", folder); CHECK(!link(path, to) && !unlink(path)); })
  ROW("files", "deleted, with a hole", lseek(fd, 0, SEEK_END) == 1000004 && pread(fd, path, 5, 500000) == 5 && !path[0],
      fd = file(O_RDWR); CHECK(lseek(fd, 1000000, SEEK_SET) && write(fd, "gone", 4) == 4 && !unlink(path)))
  ROW("files", "position in a folder", ((value == telldir(listing)) && readdir(listing)),
      file(O_RDWR); listing = opendir(folder); readdir(listing); value = telldir(listing))
  ROW("files", "folder that was removed", fcntl(fd, F_GETFL) & O_DIRECTORY,
      snprintf(path, sizeof(path), "%s/gone", folder); CHECK(!mkdir(path, 0700)); fd = open(path, O_RDONLY | O_DIRECTORY); rmdir(path))
  ROW("files", "file of /proc/self", read(fd, path, 100) == 100,
      fd = open("/proc/self/status", O_RDONLY))
  ROW("files", "device /dev/urandom", read(fd, path, 8) == 8,
      fd = open("/dev/urandom", O_RDONLY))
  ROW("files", "descriptor with a high number", fcntl(900, F_GETFD) >= 0,
      CHECK(dup2(file(O_RDWR), 900) == 900))
  ROW("files", "two locks on ranges", ((other = fork()) ? (waitpid(other, (int *)&value, 0), WEXITSTATUS((int)value) == 3) : (_exit((fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK, .l_start = 0, .l_len = 1 }) != 0) + 2 * (fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK, .l_start = 10, .l_len = 1 }) != 0) + 4 * (fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK, .l_start = 5, .l_len = 1 }) != 0)), 0)),
      fd = file(O_RDWR); CHECK(!fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_WRLCK, .l_len = 2 }) && !fcntl(fd, F_SETLK, &(struct flock){ .l_type = F_RDLCK, .l_start = 10, .l_len = 2 })))
  ROW("files", "shared flock(2)", ((other = open(path, O_RDWR), flock(other, LOCK_EX | LOCK_NB) != 0 && !flock(other, LOCK_SH | LOCK_NB))),
      fd = file(O_RDWR); CHECK(!flock(fd, LOCK_SH)))
  ROW("files", "signal of an owner (F_SETSIG)", fcntl(pair[0], F_GETSIG) == SIGUSR1,
      CHECK(!pipe(pair)); CHECK(!fcntl(pair[0], F_SETOWN, getpid()) && !fcntl(pair[0], F_SETSIG, SIGUSR1)))
  ROW("files", "pair of a terminal", write(fd, "x", 1) == 1 && read(other, path, 1) == 1,
      fd = posix_openpt(O_RDWR | O_NOCTTY); CHECK(fd >= 0 && !grantpt(fd) && !unlockpt(fd)); other = open(ptsname(fd), O_RDWR | O_NOCTTY); CHECK(other >= 0))
  ROW("pipes", "size", fcntl(pair[0], F_GETPIPE_SZ) == 262144,
      CHECK(!pipe(pair) && fcntl(pair[0], F_SETPIPE_SZ, 262144) == 262144))
  ROW("pipes", "pipe whose reader is gone", ((signal(SIGPIPE, SIG_IGN), write(pair[1], "x", 1) == -1 && errno == EPIPE)),
      CHECK(!pipe(pair) && !close(pair[0])))
  ROW("pipes", "full pipe", read(pair[0], path, 4096) == 4096 && ((value = 0), !ioctl(pair[0], FIONREAD, &value)) && value == 61440,
      CHECK(!pipe2(pair, O_NONBLOCK)); memset(path, 'x', 4096); while (write(pair[1], path, 4096) > 0))
  ROW("pipes", "FIFO opened to read and write", read(fd, path, 10) == 4,
      snprintf(path, sizeof(path), "%s/fifo", folder); CHECK(!mkfifo(path, 0600)); fd = open(path, O_RDWR); CHECK(write(fd, "kept", 4) == 4))
  ROW("descriptors", "eventfd as a semaphore", read(fd, &value, 8) == 8 && value == 1 && read(fd, &value, 8) == 8 && value == 1,
      fd = eventfd(2, EFD_SEMAPHORE))
  ROW("descriptors", "timerfd that repeats", (!timerfd_gettime(fd, (struct itimerspec *)(void *)path) && ((struct itimerspec *)(void *)path)->it_interval.tv_sec == 500 && ((struct itimerspec *)(void *)path)->it_value.tv_sec > 900),
      fd = timerfd_create(CLOCK_REALTIME, 0); CHECK(!timerfd_settime(fd, 0, &(struct itimerspec){ { 500, 0 }, { 1000, 0 } }, NULL)))
  ROW("descriptors", "epoll in epoll", (epoll_wait(other, &(struct epoll_event){ 0 }, 1, 0) == 1),
      fd = epoll_create1(0); other = epoll_create1(0); CHECK(!pipe(pair) && !epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){ .events = EPOLLOUT }) && !epoll_ctl(other, EPOLL_CTL_ADD, fd, &(struct epoll_event){ .events = EPOLLIN })))
  ROW("descriptors", "epoll, once and gone (EPOLLONESHOT)", (epoll_wait(fd, &(struct epoll_event){ 0 }, 1, 0) == 0 && !epoll_ctl(fd, EPOLL_CTL_MOD, pair[1], &(struct epoll_event){ .events = EPOLLOUT }) && epoll_wait(fd, &(struct epoll_event){ 0 }, 1, 0) == 1),
      fd = epoll_create1(0); CHECK(!pipe(pair) && !epoll_ctl(fd, EPOLL_CTL_ADD, pair[1], &(struct epoll_event){ .events = EPOLLOUT | EPOLLONESHOT }) && epoll_wait(fd, &(struct epoll_event){ 0 }, 1, 0) == 1))
  ROW("descriptors", "pidfd of a child", syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0,
      CHECK((value = fork()) >= 0); if (!value) { prctl(PR_SET_PDEATHSIG, SIGKILL); wait_long(NULL); } fd = (int)syscall(SYS_pidfd_open, value, 0); CHECK(fd >= 0))
  ROW("descriptors", "inotify, numbers of watches", read(fd, path, 4096) > 0 && ((int *)(void *)path)[0] == 5 && !inotify_rm_watch(fd, 5) && inotify_rm_watch(fd, 4) == -1,
      fd = inotify_init(); for (int i = 1; i <= 5; i++) { int wd = inotify_add_watch(fd, folder, IN_CREATE); CHECK(wd == i); if (i < 5) { inotify_rm_watch(fd, wd); CHECK(read(fd, path, 4096) > 0); } } on_restart = make_file)
  ROW("descriptors", "inotify with events that were not read", read(fd, path, 4096) > 0,
      fd = inotify_init1(IN_NONBLOCK); CHECK(inotify_add_watch(fd, folder, IN_CREATE) == 1); file(O_RDWR))
  ROW("descriptors", "fanotify", fcntl(fd, F_GETFD) >= 0,
      fd = (int)syscall(SYS_fanotify_init, 0, O_RDONLY); CHECK(fd >= 0))
  ROW("descriptors", "namespace (/proc/self/ns/uts)", fcntl(fd, F_GETFD) >= 0,
      fd = open("/proc/self/ns/uts", O_RDONLY); CHECK(fd >= 0))
  ROW("sockets", "listening unix socket with a name", connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)named(), sizeof(struct sockaddr_un)) == 0 && accept(fd, NULL, NULL) >= 0,
      fd = socket(AF_UNIX, SOCK_STREAM, 0); CHECK(!bind(fd, (struct sockaddr *)named(), sizeof(struct sockaddr_un)) && !listen(fd, 3)))
  ROW("sockets", "unix datagram socket with a name", sendto(socket(AF_UNIX, SOCK_DGRAM, 0), "x", 1, 0, (struct sockaddr *)named(), sizeof(struct sockaddr_un)) == 1 && recv(fd, path, 10, 0) == 1,
      fd = socket(AF_UNIX, SOCK_DGRAM, 0); CHECK(!bind(fd, (struct sockaddr *)named(), sizeof(struct sockaddr_un))))
  ROW("sockets", "one end closed", recv(pair[1], path, 10, 0) == 4 && recv(pair[1], path, 10, 0) == 0,
      CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair)); CHECK(send(pair[0], "kept", 4, 0) == 4 && !close(pair[0])))
  ROW("sockets", "shut down to write", recv(pair[1], path, 10, 0) == 0 && send(pair[1], "x", 1, 0) == 1 && recv(pair[0], path, 10, 0) == 1,
      CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair) && !shutdown(pair[0], SHUT_WR)))
  ROW("sockets", "options (time-out, keep alive, no delay)", option(pair[0], SOL_SOCKET, SO_KEEPALIVE) == 1 && option(pair[0], IPPROTO_TCP, TCP_NODELAY) == 1 && option(pair[0], SOL_SOCKET, SO_RCVTIMEO) == 7,
      connect_inside(); CHECK(!setsockopt(pair[0], SOL_SOCKET, SO_KEEPALIVE, &(int){ 1 }, 4) && !setsockopt(pair[0], IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, 4) && !setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ 7, 0 }, sizeof(struct timeval))))
  ROW("sockets", "data that wait in a TCP connection", recv(pair[1], path, 10, 0) == 4 && !memcmp(path, "kept", 4),
      connect_inside(); CHECK(send(pair[0], "kept", 4, 0) == 4))
  ROW("sockets", "TCP connection that was shut down", recv(pair[0], path, 10, 0) == 0 && send(pair[0], "x", 1, 0) == 1,
      connect_inside(); CHECK(!shutdown(pair[1], SHUT_WR)); usleep(20000))
  ROW("sockets", "listening on IPv6", option(fd, SOL_SOCKET, SO_ACCEPTCONN) == 1 && option(fd, IPPROTO_IPV6, IPV6_V6ONLY) == 1,
      fd = socket(AF_INET6, SOCK_STREAM, 0); CHECK(fd >= 0 && !setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){ 1 }, 4) && !listen(fd, 5)))
  ROW("sockets", "bound, not connected", ((other = sizeof(struct sockaddr_in)), !getsockname(fd, (struct sockaddr *)path, (socklen_t *)&other) && ((struct sockaddr_in *)(void *)path)->sin_port == value),
      fd = socket(AF_INET, SOCK_STREAM, 0); { struct sockaddr_in name = { .sin_family = AF_INET }; socklen_t size = sizeof(name); CHECK(!setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, 4) && !bind(fd, (struct sockaddr *)&name, size) && !getsockname(fd, (struct sockaddr *)&name, &size)); value = name.sin_port; })
  ROW("sockets", "UDP datagram that was not read", recv(fd, path, 10, 0) == 1,
      fd = socket(AF_INET, SOCK_DGRAM, 0); { struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) }; socklen_t size = sizeof(name); CHECK(!bind(fd, (struct sockaddr *)&name, size) && !getsockname(fd, (struct sockaddr *)&name, &size) && sendto(fd, "x", 1, 0, (struct sockaddr *)&name, size) == 1); })
  ROW("sockets", "raw socket", fcntl(fd, F_GETFD) >= 0,
      fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); CHECK(fd >= 0))
  ROW("sockets", "packet socket", fcntl(fd, F_GETFD) >= 0,
      fd = socket(AF_PACKET, SOCK_RAW, 0); CHECK(fd >= 0))
  ROW("signals", "ignored", signal(SIGUSR2, SIG_DFL) == SIG_IGN,
      signal(SIGUSR2, SIG_IGN))
  ROW("signals", "flags and mask of an action", (!sigaction(SIGUSR2, NULL, &action) && (action.sa_flags & (SA_RESTART | SA_NODEFER)) == (SA_RESTART | SA_NODEFER) && sigismember(&action.sa_mask, SIGHUP)),
      action.sa_handler = count; action.sa_flags = SA_RESTART | SA_NODEFER; sigaddset(&action.sa_mask, SIGHUP); sigaction(SIGUSR2, &action, NULL); memset(&action, 0, sizeof(action)))
  ROW("signals", "order of queued ones", next_value() == 1 && next_value() == 2 && next_value() == 3,
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGRTMIN - 1) } }, NULL); for (int i = 1; i <= 3; i++) sigqueue(getpid(), SIGRTMIN, (union sigval){ i }))
  ROW("signals", "pending for one thread", (sigtimedwait(&(sigset_t){ { 1ul << (SIGUSR1 - 1) } }, NULL, &(struct timespec){ 0, 0 }) == SIGUSR1),
      sigprocmask(SIG_BLOCK, &(sigset_t){ { 1ul << (SIGUSR1 - 1) } }, NULL); pthread_kill(pthread_self(), SIGUSR1))
  ROW("signals", "mask set by a bare system call", ((signal(SIGUSR1, count), raise(SIGUSR1), hits == 0)),
      bare4(SYS_rt_sigprocmask, SIG_BLOCK, (long)&(unsigned long){ 1ul << (SIGUSR1 - 1) }, 0, 8))
  ROW("time", "interval timer of processor time", (!getitimer(ITIMER_PROF, (struct itimerval *)(void *)path) && ((struct itimerval *)(void *)path)->it_value.tv_sec > 900),
      setitimer(ITIMER_PROF, &(struct itimerval){ { 0, 0 }, { 1000, 0 } }, NULL))
  ROW("time", "POSIX timer of processor time", (!timer_gettime(timer, (struct itimerspec *)(void *)path) && ((struct itimerspec *)(void *)path)->it_value.tv_sec > 900),
      CHECK(!timer_create(CLOCK_PROCESS_CPUTIME_ID, NULL, &timer)); timer_settime(timer, 0, &(struct itimerspec){ { 0, 0 }, { 1000, 0 } }, NULL))
  ROW("time", "timer that calls a function", (!timer_gettime(timer, (struct itimerspec *)(void *)path) && ((struct itimerspec *)(void *)path)->it_value.tv_sec > 900),
      CHECK(!timer_create(CLOCK_MONOTONIC, &(struct sigevent){ .sigev_notify = SIGEV_THREAD, .sigev_notify_function = called }, &timer)); timer_settime(timer, 0, &(struct itimerspec){ { 0, 0 }, { 1000, 0 } }, NULL))
  ROW("time", "processor time of the thread", thread_time() >= value,
      burn(); value = thread_time())
  ROW("time", "getrusage(2)", used_time(RUSAGE_SELF) >= value && value,
      burn(); value = used_time(RUSAGE_SELF))
  ROW("time", "processor time of children", used_time(RUSAGE_CHILDREN) >= value && value,
      child_burns(); value = used_time(RUSAGE_CHILDREN))
  ROW("time", "monotonic clock goes on", (clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(void *)path), ((struct timespec *)(void *)path)->tv_sec >= value),
      clock_gettime(CLOCK_MONOTONIC, (struct timespec *)(void *)path); value = ((struct timespec *)(void *)path)->tv_sec)
  ROW("process", "environment", getenv("DVM_FEATURE") && !strcmp(getenv("DVM_FEATURE"), "kept"),
      setenv("DVM_FEATURE", "kept", 1))
  ROW("process", "arguments in /proc", proc_has("/proc/self/cmdline", "mpir_features"),
      (void)0)
  ROW("process", "link to the program in /proc", (readlink("/proc/self/exe", path, sizeof(path)) > 0 && strstr(path, "mpir_features")),
      (void)0)
  ROW("process", "process group of its own", getpgrp() == getpid(),
      setpgid(0, 0))
  ROW("process", "working folder that was removed", !getcwd(path, sizeof(path)) && errno == ENOENT,
      snprintf(path, sizeof(path), "%s/gone", folder); CHECK(!mkdir(path, 0700) && !chdir(path) && !rmdir(path)))
  ROW("process", "batch policy", sched_getscheduler(0) == SCHED_BATCH,
      CHECK(!sched_setscheduler(0, SCHED_BATCH, &(struct sched_param){ 0 })))
  ROW("process", "I/O priority", syscall(SYS_ioprio_get, 1, 0) == (2 << 13 | 6),
      CHECK(!syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 6)))
  ROW("process", "timer slack", prctl(PR_GET_TIMERSLACK) == 12345,
      prctl(PR_SET_TIMERSLACK, 12345))
  ROW("process", "adjustment for the lack of memory", proc_has("/proc/self/oom_score_adj", "321"),
      proc_write("/proc/self/oom_score_adj", "321"))
  ROW("process", "core filter", proc_has("/proc/self/coredump_filter", "0000007f"),
      proc_write("/proc/self/coredump_filter", "0x7f"))
  ROW("process", "personality", personality(0xffffffff) & 0x0040000,
      personality(0x0040000))
  ROW("process", "secure bits", prctl(PR_GET_SECUREBITS) == 4,
      CHECK(!prctl(PR_SET_SECUREBITS, 4)))
  ROW("process", "capabilities given up", prctl(PR_CAPBSET_READ, 25) == 0,
      CHECK(!prctl(PR_CAPBSET_DROP, 25)))
  ROW("process", "supplementary groups", getgroups(10, (gid_t *)(void *)path) == 2 && ((gid_t *)(void *)path)[1] == 4243,
      CHECK(!setgroups(2, (gid_t[]){ 4242, 4243 })))
  ROW("process", "effective group", getegid() == 4242 && !getgid(),
      CHECK(!setegid(4242)))
  ROW("process", "seccomp filter", prctl(PR_GET_SECCOMP) == 2 && syscall(SYS_getpgid, 0) == -1 && errno == ENOTTY,
      install_filter())
  ROW("process", "no gain of execution rights (PR_SET_MDWE)", prctl(66, 0, 0, 0, 0) == 1,
      CHECK(!prctl(65, 1, 0, 0, 0)))
  ROW("process", "registration of membarrier(2)", !syscall(SYS_membarrier, 8, 0, 0),
      CHECK(!syscall(SYS_membarrier, 16, 0, 0)))
  ROW("process", "host name in a namespace of its own", (!gethostname(path, 100) && !strcmp(path, "features")),
      CHECK(!unshare_uts()))
  ROW("process", "root folder of its own (chroot)", access("/file", F_OK) == 0,
      file(O_RDWR); CHECK(!chroot(folder)))
  ROW("process", "System V semaphore", (semctl((int)value, 0, GETVAL) == 1 && !semctl((int)value, 0, IPC_RMID)),
      value = semget(IPC_PRIVATE, 1, 0600); CHECK(!semop((int)value, &(struct sembuf){ 0, 1, 0 }, 1)))
  ROW("process", "System V message queue", (msgrcv((int)value, path, 100, 0, IPC_NOWAIT) == 4 && !msgctl((int)value, IPC_RMID, NULL)),
      value = msgget(IPC_PRIVATE, 0600); memcpy(path, "\1\0\0\0\0\0\0\0kept", 12); CHECK(!msgsnd((int)value, path, 4, 0)))
  ROW("process", "named POSIX semaphore", ((sem_unlink("/dvm-features"), !sem_trywait(semaphore) && sem_trywait(semaphore) == -1)),
      semaphore = sem_open("/dvm-features", O_CREAT, 0600, 1); CHECK(semaphore != SEM_FAILED))
  ROW("process", "child that ended and was not waited for", waitpid((pid_t)value, &other, 0) == value && WEXITSTATUS(other) == 9,
      CHECK((value = fork()) >= 0); if (!value) _exit(9); CHECK(!waitid(P_PID, (id_t)value, (siginfo_t *)(void *)path, WEXITED | WNOWAIT)))
  ROW("threads", "mutex that is held", pthread_mutex_trylock(&mutex) == EBUSY && !pthread_mutex_unlock(&mutex),
      pthread_mutex_lock(&mutex))
  ROW("threads", "recursive mutex that is held", !pthread_mutex_lock(&mutex) && !pthread_mutex_unlock(&mutex) && !pthread_mutex_unlock(&mutex),
      make_mutex(PTHREAD_MUTEX_RECURSIVE, 0); pthread_mutex_lock(&mutex))
  ROW("threads", "robust mutex whose owner ends", pthread_mutex_lock(&mutex) == EOWNERDEAD,
      make_mutex(PTHREAD_MUTEX_NORMAL, 1); in_thread(lock_and_wait); wait_for_lock())
  ROW("threads", "thread that waits for a condition", ((in_main = 1, pthread_cond_signal(&condition), pthread_join(thread, (void **)&value), value == 7)),
      in_thread(wait_condition))
  ROW("threads", "thread that waits at a barrier", ((pthread_barrier_wait(&barrier), pthread_join(thread, (void **)&value), value == 7)),
      pthread_barrier_init(&barrier, NULL, 2); in_thread(wait_barrier))
  ROW("threads", "read lock that is held", pthread_rwlock_trywrlock(&rwlock) == EBUSY && !pthread_rwlock_tryrdlock(&rwlock),
      pthread_rwlock_rdlock(&rwlock))
  ROW("threads", "thread-specific data", pthread_getspecific(key) == (void *)77,
      pthread_key_create(&key, NULL); pthread_setspecific(key, (void *)77))
  ROW("threads", "cancellation switched off", ((pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &other), other == PTHREAD_CANCEL_DISABLE)),
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL))
  ROW("threads", "name of a thread", (!pthread_getname_np(thread, path, 100) && !strcmp(path, "second")),
      in_thread(wait_long); pthread_setname_np(thread, "second"))
  ROW("threads", "processor set of a thread", (!pthread_getaffinity_np(thread, 128, (cpu_set_t *)(void *)path) && CPU_COUNT((cpu_set_t *)(void *)path) == 1),
      in_thread(wait_long); pthread_setaffinity_np(thread, 8, (cpu_set_t *)&(unsigned long){ 1 }))
  ROW("threads", "futex with inherited priority", pthread_mutex_trylock(&mutex) == EBUSY && !pthread_mutex_unlock(&mutex),
      make_mutex(PTHREAD_MUTEX_NORMAL, 2); pthread_mutex_lock(&mutex))
  ROW("threads", "64 threads", count_threads() == 65,
      for (int i = 0; i < 64; i++) in_thread(wait_long))
  ROW("registers", "rounding mode", fegetround() == FE_UPWARD,
      fesetround(FE_UPWARD))
  ROW("registers", "exceptions of arithmetic", fegetexcept() == FE_DIVBYZERO,
      feenableexcept(FE_DIVBYZERO))
  ROW("registers", "GS base", ((syscall(SYS_arch_prctl, 0x1004, &value), value == (long)path)),
      syscall(SYS_arch_prctl, 0x1001, path))
