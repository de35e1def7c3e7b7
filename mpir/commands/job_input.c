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
#define NONE UINT64_MAX

struct mpir_input {
  int from, kept;       /* kept: memory file with the bytes before 'came', at their places */
  uint64_t came, given_back;
  bool over;            /* nothing more comes */
  bool saved; /* snapshots are taken of the readers, which restart from there: what was not read goes into them, and is little */
  uint64_t last,
      next; /* of the last snapshot, and of one that is being taken: bytes that had been read; what is behind is kept.  NONE: there is none */
  int read[2], write[2]; /* -1: none */
  uint64_t fed[2]; /* bytes that have gone into the pipe of a replica */
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

static int make(int from, int kept, unsigned replica, struct mpir_input **input) {
  struct mpir_input *in = malloc(sizeof(*in));
  *in = (struct mpir_input){.from = from, .kept = kept, .last = NONE, .next = NONE, .read = {-1, -1}, .write = {-1, -1}};
  int rc = in->kept < 0 ? -errno : make_pipe(in, replica);
  if (rc)
    mpir_input_destroy(in);
  else
    *input = in;
  return rc;
}

int mpir_input_create(int from, bool saved, struct mpir_input **input) {
  *input = NULL;
  int rc = is_shared(from) ? make(from, memfd_create("input", MFD_CLOEXEC), 0, input) : 0;
  if (*input)
    (*input)->saved = saved;
  return rc;
}

int mpir_input_resume(int from, unsigned replica, int kept, const struct mpir_input_saved *s, const char *bytes,
                      struct mpir_input **input) {
  struct stat st;
  const bool has_all = kept >= 0 && !fstat(kept, &st) && (uint64_t)st.st_size >= s->position + s->bytes;
  *input = NULL;
  int rc = make(from, has_all ? kept : memfd_create("input", MFD_CLOEXEC), replica, input);
  struct mpir_input *in = *input;
  if (rc)
    return rc;
  in->saved = true;
  in->fed[replica] = in->last = s->position;
  in->came = has_all ? (uint64_t)st.st_size : s->position + s->bytes;
  in->over = s->over && !has_all;
  if (!has_all && s->bytes && pwrite(in->kept, bytes, s->bytes, (off_t)s->position) != (ssize_t)s->bytes)
    return -EIO;
  return 0;
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
  bool one = false, all = true;
  for (unsigned i = 0; i < 2; i++) {
    const bool has_room = in->came - in->fed[i] < AHEAD;
    one |= in->write[i] >= 0 && has_room;
    all &= in->write[i] < 0 || has_room;
  }
  return !in->over && one && (all || !in->saved) && is_ours(in);
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
  uint64_t least = in->came < in->last ? in->came : in->last;
  least = least < in->next ? least : in->next;
  for (unsigned i = 0; i < 2; i++)
    if (in->read[i] >= 0 && taken(in, i) < least)
      least = taken(in, i);
  if (least < in->given_back + GIVE_BACK)
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

void mpir_input_stand(struct mpir_input *in, unsigned replica, struct mpir_input_saved *to, char *bytes) {
  to->position = in->next = taken(in, replica);
  const uint64_t n = in->came - to->position;
  const ssize_t copied = pread(in->kept, bytes, n < MPIR_INPUT_BYTES ? n : MPIR_INPUT_BYTES, (off_t)to->position);
  to->bytes = copied > 0 ? (uint32_t)copied : 0;
  to->over = in->over;
}

void mpir_input_noted(struct mpir_input *in) {
  if (in && in->next != NONE)
    in->last = in->next;
}

int mpir_input_kept(const struct mpir_input *in) { return in ? in->kept : -1; }
