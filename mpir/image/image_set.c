#include "mpir/image/image_set.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/image/list_file.h"

#define HEAD "dvm-set 1"

void mpir_set_free(struct mpir_set *set) {
  if (!set)
    return;
  free(set->members);
  free(set->ends);
  free(set->shares);
  free(set);
}

int mpir_set_find(const struct mpir_set *set, int pid) {
  for (size_t i = 0; i < set->member_count; i++)
    if (set->members[i].pid == pid)
      return (int)i;
  return -1;
}

static bool has_list(const char *path) {
  char list[PATH_MAX];
  int n = snprintf(list, sizeof(list), "%s/" MPIR_SET_LIST, path);

  return n > 0 && (size_t)n < sizeof(list) && access(list, F_OK) == 0;
}

/* The folder of the first node that has one, from '*node' on. */
static bool find_node(const char *path, unsigned *node, char *folder, size_t size) {
  for (; *node < MPIR_JOB_NODES_MAX; ++*node) {
    int n = snprintf(folder, size, "%s/" MPIR_JOB_NODE, path, *node);

    if (n > 0 && (size_t)n < size && has_list(folder))
      return true;
  }
  return false;
}

bool mpir_set_is(const char *path) {
  char folder[PATH_MAX];
  unsigned node = 0;

  return has_list(path) || find_node(path, &node, folder, sizeof(folder));
}

