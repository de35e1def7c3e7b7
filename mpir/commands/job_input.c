#include "mpir/commands/job_input.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, AHEAD = 256 << 10, GIVE_BACK = 1 << 20 };

struct mpir_input {
  int from, kept;       /* kept: memory file with the bytes before 'came', at their places */
  uint64_t came, given_back;
  bool over;            /* nothing more comes */
  int read[2], write[2]; /* -1: none */
  uint64_t fed[2];      /* bytes that have gone into the pipe of a replica */
};

static void close_end(int *fd) {
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

void mpir_input_drop(struct mpir_input *in, unsigned replica) {
  if (!in)
    return;
  close_end(&in->read[replica]);
  close_end(&in->write[replica]);
}

static int make_pipe(struct mpir_input *in, unsigned replica) {
  int ends[2];
  mpir_input_drop(in, replica);
  if (pipe2(ends, O_CLOEXEC))
    return -errno;
  in->read[replica] = ends[0];
  in->write[replica] = ends[1];
  return fcntl(ends[1], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

/* Every reader of a file has a position of its own, and a device other than a terminal gives each the same. */
static bool is_shared(int from) {
  struct stat st;
  return !fstat(from, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || isatty(from));
}

int mpir_input_create(int from, struct mpir_input **input) {
  *input = NULL;
  if (!is_shared(from))
    return 0;
  struct mpir_input *in = malloc(sizeof(*in));
  *in = (struct mpir_input){.from = from, .kept = memfd_create("input", MFD_CLOEXEC), .read = {-1, -1}, .write = {-1, -1}};
  int rc = in->kept < 0 ? -errno : make_pipe(in, 0);
  if (rc)
    mpir_input_destroy(in);
  else
    *input = in;
  return rc;
}

void mpir_input_destroy(struct mpir_input *in) {
  if (!in)
    return;
  mpir_input_drop(in, 0);
  mpir_input_drop(in, 1);
  close_end(&in->kept);
  free(in);
}

int mpir_input_end(const struct mpir_input *in, unsigned replica) { return in ? in->read[replica] : -1; }

/* A terminal is read in the foreground alone: elsewhere that stops the reader. */
static bool is_ours(const struct mpir_input *in) { return !isatty(in->from) || tcgetpgrp(in->from) == getpgrp(); }

static bool wants_more(const struct mpir_input *in) {
  bool room = false;
  for (unsigned i = 0; i < 2; i++)
    room |= in->write[i] >= 0 && in->came - in->fed[i] < AHEAD;
  return !in->over && room && is_ours(in);
}

unsigned mpir_input_poll(struct mpir_input *in, struct pollfd *fds) {
  unsigned n = 0;
  if (!in)
    return 0;
  if (wants_more(in))
    fds[n++] = (struct pollfd){in->from, POLLIN, 0};
  for (unsigned i = 0; i < 2; i++)
    if (in->write[i] >= 0 && in->fed[i] < in->came)
      fds[n++] = (struct pollfd){in->write[i], POLLOUT, 0};
  return n;
}

static void take(struct mpir_input *in) {
  static char block[BLOCK];
  struct pollfd p = {in->from, POLLIN, 0};
  while (wants_more(in) && poll(&p, 1, 0) > 0) {
    ssize_t n = read(in->from, block, sizeof(block));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
      return;
    if (n <= 0 || pwrite(in->kept, block, (size_t)n, (off_t)in->came) != n)
      in->over = true;
    else
      in->came += (uint64_t)n;
  }
}

static void feed(struct mpir_input *in, unsigned replica) {
  static char block[BLOCK];
  while (in->write[replica] >= 0 && in->fed[replica] < in->came) {
    ssize_t n = pread(in->kept, block, sizeof(block), (off_t)in->fed[replica]),
            written = n > 0 ? write(in->write[replica], block, (size_t)n) : -1;
    if (written <= 0)
      return;
    in->fed[replica] += (uint64_t)written;
  }
  if (in->over)
    close_end(&in->write[replica]);
}

/* Bytes that a replica has read. */
static uint64_t taken(const struct mpir_input *in, unsigned replica) {
  int left = 0;
  ioctl(in->read[replica], FIONREAD, &left);
  return in->fed[replica] - (uint64_t)left;
}

static void give_back(struct mpir_input *in) {
  uint64_t least = in->came;
  for (unsigned i = 0; i < 2; i++)
    if (in->read[i] >= 0 && taken(in, i) < least)
      least = taken(in, i);
  if (least - in->given_back < GIVE_BACK)
    return;
  least &= ~(uint64_t)4095;
  if (!fallocate(in->kept, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)least))
    in->given_back = least;
}

void mpir_input_move(struct mpir_input *in) {
  if (!in)
    return;
  take(in);
  feed(in, 0);
  feed(in, 1);
  give_back(in);
}

bool mpir_input_clone(struct mpir_input *in, unsigned replica) {
  if (!in)
    return true;
  in->fed[replica] = taken(in, 1 - replica);
  if (make_pipe(in, replica))
    return false;
  feed(in, replica);
  return true;
}

bool mpir_input_waits(int from) {
  struct pollfd p = {from, POLLIN, 0};
  int n = 0;
  return is_shared(from) && !isatty(from) && poll(&p, 1, 0) > 0 && !ioctl(from, FIONREAD, &n) && n > 0;
}
