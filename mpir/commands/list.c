#include "mpir/commands/list.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"
#include "mpir/image/image.h"
#include "mpir/image/image_set.h"
#include "mpir/image/job_manifest.h"

struct entry {
  char *path; /* owned */
  int64_t taken_at_ns;
  uint64_t size;
  size_t threads;
  int pid;
  char comm[16];
  bool compressed;
  size_t processes; /* of a set; 0: an image */
  char job[160];    /* what a job's snapshot is, or "" */
};

int mpir_list_folder(char *path, size_t size) {
  const char *folder = getenv("DVMCR_DIR"), *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  int n;

  if (folder && *folder)
    n = snprintf(path, size, "%s", folder);
  else if (state && *state)
    n = snprintf(path, size, "%s/dvm/checkpoints", state);
  else
    n = snprintf(path, size, "%s/.local/state/dvm/checkpoints", home ? home : "/tmp");
  return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

void mpir_list_quote(FILE *to, const char *path) {
  if (path[strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-./:@,")] == '\0') {
    fputs(path, to);
    return;
  }
  struct dvm_text word = DVM_TEXT_INIT;
  dvm_text_add_shell_word(&word, path);
  fputs(dvm_text_str(&word), to);
  dvm_text_fini(&word);
}

static int by_time(const void *a, const void *b) {
  const struct entry *x = a, *y = b;

  return x->taken_at_ns < y->taken_at_ns ? -1 : x->taken_at_ns > y->taken_at_ns;
}

static bool has_suffix(const char *name, const char *suffix) {
  size_t n = strlen(name), m = strlen(suffix);

  return n > m && strcmp(name + n - m, suffix) == 0;
}

/* NAME.ckpt.tmpPID of a writer that is gone: it was killed before it had renamed or removed it. */
static void remove_leftover(const char *path) {
  const char *mark = strstr(path, ".ckpt.tmp");
  int writer = mark ? atoi(mark + strlen(".ckpt.tmp")) : 0;

  if (writer > 0 && kill(writer, 0) && errno == ESRCH && unlink(path) && errno == EISDIR)
    mpir_set_remove(path);
}

static bool entry_read(const char *path, struct entry *out) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct mpir_image *image = mpir_image_open(path, &ignored);

  if (!image)
    return false;
  *out = (struct entry){.path = strdup(path),
                        .taken_at_ns = image->header->taken_at_ns,
                        .size = image->size,
                        .threads = image->thread_count - 1,
                        .pid = image->header->pid,
                        .compressed = image->header->flags & MPIR_IMAGE_COMPRESSED};
  snprintf(out->comm, sizeof(out->comm), "%s", mpir_image_string(image, image->header->comm));
  mpir_image_close(image);
  return out->path != NULL;
}

/* False: it is damaged. */
static bool describe_job(const char *path, char *text, size_t size) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct mpir_job_manifest *m = mpir_job_manifest_read(path, &ignored);
  uint32_t saved = 0, wanted = 0;

  for (uint32_t i = 0; m && i < m->nranks; i++) {
    saved += m->ranks[i].state == MPIR_RANK_SAVED;
    wanted += m->ranks[i].state != MPIR_RANK_ENDED;
  }
  if (m && saved == wanted)
    snprintf(text, size, "job %s%sof %u ranks", m->name, m->name[0] ? " " : "", m->nranks);
  else if (m)
    snprintf(text, size, "job %s%sof %u ranks, partial: %u of them", m->name, m->name[0] ? " " : "", m->nranks, saved);
  mpir_job_manifest_free(m);
  return m != NULL;
}

static bool set_read(const char *path, struct entry *out) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct mpir_set *set = mpir_set_read(path, &ignored);
  char file[PATH_MAX];
  bool good = set != NULL;

  for (size_t i = 0; set && i < set->member_count && good; i++) {
    struct entry e;

    if (set->members[i].ended)
      continue;
    snprintf(file, sizeof(file), "%s/%s", path, set->members[i].image);
    if (!(good = entry_read(file, &e)))
      break;
    if (!i) {
      *out = e;
    } else {
      out->size += e.size;
      out->threads += e.threads;
      free(e.path);
    }
    out->processes++;
  }
  mpir_set_free(set);
  if (good && mpir_job_is(path))
    good = describe_job(path, out->job, sizeof(out->job));
  if (good) {
    free(out->path);
    good = (out->path = strdup(path)) != NULL;
  }
  return good;
}

static void print_entry(const struct entry *e, bool handles) {
  time_t seconds = (time_t)(e->taken_at_ns / 1000000000);
  char when[32];
  struct tm tm;

  if (handles) {
    fputs("MPIR_checkpoint_handle) ", stdout);
    mpir_list_quote(stdout, e->path);
    putchar('\n');
    return;
  }
  strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", localtime_r(&seconds, &tm));
  printf("%s  %7d  %-15s  %4zu threads  %8.1f MiB%s  ", when, e->pid, e->comm, e->threads, (double)e->size / (1 << 20),
         e->compressed ? " z" : "");
  mpir_list_quote(stdout, e->path);
  if (e->job[0])
    printf("  (%s)", e->job);
  else if (e->processes)
    printf("  (%zu processes)", e->processes);
  putchar('\n');
}

int mpir_list(const char *folder, bool handles, struct dvm_error *err) {
  DIR *dir = opendir(folder);
  struct entry *entries = NULL;
  size_t count = 0;
  struct dirent *d;

  if (!dir)
    return errno == ENOENT ? 0 : dvm_error_errno(err, "cannot read the folder '%s'", folder);
  while ((d = readdir(dir))) {
    struct entry *more, e;
    char *path;

    if (asprintf(&path, "%s%s%s", folder, has_suffix(folder, "/") ? "" : "/", d->d_name) < 0)
      break;
    remove_leftover(path);
    if (has_suffix(d->d_name, ".ckpt") && (mpir_set_is(path) ? set_read(path, &e) : entry_read(path, &e))) {
      more = realloc(entries, (count + 1) * sizeof(*entries));
      if (more) {
        entries = more;
        entries[count++] = e;
      }
    }
    free(path);
  }
  closedir(dir);
  if (count)
    qsort(entries, count, sizeof(*entries), by_time);
  for (size_t i = 0; i < count; i++) {
    print_entry(&entries[i], handles);
    free(entries[i].path);
  }
  free(entries);
  return 0;
}