void mpir_set_remove(const char *folder) {
  DIR *dir = opendir(folder);
  struct dirent *d;

  while (dir && (d = readdir(dir)))
    if (*d->d_name != '.')
      if (unlinkat(dirfd(dir), d->d_name, 0) && errno == EISDIR && !strncmp(d->d_name, "node-", 5)) {
        char path[PATH_MAX];

        if (snprintf(path, sizeof(path), "%s/%s", folder, d->d_name) < (int)sizeof(path))
          mpir_set_remove(path);
      }
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* A name in the folder, nothing else. */
static bool name_ok(const char *name) { return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0; }

/* A number in decimal, behind it 'end'.  Moves *s behind that. */
static bool take_number(char **s, char end, int low, int *to) {
  char *stop;
  long n;

  if (**s < '0' || **s > '9')
    return false;
  errno = 0;
  n = strtol(*s, &stop, 10);
  if (errno || *stop != end || n < low || n > INT_MAX)
    return false;
  *s = stop + (end != '\0');
  *to = (int)n;
  return true;
}

static bool parse_member(struct mpir_set *set, char *s, bool ended) {
  struct mpir_set_member *m = &set->members[set->member_count];

  memset(m, 0, sizeof(*m));
  m->ended = ended;
  if (set->member_count == MPIR_SET_MEMBERS_MAX || !take_number(&s, ' ', 1, &m->pid) || !take_number(&s, ' ', 0, &m->ppid) ||
      !take_number(&s, ' ', 0, &m->pgid) || !take_number(&s, ' ', 0, &m->sid))
    return false;
  if (mpir_set_find(set, m->pid) >= 0 || (m->ppid && mpir_set_find(set, m->ppid) < 0))
    return false;
  if (ended ? !take_number(&s, '\0', 0, &m->status) || !m->ppid : strlen(s) >= sizeof(m->image) || !name_ok(s))
    return false;
  if (!ended)
    strcpy(m->image, s);
  set->member_count++;
  return true;
}

static bool parse_share(struct mpir_set *set, char *s) {
  struct mpir_set_share *share = &set->shares[set->share_count];
  bool more = true;

  share->first = set->end_count;
  share->count = 0;
  while (more) {
    char *blank = strchr(s, ' ');
    int pid, fd;

    more = blank != NULL;
    if (set->end_count == MPIR_SET_ENDS_MAX || !take_number(&s, ':', 1, &pid) || !take_number(&s, more ? ' ' : '\0', 0, &fd) ||
        fd > 1 << 24 || mpir_set_find(set, pid) < 0 || set->members[mpir_set_find(set, pid)].ended)
      return false;
    set->ends[set->end_count++] = (struct mpir_set_end){mpir_set_find(set, pid), fd};
    share->count++;
  }
  set->share_count++;
  return share->count > 1;
}

static bool parse_line(struct mpir_set *set, char *line) {
  if (strncmp(line, "member ", 7) == 0)
    return parse_member(set, line + 7, false);
  if (strncmp(line, "ended ", 6) == 0)
    return parse_member(set, line + 6, true);
  if (strncmp(line, "share ", 6) == 0)
    return parse_share(set, line + 6);
  if (strncmp(line, "foreground ", 11) == 0)
    return line += 11, take_number(&line, '\0', 1, &set->foreground);
  return false;
}

static size_t count_of(const char *text, char c) {
  size_t n = 0;

  for (; *text; text++)
    n += *text == c;
  return n;
}

/* Room for as many entries as the text can name. */
static struct mpir_set *set_create(const char *text) {
  struct mpir_set *set = calloc(1, sizeof(*set));
  size_t lines = count_of(text, '\n');

  if (!set)
    return NULL;
  set->members = calloc((lines < MPIR_SET_MEMBERS_MAX ? lines : MPIR_SET_MEMBERS_MAX) + 1, sizeof(*set->members));
  set->ends = calloc(count_of(text, ':') + 1, sizeof(*set->ends));
  set->shares = calloc(lines + 1, sizeof(*set->shares));
  if (set->members && set->ends && set->shares)
    return set;
  mpir_set_free(set);
  return NULL;
}

struct mpir_set *mpir_set_parse(const char *from, size_t size, struct dvm_error *err) {
  char *text, *line, *save = NULL;
  struct mpir_set *set = NULL;
  bool good = true;

  if (mpir_list_check(from, size, err))
    return NULL;
  text = strndup(from, size);
  set = text ? set_create(text) : NULL;
  line = text ? strtok_r(text, "\n", &save) : NULL;
  if (!set || !line || strcmp(line, HEAD) != 0) {
    dvm_error_set(err, set ? -EPROTO : -ENOMEM, set ? "the list of the set has a different version from this program" : "out of memory");
    good = false;
  }
  while (good && (line = strtok_r(NULL, "\n", &save)) && strncmp(line, MPIR_LIST_SUM, strlen(MPIR_LIST_SUM)) != 0)
    if (!(good = parse_line(set, line)))
      dvm_error_set(err, -EBADMSG, "the list of the set has a bad line");
  if (good && (!set->member_count || set->members[0].ended)) {
    dvm_error_set(err, -EBADMSG, "the list of the set names no process");
    good = false;
  }
  free(text);
  if (good)
    return set;
  mpir_set_free(set);
  return NULL;
}

void mpir_set_choose(struct mpir_set *set, const int *pids, size_t count) {
  int *to = calloc(set->member_count + 1, sizeof(int)); /* 1 more than the new place; 0: left out */
  size_t n = 0, ends = 0;

  for (size_t i = 0; to && i < set->member_count; i++) {
    const int parent = set->members[i].ppid ? mpir_set_find(set, set->members[i].ppid) : -1;
    bool keep = parent >= 0 && parent < (int)i && to[parent];

    for (size_t k = 0; k < count; k++)
      keep = keep || set->members[i].pid == pids[k];
    to[i] = keep ? 1 : 0;
  }
  for (size_t i = 0; to && i < set->member_count; i++)
    if (to[i]) {
      set->members[n] = set->members[i];
      to[i] = (int)++n;
    }
  for (size_t i = 0; to && i < set->share_count; i++) {
    struct mpir_set_share *share = &set->shares[i];
    const size_t first = ends;

    for (size_t k = share->first; k < share->first + share->count; k++)
      if (to[set->ends[k].member])
        set->ends[ends++] = (struct mpir_set_end){to[set->ends[k].member] - 1, set->ends[k].fd};
    *share = (struct mpir_set_share){first, ends - first};
  }
  if (to)
    set->member_count = n;
  free(to);
}

/* Adds the members of another set, and frees that. */
static bool add_node(struct mpir_set *all, struct mpir_set *set, unsigned node) {
  struct mpir_set_member *more = realloc(all->members, (all->member_count + set->member_count + 1) * sizeof(*more));

  if (more) {
    all->members = more;
    for (size_t i = 0; i < set->member_count; i++) {
      struct mpir_set_member *m = &more[all->member_count++];

      *m = set->members[i];
      if (!m->ended)
        snprintf(m->image, sizeof(m->image), MPIR_JOB_NODE "/%.50s", node, set->members[i].image);
    }
  }
  mpir_set_free(set);
  return more != NULL;
}

static struct mpir_set *read_nodes(const char *folder, struct dvm_error *err) {
  struct mpir_set *all = calloc(1, sizeof(*all)), *set = NULL;
  char path[PATH_MAX];
  bool good = all != NULL;

  for (unsigned node = 0; good && find_node(folder, &node, path, sizeof(path)); node++)
    good = (set = mpir_set_read(path, err)) && add_node(all, set, node);
  if (good)
    return all;
  if (!err->code)
    dvm_error_set(err, -ENOMEM, "out of memory");
  mpir_set_free(all);
  return NULL;
}

struct mpir_set *mpir_set_read(const char *folder, struct dvm_error *err) {
  char path[PATH_MAX];
  struct mpir_set *set = NULL;
  size_t size;
  char *text;

  if (!has_list(folder) && mpir_set_is(folder))
    return read_nodes(folder, err);
  snprintf(path, sizeof(path), "%s/" MPIR_SET_LIST, folder);
  text = mpir_list_read(path, &size, err);
  if (text) {
    set = mpir_set_parse(text, size, err);
    if (!set)
      dvm_error_wrap(err, "'%s'", path);
  }
  free(text);
  return set;
}

static void print_list(const struct mpir_set *set, FILE *f) {
  fputs(HEAD "\n", f);
  for (size_t i = 0; i < set->member_count; i++) {
    const struct mpir_set_member *m = &set->members[i];

    fprintf(f, "%s %d %d %d %d ", m->ended ? "ended" : "member", m->pid, m->ppid, m->pgid, m->sid);
    if (m->ended)
      fprintf(f, "%d\n", m->status);
    else
      fprintf(f, "%s\n", m->image);
  }
  for (size_t i = 0; i < set->share_count; i++) {
    fputs("share", f);
    for (size_t k = 0; k < set->shares[i].count; k++) {
      const struct mpir_set_end *e = &set->ends[set->shares[i].first + k];

      fprintf(f, " %d:%d", set->members[e->member].pid, e->fd);
    }
    putc('\n', f);
  }
  if (set->foreground)
    fprintf(f, "foreground %d\n", set->foreground);
}

int mpir_set_write(const struct mpir_set *set, const char *folder, struct dvm_error *err) {
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size);
  int rc;

  if (!memory)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  print_list(set, memory);
  snprintf(path, sizeof(path), "%s/" MPIR_SET_LIST, folder);
  rc = fclose(memory) ? dvm_error_set(err, -ENOMEM, "out of memory") : mpir_list_write(path, text, size, err);
  free(text);
  return rc;
}
