#include "mpir/image/job_manifest.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/crc32c.h"
#include "mpir/image/list_file.h"

#define HEAD "dvm-job 1"
#define PIECE (1u << 20)
#define LIBRARIES_MAX 4096

bool mpir_job_is(const char *path) {
  char file[PATH_MAX];
  int n = snprintf(file, sizeof(file), "%s/" MPIR_JOB_FILE, path);

  return n > 0 && (size_t)n < sizeof(file) && access(file, F_OK) == 0;
}

bool mpir_job_name_ok(const char *name) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  const size_t length = strlen(name);

  return length && length < MPIR_JOB_NAME_MAX && strspn(name, letters) == length && *name != '-' && *name != '.' &&
         strspn(name, "0123456789") != length;
}

bool mpir_job_is_partial(const struct mpir_job_manifest *m) {
  for (uint32_t i = 0; i < m->nranks; i++)
    if (m->ranks[i].state == MPIR_RANK_LEFT_OUT)
      return true;
  return false;
}

void mpir_job_manifest_free(struct mpir_job_manifest *m) {
  if (!m)
    return;
  for (size_t i = 0; i < m->library_count; i++)
    free(m->libraries[i]);
  free(m->libraries);
  free(m->ranks);
  free(m->nodes);
  free(m->host);
  free(m->kernel);
  free(m->folder);
  free(m->command);
  free(m);
}

int mpir_job_node_of(const struct mpir_job_rank *rank) {
  unsigned node;
  int end = 0;

  return sscanf(rank->image, MPIR_JOB_NODE "/%n", &node, &end) == 1 && end && node < MPIR_JOB_NODES_MAX ? (int)node : -1;
}

/* A file in the folder, or in that of a node. */
static bool image_ok(const struct mpir_job_manifest *m, const struct mpir_job_rank *r) {
  const char *slash = strchr(r->image, '/'), *name = slash ? slash + 1 : r->image;
  char prefix[32];

  if (slash ? mpir_job_node_of(r) < 0 || mpir_job_node_of(r) >= (int)m->nnodes : m->nnodes > 0)
    return false;
  snprintf(prefix, sizeof(prefix), MPIR_JOB_NODE "/", (unsigned)mpir_job_node_of(r));
  return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..") && (!slash || !strncmp(r->image, prefix, strlen(prefix)));
}

static bool parse_rank(struct mpir_job_manifest *m, uint32_t expected, const char *s) {
  struct mpir_job_rank *r = &m->ranks[expected];
  char state[16] = "";
  unsigned number;
  int end = 0;

  if (expected >= m->nranks || sscanf(s, "%u %15s%n", &number, state, &end) != 2 || number != expected)
    return false;
  s += end;
  if (!strcmp(state, "ended") || !strcmp(state, "left-out")) {
    r->state = *state == 'e' ? MPIR_RANK_ENDED : MPIR_RANK_LEFT_OUT;
    return !*s;
  }
  end = 0;
  return !strcmp(state, "saved") &&
         sscanf(s, " %d %63s %" SCNu64 " %" SCNx32 "%n", &r->pid, r->image, &r->size_bytes, &r->sum, &end) == 4 && end && !s[end] &&
         r->pid > 0 && image_ok(m, r);
}

static bool take_text(char **to, const char *s) {
  if (*to)
    return false;
  *to = strdup(s);
  return *to != NULL;
}

static bool take_library(struct mpir_job_manifest *m, const char *s) {
  return m->library_count < LIBRARIES_MAX && (m->libraries[m->library_count] = strdup(s)) && ++m->library_count;
}

static bool parse_count(struct mpir_job_manifest *m, const char *s) {
  int end = 0;

  if (m->ranks || sscanf(s, "%" SCNu32 "%n", &m->nranks, &end) != 1 || s[end] || !m->nranks || m->nranks > MPIR_JOB_RANKS_MAX)
    return false;
  m->ranks = calloc(m->nranks, sizeof(*m->ranks));
  return m->ranks != NULL;
}

static bool parse_node(struct mpir_job_manifest *m, const char *s) {
  struct mpir_job_node *n;
  unsigned number;
  int end = 0;

  if (m->ranks || m->nnodes == MPIR_JOB_NODES_MAX)
    return false;
  if (!m->nodes && !(m->nodes = calloc(MPIR_JOB_NODES_MAX, sizeof(*m->nodes))))
    return false;
  n = &m->nodes[m->nnodes];
  return sscanf(s, "%u %255s %" SCNu64 " %" SCNx32 "%n", &number, n->host, &n->size_bytes, &n->sum, &end) == 4 && end && !s[end] &&
         number == m->nnodes++;
}

