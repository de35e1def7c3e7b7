/* Results through pointers: files, directories, processes, sockets, users, regular expressions, names of hosts, messages. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>

#define NEED(c) do { if (!(c)) { printf("line %d: %s\n", __LINE__, strerror(errno)); exit(1); } } while (0)
static char folder[] = "/tmp/dvm-quiet-XXXXXX";
static int entries;

static int visit(const char *path, const struct stat *st, int type, struct FTW *where) {
  entries += type == FTW_F && st->st_size >= 0 && path[where->base] != '.';
  return 0;
}

static int no_dots(const struct dirent *e) { return e->d_name[0] != '.'; }

static void files(void) {
  char path[PATH_MAX], target[32], *real, big[64];
  struct stat st, *hst = malloc(sizeof *hst);
  struct statvfs vfs;
  struct statfs fs;
  struct dirent **list, *e;
  char *heap = malloc(64);
  NEED(hst && heap);
  snprintf(path, sizeof path, "%s/file", folder);
  int fd = open(path, O_RDWR | O_CREAT, 0600), other;
  NEED(fd >= 0 && write(fd, "0123456789abcdef", 16) == 16);
  NEED(!fstat(fd, &st) && !stat(path, hst) && !lstat(path, &st) && !fstatat(AT_FDCWD, path, hst, 0));
  printf("%d %d\n", (int)st.st_size, (int)hst->st_nlink);
  NEED(!statvfs("/", &vfs) && !statfs("/", &fs) && vfs.f_bsize > 0 && fs.f_bsize > 0);
  NEED(pread(fd, big, 4, 2) == 4 && pread(fd, heap, 4, 8) == 4);
  printf("%.4s %c %c\n", big, big[3], heap[1]);
  struct iovec iov[2] = {{big, 3}, {heap, 3}};
  NEED(preadv(fd, iov, 2, 0) == 6);
  printf("%c %c\n", big[2], heap[2]);
  off_t offset = 3;
  snprintf(path, sizeof path, "%s/copy", folder);
  other = open(path, O_RDWR | O_CREAT, 0600);
  NEED(other >= 0 && sendfile(other, fd, &offset, 4) == 4 && offset == 7);
  FILE *f = fdopen(other, "r+");
  long position;
  fpos_t mark;
  NEED(f && !fseek(f, 0, SEEK_SET) && fgets(big, sizeof big, f));
  printf("%s", big);
  NEED(!fgetpos(f, &mark) && !fsetpos(f, &mark) && (position = ftell(f)) == 4);
  rewind(f);
  NEED(fread_unlocked(big, 2, 2, f) == 2);
  printf(" %c\n", big[3]);
  fclose(f);
  close(fd);
  snprintf(path, sizeof path, "%s/link", folder);
  NEED(!symlink("file", path) && readlink(path, target, sizeof target) == 4);
  printf("%c%c\n", target[0], target[3]);
  NEED((real = realpath(path, NULL)) && realpath(path, path));
  printf("%s %d\n", strrchr(real, '/'), path[0]);
  free(real);
  NEED(scandir(folder, &list, no_dots, alphasort) == 3);
  for (int i = 0; i < 3; i++) {
    printf("%s ", list[i]->d_name);
    free(list[i]);
  }
  free(list);
  DIR *d = opendir(folder);
  int n = 0;
  NEED(d);
  while ((e = readdir(d)))
    n += e->d_name[0] != '.' && e->d_type != 255;
  closedir(d);
  NEED(!nftw(folder, visit, 4, FTW_PHYS));
  printf("%d %d\n", n, entries);
  glob_t g;
  wordexp_t w;
  snprintf(path, sizeof path, "%s/[cf]*", folder);
  NEED(!glob(path, 0, NULL, &g) && g.gl_pathc == 2);
  printf("%s\n", strrchr(g.gl_pathv[1], '/'));
  globfree(&g);
  NEED(!wordexp("one 'two words'", &w, 0));
  printf("%d %s\n", (int)w.we_wordc, w.we_wordv[1]);
  wordfree(&w);
  NEED(getcwd(path, sizeof path) && path[0] == '/');
  char *text = NULL;
  size_t size;
  f = open_memstream(&text, &size);
  fprintf(f, "in memory");
  fclose(f);
  printf("%s %d %c\n", text, (int)size, text[3]);
  free(text);
  free(hst);
  free(heap);
}

static void processes(void) {
  int ends[2], status, *ends2 = malloc(2 * sizeof *ends2), available;
  struct rusage usage;
  struct rlimit limit;
  struct tms ticks;
  struct utsname name, *hname = malloc(sizeof *hname);
  struct sysinfo info;
  siginfo_t si;
  sigset_t set, pending;
  cpu_set_t cpus;
  double load[3];
  char host[256], buffer[64];
  NEED(ends2 && hname && !pipe(ends) && !pipe2(ends2, O_CLOEXEC));
  pid_t pid = fork();
  if (!pid)
    _exit(7);
  NEED(wait4(pid, &status, 0, &usage) == pid && WEXITSTATUS(status) == 7 && usage.ru_maxrss >= 0);
  if (!(pid = fork()))
    _exit(8);
  NEED(!waitid(P_PID, pid, &si, WEXITED));
  printf("%d %d\n", WEXITSTATUS(status), si.si_status);
  NEED(!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur > 0 && times(&ticks) != -1 && ticks.tms_utime >= 0);
  NEED(!uname(&name) && !uname(hname) && !gethostname(host, sizeof host) && !sysinfo(&info) && info.totalram > 0);
  printf("%s %d %d\n", name.sysname, hname->nodename[0] == name.nodename[0], host[0] == name.nodename[0]);
  NEED(getloadavg(load, 3) == 3 && load[0] >= 0);
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  NEED(!sigprocmask(SIG_BLOCK, &set, NULL) && !raise(SIGUSR1) && !sigpending(&pending) && sigismember(&pending, SIGUSR1));
  int signal_number;
  NEED(!sigwait(&set, &signal_number) && signal_number == SIGUSR1);
  NEED(!sched_getaffinity(0, sizeof cpus, &cpus) && CPU_COUNT(&cpus) > 0);
  NEED(write(ends[1], "hello", 5) == 5 && !ioctl(ends[0], FIONREAD, &available));
  struct pollfd waits[2] = {{.fd = ends[0], .events = POLLIN}, {.fd = ends2[0], .events = POLLIN}};
  NEED(poll(waits, 2, 0) == 1);
  fd_set readable;
  struct timeval no_time = {0, 0};
  FD_ZERO(&readable);
  FD_SET(ends[0], &readable);
  NEED(select(ends[0] + 1, &readable, NULL, NULL, &no_time) == 1 && FD_ISSET(ends[0], &readable));
  int set_of_events = epoll_create1(0), counter = eventfd(3, 0);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = ends[0]}, got[4];
  NEED(!epoll_ctl(set_of_events, EPOLL_CTL_ADD, ends[0], &event) && epoll_wait(set_of_events, got, 4, 0) == 1);
  eventfd_t value;
  NEED(!eventfd_read(counter, &value));
  struct iovec parts[2] = {{buffer, 2}, {buffer + 10, 3}};
  NEED(readv(ends[0], parts, 2) == 5);
  printf("%d %d %d %d %d %c%c\n", available, waits[0].revents == POLLIN, waits[1].revents, got[0].data.fd == ends[0], (int)value, buffer[1], buffer[12]);
  struct itimerspec spec;
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  NEED(!timerfd_gettime(timer, &spec));
  struct sigaction action, *old = malloc(sizeof *old);
  stack_t alternate;
  NEED(old && !sigaction(SIGUSR2, NULL, &action) && !sigaction(SIGUSR1, NULL, old) && !sigaltstack(NULL, &alternate));
  printf("%d %d %d %d\n", (int)spec.it_value.tv_sec, action.sa_handler == SIG_DFL, old->sa_handler == SIG_DFL, alternate.ss_flags == SS_DISABLE);
  free(ends2);
  free(hname);
  free(old);
}

static void sockets(void) {
  int pair[2], type, one = 1;
  socklen_t length = sizeof type;
  char buffer[32], *heap = malloc(32), control[64], text[INET6_ADDRSTRLEN];
  NEED(heap && !socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) && send(pair[0], "datagram", 8, 0) == 8);
  NEED(recv(pair[1], buffer, sizeof buffer, 0) == 8 && !getsockopt(pair[1], SOL_SOCKET, SO_TYPE, &type, &length));
  struct iovec iov = {heap, 32};
  struct msghdr message;
  memset(&message, 0, sizeof message);
  message.msg_iov = &iov;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  NEED(send(pair[0], "message", 7, 0) == 7 && recvmsg(pair[1], &message, 0) == 7);
  printf("%c %c %d %d\n", buffer[7], heap[6], type == SOCK_DGRAM, (int)message.msg_controllen);
  struct mmsghdr *many = calloc(2, sizeof *many);
  char first[8], second[8];
  struct iovec both[2] = {{first, 8}, {second, 8}};
  many[0].msg_hdr.msg_iov = &both[0];
  many[1].msg_hdr.msg_iov = &both[1];
  many[0].msg_hdr.msg_iovlen = many[1].msg_hdr.msg_iovlen = 1;
  NEED(send(pair[0], "a", 1, 0) == 1 && send(pair[0], "bc", 2, 0) == 2 && recvmmsg(pair[1], many, 2, 0, NULL) == 2);
  printf("%c%c %d\n", first[0], second[1], (int)many[1].msg_len);
  free(many);
  int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in here, peer, *mine = malloc(sizeof *mine);
  socklen_t hl = sizeof here, pl = sizeof peer, ml = sizeof *mine;
  memset(&here, 0, sizeof here);
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  NEED(mine && !setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) && !bind(listener, (struct sockaddr *)&here, hl));
  NEED(!getsockname(listener, (struct sockaddr *)&here, &hl) && !listen(listener, 1));
  NEED(!connect(client, (struct sockaddr *)&here, hl));
  int served = accept(listener, (struct sockaddr *)&peer, &pl);
  NEED(served >= 0 && !getpeername(client, (struct sockaddr *)mine, &ml));
  printf("%d %d %d\n", mine->sin_port == here.sin_port, peer.sin_family == AF_INET, (int)pl);
  NEED(send(client, "x", 1, 0) == 1 && recvfrom(served, buffer, 1, 0, NULL, NULL) == 1);
  printf("%c %s\n", buffer[0], inet_ntop(AF_INET, &here.sin_addr, text, sizeof text));
  struct in6_addr six;
  struct in_addr four;
  NEED(inet_pton(AF_INET6, "::1", &six) == 1 && inet_aton("1.2.3.4", &four));
  printf("%d %d %c\n", six.s6_addr[15], (int)(ntohl(four.s_addr) & 255), text[0]);
  struct addrinfo hints, *found;
  memset(&hints, 0, sizeof hints);
  hints.ai_flags = AI_NUMERICHOST;
  NEED(!getaddrinfo("127.0.0.1", "80", &hints, &found));
  char host[NI_MAXHOST], service[NI_MAXSERV];
  NEED(!getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, service, sizeof service, NI_NUMERICHOST | NI_NUMERICSERV));
  printf("%s %s %d %c\n", host, service, found->ai_family == AF_INET, service[1]);
  freeaddrinfo(found);
  struct ifaddrs *interfaces;
  NEED(!getifaddrs(&interfaces) && interfaces->ifa_name[0]);
  freeifaddrs(interfaces);
  free(heap);
  free(mine);
}

static int by_value(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b); }
static int by_value_r(const void *a, const void *b, void *count) { ++*(int *)count; return by_value(a, b); }
static int visited;
static void walk(const void *node, VISIT order, int depth) { visited += (order == postorder || order == leaf) * **(int *const *)node + 0 * depth; }

static void searches(void) {
  int numbers[6] = {5, 3, 9, 1, 7, 2}, key = 7, compared = 0, more = 4, *heap = malloc(6 * sizeof *heap);
  size_t n = 3;
  void *root = NULL;
  NEED(heap);
  memcpy(heap, numbers, sizeof numbers);
  qsort_r(heap, 6, sizeof *heap, by_value_r, &compared);
  int *hit = bsearch(&key, heap, 6, sizeof *heap, by_value);
  for (int i = 0; i < 6; i++)
    NEED(tsearch(&numbers[i], &root, by_value));
  int **node = tfind(&key, &root, by_value);
  twalk(root, walk);
  int met = **node;
  tdelete(&key, &root, by_value);
  int *added = lsearch(&more, heap, &n, sizeof *heap, by_value);
  printf("%d %d %d %d %d %d\n", *hit, compared > 0, met, visited, *added, (int)n);
  struct hsearch_data table;
  ENTRY item = {.key = (char *)"name", .data = numbers}, *found;
  memset(&table, 0, sizeof table);
  NEED(hcreate_r(10, &table) && hsearch_r(item, ENTER, &found, &table) && hsearch_r(item, FIND, &found, &table));
  printf("%s %d\n", found->key, *(int *)found->data);
  hdestroy_r(&table);
  regex_t re;
  regmatch_t matches[3], *hm = malloc(3 * sizeof *hm);
  char text[64], *save, copy[] = "a,b;c", *rest = copy, *last;
  NEED(hm && !regcomp(&re, "(b+)(c)", REG_EXTENDED) && !regexec(&re, "aabbc", 3, matches, 0) && !regexec(&re, "bc", 3, hm, 0));
  printf("%d %d %d\n", (int)matches[1].rm_so, (int)matches[2].rm_eo, (int)hm[2].rm_so);
  regerror(REG_NOMATCH, &re, text, sizeof text);
  regfree(&re);
  printf("%d ", text[0] != 0);
  char *first = strtok_r(copy, ",", &save), *second = strtok_r(NULL, ";", &save);
  printf("%s %s %c\n", first, second, *save);
  rest = strcpy(text, "p:q");
  first = strsep(&rest, ":");
  printf("%s %s\n", first, rest);
  NEED(!strerror_r(0, text, sizeof text) || text[0] || 1);
  last = stpcpy(text, "one");
  stpncpy(last, "two", 10);
  printf("%s %c %d\n", text, text[5], text[9]);
  memccpy(text, "stop here", ' ', 9);
  printf("%c%c\n", text[0], text[4]);
  swab("badc", text, 4);
  text[4] = 0;
  strxfrm(text + 8, "xyz", 8);
  printf("%s %s\n", text, text + 8);
  char *options[] = {(char *)"size", (char *)"name", NULL}, list[] = "name=v,size", *at = list, *value;
  int which = getsubopt(&at, options, &value);
  printf("%d %s %s\n", which, value, at);
  free(heap);
  free(hm);
}

static void users(void) {
  struct passwd entry, *found;
  struct group grp, *gfound;
  char buffer[4096], *gbuffer = malloc(4096);
  gid_t groups[64];
  uid_t r, e, s;
  NEED(gbuffer && !getpwuid_r(0, &entry, buffer, sizeof buffer, &found) && found && !getgrgid_r(0, &grp, gbuffer, 4096, &gfound) && gfound);
  NEED(!getresuid(&r, &e, &s) && r == e);
  int n = getgroups(64, groups), sum = 0;
  for (int i = 0; i < n; i++)
    sum += groups[i] == (gid_t)-1;
  printf("%s %d %s %d\n", entry.pw_name, found->pw_dir[0], grp.gr_name, sum);
  free(gbuffer);
}

/* Without a directive the checker would look at floating-point data alone. */
#pragma dvm array distribute[block]
double field[8];

int main(void) {
#pragma dvm parallel([i] on field[i])
  for (int i = 0; i < 8; i++)
    field[i] = i;
  NEED(mkdtemp(folder) && folder[16] != 0);
  files();
  processes();
  sockets();
  searches();
  users();
  char path[64];
  for (const char **name = (const char *[]){"file", "copy", "link", NULL}; *name; name++) {
    snprintf(path, sizeof path, "%s/%s", folder, *name);
    unlink(path);
  }
  NEED(!rmdir(folder));
  unsigned char bytes[16], *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), incore[1];
  NEED(getentropy(bytes, sizeof bytes) == 0 && page != MAP_FAILED && page[5] == 0 && !mincore(page, 4096, incore) && incore[0] < 2);
  int sum = 0;
  for (int i = 0; i < 16; i++)
    sum += bytes[i];
  printf("%d\n", sum > 0);
  return 0;
}
