#include "mpir/commands/inspect.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "mpir/image/chain.h"
#include "mpir/image/compress.h"

static const char *const file_kinds[] = {
    [MPIR_FILE_REGULAR] = "file",      [MPIR_FILE_DIRECTORY] = "folder", [MPIR_FILE_DEVICE] = "device", [MPIR_FILE_PIPE] = "pipe",
    [MPIR_FILE_EVENTFD] = "eventfd",   [MPIR_FILE_TIMERFD] = "timerfd",  [MPIR_FILE_EPOLL] = "epoll",   [MPIR_FILE_SIGNALFD] = "signalfd",
    [MPIR_FILE_MEMFD] = "memory file", [MPIR_FILE_INHERIT] = "outside",  [MPIR_FILE_SOCKET] = "socket", [MPIR_FILE_PIDFD] = "process",
    [MPIR_FILE_QUEUE] = "messages",    [MPIR_FILE_INOTIFY] = "inotify",
};
static const char *const map_kinds[] = {
    [MPIR_MAP_ANON] = "private",  [MPIR_MAP_FILE] = "file",     [MPIR_MAP_FILE_SHARED] = "shared file",
    [MPIR_MAP_SHARED] = "shared", [MPIR_MAP_KERNEL] = "kernel",
};

static void print_header(const struct mpir_image *image) {
  const struct mpir_image_header *h = image->header;
  time_t seconds = (time_t)(h->taken_at_ns / 1000000000);
  uint64_t data = 0, stored = 0;
  char when[32];
  struct tm tm;

  for (size_t i = 0; i < image->extent_count; i++) {
    data += image->extents[i].length;
    stored += image->extents[i].stored;
  }
  strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &tm));
  printf("process %d of user %u: %s\n", h->pid, h->uid, mpir_image_string(image, h->command_line));
  printf("program %s in %s\n", mpir_image_string(image, h->exe), mpir_image_string(image, h->cwd));
  printf("taken   %s on %s, kernel %s, number %" PRIu64 "\n", when, mpir_image_string(image, h->host), mpir_image_string(image, h->kernel),
         h->sequence);
  printf("data    %" PRIu64 " bytes in %zu pieces, %" PRIu64 " stored%s%s%s\n", data, image->extent_count, stored,
         h->flags & MPIR_IMAGE_COMPRESSED ? ", compressed" : "", h->flags & MPIR_IMAGE_ALL_FILES ? ", with mapped files" : "",
         h->flags & MPIR_IMAGE_TEXT_CHANGED ? ", code differs from its file" : "");
}

static void print_chain(const struct mpir_image *image) {
  uint64_t kept = 0;

  for (size_t i = 0; i < image->kept_count; i++)
    kept += image->kept[i].length;
  if (image->chain)
    printf("changes since '%s', number %" PRIu64 ", which has %" PRIu64 " bytes more\n", mpir_image_string(image, image->chain->base_name),
           image->chain->base_sequence, kept);
}

static uint64_t data_of(const struct mpir_image *image, const struct mpir_image_map *map) {
  uint64_t sum = 0;

  for (size_t i = 0; i < image->extent_count; i++)
    if (image->extents[i].file < 0 && image->extents[i].address >= map->start && image->extents[i].address < map->end)
      sum += image->extents[i].length;
  return sum;
}

static void print_tables(const struct mpir_image *image) {
  printf("\nthreads (the last is the checkpointer's own)\n");
  for (size_t i = 0; i < image->thread_count; i++)
    printf("  %7d  %s%s\n", image->threads[i].tid, image->threads[i].name, image->threads[i].context.rip ? "" : " (has ended)");
  printf("\nmemory: range, protection, kind, size, saved (KiB)\n");
  for (size_t i = 0; i < image->map_count; i++) {
    const struct mpir_image_map *m = &image->maps[i];

    printf("  %012" PRIx64 "-%012" PRIx64 " %c%c%c %-11s %9" PRIu64 " %9" PRIu64 "  %s\n", m->start, m->end,
           m->prot & PROT_READ ? 'r' : '-', m->prot & PROT_WRITE ? 'w' : '-', m->prot & PROT_EXEC ? 'x' : '-', map_kinds[m->kind],
           (m->end - m->start) >> 10, data_of(image, m) >> 10, mpir_image_string(image, m->name));
  }
  printf("\nopen files: descriptor, kind, position, name\n");
  for (size_t i = 0; i < image->file_count; i++) {
    const struct mpir_image_file *f = &image->files[i];

    printf("  %4d %-11s %9" PRIu64 "  %s\n", f->fd, file_kinds[f->kind], f->position, mpir_image_string(image, f->name));
  }
}

static int run_gdb(const char *program, const char *core, struct dvm_error *err) {
  pid_t child;
  int status;

  printf("\nbacktraces\n");
  fflush(stdout);
  child = fork();
  if (child == 0) {
    execlp("gdb", "gdb", "-nx", "-batch", "-q", "-iex", "set debuginfod enabled off", "-ex", "thread apply all bt", program, core,
           (char *)NULL);
    _exit(127);
  }
  if (child < 0 || waitpid(child, &status, 0) < 0)
    return dvm_error_errno(err, "cannot run gdb");
  return WIFEXITED(status) && WEXITSTATUS(status) == 127
             ? dvm_error_set(err, -ENOENT,
                             "gdb, which makes the backtraces, is missing: install the package gdb, or omit them with '--no-backtraces'")
             : 0;
}

static int backtraces(const struct mpir_image *image, const char *path, struct dvm_error *err) {
  const char *program = mpir_image_string(image, image->header->exe);
  char expanded[64];
  int rc;

  if (!(image->header->flags & (MPIR_IMAGE_COMPRESSED | MPIR_IMAGE_INCREMENTAL)))
    return run_gdb(program, path, err);
  snprintf(expanded, sizeof(expanded), "/tmp/dvm-inspect-%d.ckpt", (int)getpid());
  rc = image->chain ? mpir_chain_compact(image, path, expanded, err) : mpir_image_expand_to(image, expanded, err);
  if (!rc)
    rc = run_gdb(program, expanded, err);
  unlink(expanded);
  return rc;
}

int mpir_inspect(const struct mpir_image *image, const char *path, const struct mpir_inspect_options *options, struct dvm_error *err) {
  int rc = options->verify ? mpir_image_verify(image, err) : 0;

  if (rc)
    return rc;
  print_header(image);
  print_chain(image);
  print_tables(image);
  return options->backtraces ? backtraces(image, path, err) : 0;
}