static bool parse_line(struct mpir_job_manifest *m, char *line, uint32_t *ranks) {
  char *s = strchr(line, ' ');
  int strict = 0, end = 0;

  if (!s)
    return false;
  *s++ = '\0';
  if (!strcmp(line, "name"))
    return (mpir_job_name_ok(s) && snprintf(m->name, sizeof(m->name), "%s", s) > 0);
  if (!strcmp(line, "node"))
    return parse_node(m, s);
  if (!strcmp(line, "ranks"))
    return parse_count(m, s);
  if (!strcmp(line, "taken"))
    return sscanf(s, "%" SCNd64 "%n", &m->taken_at_ns, &end) == 1 && !s[end];
  if (!strcmp(line, "limits")) {
    if (sscanf(s, "%" SCNu32 " %d%n", &m->eager_limit, &strict, &end) != 2 || s[end])
      return false;
    m->strict = strict;
    return strict == 0 || strict == 1;
  }
  if (!strcmp(line, "rank"))
    return m->ranks && parse_rank(m, (*ranks)++, s);
  if (!strcmp(line, "library"))
    return take_library(m, s);
  return !strcmp(line, "host")      ? take_text(&m->host, s)
         : !strcmp(line, "kernel")  ? take_text(&m->kernel, s)
         : !strcmp(line, "folder")  ? take_text(&m->folder, s)
         : !strcmp(line, "command") ? take_text(&m->command, s)
                                    : false;
}

static struct mpir_job_manifest *parse_text(char *text, struct dvm_error *err) {
  struct mpir_job_manifest *m = calloc(1, sizeof(*m));
  char *save = NULL, *line = strtok_r(text, "\n", &save);
  uint32_t ranks = 0;
  bool good = m && (m->libraries = calloc(LIBRARIES_MAX, sizeof(char *)));

  if (!line || strcmp(line, HEAD) != 0) {
    dvm_error_set(err, -EPROTO, "the manifest of the job has a different version from this program");
    mpir_job_manifest_free(m);
    return NULL;
  }
  while (good && (line = strtok_r(NULL, "\n", &save)) && strncmp(line, MPIR_LIST_SUM, strlen(MPIR_LIST_SUM)) != 0)
    good = parse_line(m, line, &ranks);
  if (good && m->ranks && ranks == m->nranks && m->host && m->kernel && m->folder && m->command)
    return m;
  dvm_error_set(err, -EBADMSG, good ? "the manifest of the job does not name all ranks" : "the manifest of the job has a bad line");
  mpir_job_manifest_free(m);
  return NULL;
}

struct mpir_job_manifest *mpir_job_manifest_parse(const char *from, size_t size, struct dvm_error *err) {
  struct mpir_job_manifest *m;
  char *text;

  if (mpir_list_check(from, size, err))
    return NULL;
  text = strndup(from, size);
  if (!text) {
    dvm_error_set(err, -ENOMEM, "out of memory");
    return NULL;
  }
  m = parse_text(text, err);
  free(text);
  return m;
}

struct mpir_job_manifest *mpir_job_manifest_read(const char *folder, struct dvm_error *err) {
  struct mpir_job_manifest *m = NULL;
  char path[PATH_MAX], *text;
  size_t size;

  snprintf(path, sizeof(path), "%s/" MPIR_JOB_FILE, folder);
  text = mpir_list_read(path, &size, err);
  if (text && !(m = mpir_job_manifest_parse(text, size, err)))
    dvm_error_wrap(err, "'%s'", path);
  free(text);
  return m;
}

/* Size and sum of an image. */
static int measure(const char *folder, const char *name, uint64_t *size, uint32_t *sum) {
  char path[PATH_MAX + MPIR_SET_NAME_MAX], *piece = malloc(PIECE);
  int fd, rc = 0;
  ssize_t n = 1;

  snprintf(path, sizeof(path), "%s/%s", folder, name);
  fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || !piece)
    rc = fd < 0 ? -errno : -ENOMEM;
  *size = *sum = 0;
  while (!rc && n > 0) {
    n = read(fd, piece, PIECE);
    rc = n < 0 ? -errno : 0;
    if (n > 0) {
      *sum = mpir_crc32c(*sum, piece, (size_t)n);
      *size += (uint64_t)n;
    }
  }
  if (fd >= 0)
    close(fd);
  free(piece);
  return rc;
}

static int measure_node(const char *folder, uint32_t node, uint64_t *size, uint32_t *sum, struct dvm_error *err) {
  char name[64];
  int rc;

  snprintf(name, sizeof(name), MPIR_JOB_NODE "/" MPIR_JOB_SEGMENT, node);
  rc = measure(folder, name, size, sum);
  return rc ? dvm_error_set(err, rc, "cannot read '%s': %s", name, strerror(-rc)) : 0;
}

