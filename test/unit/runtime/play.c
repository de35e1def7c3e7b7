#include "play.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct dvmrt_site sites[4096];
static unsigned nsites;

struct dvmrt_site *site(const char *text) {
  if (!nsites)
    DVMRT_MODULE(sites, sites + sizeof(sites) / sizeof(sites[0]));
  for (unsigned i = 0; i < nsites; i++)
    if (!strcmp(sites[i].text, text))
      return &sites[i];
  assert_true(nsites < sizeof(sites) / sizeof(sites[0]));
  sites[nsites].text = strdup(text);
  return &sites[nsites++];
}

struct dvmrt_site *access_site(const char *kind, int line, int column, const char *more) {
  char text[1024];
  snprintf(text, sizeof(text), "K %s\nF t.c\nP %d %d\n%s", kind, line, column, more);
  return site(text);
}

static void read_all(int fd, struct played *p) {
  size_t n = 0;
  for (ssize_t got; (got = read(fd, p->err + n, sizeof(p->err) - 1 - n)) > 0;)
    n += (size_t)got;
  p->err[n] = 0;
}

void play(void (*f)(void), int status, struct played *p) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (!pid) {
    dup2(fds[1], 2);
    close(fds[0]);
    close(fds[1]);
    f();
    exit(status);
  }
  close(fds[1]);
  read_all(fds[0], p);
  close(fds[0]);
  int raw;
  assert_int_equal(waitpid(pid, &raw, 0), pid);
  p->status = WIFEXITED(raw) ? WEXITSTATUS(raw) : -WTERMSIG(raw);
}

/* As inserted code does it: threads that touch the same datum race for its word as they race for the datum. */
__attribute__((no_sanitize("thread"))) static bool slow_read(uint32_t *wp) {
  const struct dvmrt_now *now = &__dvmrt_now;
  uint32_t w = *wp;
  if (w < now->first_read) {
    if (w < DVMRT_W_FIRST)
      return true;
    *wp = now->write & ~1u;
    return false;
  }
  return (w & now->mask) && w != now->write;
}

__attribute__((no_sanitize("thread"))) static bool slow_write(uint32_t *wp) {
  const struct dvmrt_now *now = &__dvmrt_now;
  if (*wp == now->write)
    return false;
  if (*wp >= now->first_write)
    return true;
  *wp = now->write;
  return false;
}

void touch(const void *p, uint64_t size, struct dvmrt_site *s, const int64_t *ix, uint32_t flags) {
  uintptr_t a = (uintptr_t)p, e = __dvmrt_pages[(a >> 30) & 0x1ffff][(a >> 12) & 0x3ffff];
  unsigned code = e & 3;
  bool slow = code || __dvmrt_now.mask;
  if ((size == 4 && code == 1) || (size == 8 && code == 2)) {
    uint32_t *wp = (uint32_t *)((e & ~(uintptr_t)3) + ((a >> (code + 1)) << 2));
    slow = flags == DVMRT_READ ? slow_read(wp) : flags == DVMRT_WRITE ? slow_write(wp) : true;
  }
  if (slow)
    __dvmrt_touch(p, size, s, ix, flags);
}

void iteration(const int64_t *iv, int rank) {
  __dvmrt_now.write += 2;
  for (int i = 0; i < rank; i++)
    __dvmrt_now.iv[i] = iv[i];
}

void expect_text(const struct played *p, const char *text) {
  if (!strstr(p->err, text))
    fail_msg("expected '%s' in:\n%s", text, p->err);
}

void expect_no_text(const struct played *p, const char *text) {
  if (strstr(p->err, text))
    fail_msg("did not expect '%s' in:\n%s", text, p->err);
}

void expect_silent(const struct played *p) {
  if (p->err[0])
    fail_msg("expected no diagnostic, got:\n%s", p->err);
}
