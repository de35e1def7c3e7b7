/* Files by number, calls on names, streams in memory and other calls that ranks must not make each for itself; what differs between processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define N 10
#pragma dvm array distribute[block]
int a[N];
static char much[3 << 20], folder[] = "/tmp/dvm-files-XXXXXX", name[100];
/* Ranks that have another value execute another number of constructs: they part, and are told at the end. */
static void same(const void *p, size_t n) {
  unsigned h = 0;
  for (const unsigned char *c = p; n--; c++)
    h = h * 31 + *c;
  for (unsigned k = 0; k <= h % 5; k++)
#pragma dvm parallel([i] on a[i])
    for (int i = 0; i < N; i++)
      a[i] = i;
}
#define SAME(X) same(&(X), sizeof(X))
static void by_number(void) {
  char text[20] = "";
  struct stat s;
  int fd = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  printf("%d", fd > 0);
  printf(" %zd", write(fd, "0123456789", 10));
  printf(" %ld", (long)lseek(fd, 4, SEEK_SET));
  printf(" %zd %s", read(fd, text, 19), text);
  printf(" %zd %d\n", pread(fd, text, 3, 1), ftruncate(fd, 7));
  dprintf(fd, "%s %d", "end", 3);
  SAME(text);
  printf("%d %ld", fstat(fd, &s), (long)s.st_size);
  SAME(s);
  printf(" %d\n", close(fd));
  printf("%d %d\n", open(name, O_CREAT | O_EXCL | O_RDWR, 0600), errno == EEXIST);
  printf("%d %d %d\n", access(name, R_OK), stat(name, &s), s.st_size == 5);
  printf("%d %d\n", mkdir(folder, 0700), errno == EEXIST);
}
static void by_stream(void) {
  FILE *f = fopen(name, "w+");
  fpos_t at;
  char *line = NULL;
  size_t room = 0;
  fputs_unlocked("key=value;more\n", f);
  putc_unlocked('x', f);
  fseeko(f, 4, SEEK_SET);
  fgetpos(f, &at);
  printf("%c%c", getc_unlocked(f), fgetc(f));
  fsetpos(f, &at);
  printf(" %ld", (long)ftello(f));
  printf(" %zd", getdelim(&line, &room, ';', f));
  printf(" %s\n", line);
  free(line);
  fclose(f);
  f = freopen(name, "r", stdin);
  printf("%d %d\n", f != NULL, getchar());
}
static void in_memory(void) {
  char *text, numbers[] = "12 13 14", line[20];
  size_t n;
  int x, y;
  FILE *m = open_memstream(&text, &n);
  fprintf(m, "a=%d", a[N - 1]);
  fputs(" tail", m);
  fputc('!', m);
  fclose(m);
  SAME(n);
  printf("%zu %s\n", n, text);
  free(text);
  m = fmemopen(numbers, strlen(numbers), "r");
  x = fscanf(m, "%d", &y) + y;
  SAME(x);
  printf("%d %s\n", x, fgets(line, sizeof line, m));
  same(line, strlen(line));
  fclose(m);
}
static void of_processes(void) {
  struct rusage use;
  struct timespec t;
  unsigned random[3];
  getrusage(RUSAGE_SELF, &use);
  SAME(use);
  timespec_get(&t, TIME_UTC);
  SAME(t);
  getrandom(&random[0], 4, 0);
  getentropy(&random[1], 4);
  random[2] = arc4random();
  SAME(random);
  same(tmpnam(NULL), 16);
  pid_t thread = gettid();
  SAME(thread);
}
int main(void) {
  int fd, random = 0;
  printf("%d\n", mkdtemp(folder) == folder);
  same(folder, sizeof folder);
  snprintf(name, sizeof name, "%s/file", folder);
  by_number();
  by_stream();
  in_memory();
  of_processes();
  printf("%d %d %d %d\n", unlink(name), unlink(name), rmdir(folder), access(folder, F_OK));
  fd = open("/dev/urandom", O_RDONLY);
  printf("%zd\n", read(fd, &random, 4));
  SAME(random);
  close(fd);
  fd = open("/dev/full", O_WRONLY);
  printf("%zd", write(fd, name, 3));
  printf(" %d\n", errno == ENOSPC);
  close(fd);
  FILE *f = fopen("/dev/full", "w");
  printf("%zu", fwrite(much, 1, sizeof much, f));
  printf(" %d\n", ferror(f) != 0 && errno == ENOSPC);
  fclose(f);
  return 0;
}