int mpir_job_manifest_verify(const struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  for (uint32_t i = 0; i < m->nranks; i++) {
    const struct mpir_job_rank *r = &m->ranks[i];
    uint64_t size;
    uint32_t sum;
    int rc;

    if (r->state != MPIR_RANK_SAVED)
      continue;
    rc = measure(folder, r->image, &size, &sum);
    if (rc)
      return dvm_error_set(err, rc, "cannot read the image '%s' of rank %u: %s", r->image, i, strerror(-rc));
    if (size != r->size_bytes || sum != r->sum)
      return dvm_error_set(err, -EBADMSG,
                           "the image '%s' of rank %u is not the one that was saved: it has %" PRIu64 " bytes with the sum %08x, "
                           "the manifest says %" PRIu64 " with %08x",
                           r->image, i, size, sum, r->size_bytes, r->sum);
  }
  for (uint32_t i = 0; i < m->nnodes; i++) {
    uint64_t size;
    uint32_t sum;
    int rc = measure_node(folder, i, &size, &sum, err);

    if (rc)
      return rc;
    if (size != m->nodes[i].size_bytes || sum != m->nodes[i].sum)
      return dvm_error_set(err, -EBADMSG, "the memory of node %u (%s) is not the one that was saved", i, m->nodes[i].host);
  }
  return 0;
}

static void print_line(FILE *f, const char *key, const char *text) {
  fprintf(f, "%s ", key);
  for (; *text; text++)
    putc((unsigned char)*text < ' ' ? ' ' : *text, f);
  putc('\n', f);
}

static void print_manifest(FILE *f, const struct mpir_job_manifest *m) {
  fputs(HEAD "\n", f);
  if (m->name[0])
    print_line(f, "name", m->name);
  fprintf(f, "taken %" PRId64 "\nlimits %u %d\n", m->taken_at_ns, m->eager_limit, m->strict);
  for (uint32_t i = 0; i < m->nnodes; i++)
    fprintf(f, "node %u %s %" PRIu64 " %08x\n", i, m->nodes[i].host, m->nodes[i].size_bytes, m->nodes[i].sum);
  fprintf(f, "ranks %u\n", m->nranks);
  for (uint32_t i = 0; i < m->nranks; i++) {
    const struct mpir_job_rank *r = &m->ranks[i];

    if (r->state == MPIR_RANK_SAVED)
      fprintf(f, "rank %u saved %d %s %" PRIu64 " %08x\n", i, r->pid, r->image, r->size_bytes, r->sum);
    else
      fprintf(f, "rank %u %s\n", i, r->state == MPIR_RANK_ENDED ? "ended" : "left-out");
  }
  print_line(f, "host", m->host);
  print_line(f, "kernel", m->kernel);
  print_line(f, "folder", m->folder);
  print_line(f, "command", m->command);
  for (size_t i = 0; i < m->library_count && i < LIBRARIES_MAX; i++)
    print_line(f, "library", m->libraries[i]);
}

int mpir_job_manifest_write(struct mpir_job_manifest *m, const char *folder, struct dvm_error *err) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  FILE *memory;
  int rc = 0;

  for (uint32_t i = 0; i < m->nranks && !rc; i++)
    if (m->ranks[i].state == MPIR_RANK_SAVED && (rc = measure(folder, m->ranks[i].image, &m->ranks[i].size_bytes, &m->ranks[i].sum)))
      return dvm_error_set(err, rc, "cannot read the image of rank %u: %s", i, strerror(-rc));
  for (uint32_t i = 0; i < m->nnodes; i++)
    if ((rc = measure_node(folder, i, &m->nodes[i].size_bytes, &m->nodes[i].sum, err)))
      return rc;
  memory = open_memstream(&text, &size);
  if (!memory)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  print_manifest(memory, m);
  snprintf(path, sizeof(path), "%s/" MPIR_JOB_FILE, folder);
  rc = fclose(memory) ? dvm_error_set(err, -ENOMEM, "out of memory") : 0;
  if (!rc) {
    unlink(path);
    rc = mpir_list_write(path, text, size, err);
  }
  free(text);
  return rc;
}

int mpir_job_manifest_renew(const char *folder, struct dvm_error *err) {
  struct mpir_job_manifest *m = mpir_job_manifest_read(folder, err);
  int rc = m ? mpir_job_manifest_write(m, folder, err) : err->code;

  mpir_job_manifest_free(m);
  return rc;
}
