#include "mpir/image/image_set.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mpir/image/crc32c.h"

#define LIST_MAX (64u << 20)
#define HEAD "dvm-set 1"
#define SUM "checksum "

void mpir_set_free(struct mpir_set *set)
{
  if (!set)
    return;
  free(set->members);
  free(set->ends);
  free(set->shares);
  free(set);
}

int mpir_set_find(const struct mpir_set *set, int pid)
{
  for (size_t i = 0; i < set->member_count; i++)
    if (set->members[i].pid == pid)
      return (int)i;
  return -1;
}

bool mpir_set_is(const char *path)
{
  char list[PATH_MAX];
  int n = snprintf(list, sizeof(list), "%s/" MPIR_SET_LIST, path);

  return n > 0 && (size_t)n < sizeof(list) && access(list, F_OK) == 0;
}

void mpir_set_remove(const char *folder)
{
  DIR *dir = opendir(folder);
  struct dirent *d;

  while (dir && (d = readdir(dir)))
    if (*d->d_name != '.')
      unlinkat(dirfd(dir), d->d_name, 0);
  if (dir)
    closedir(dir);
  rmdir(folder);
}

/* A name in the folder, nothing else. */
static bool name_ok(const char *name) { return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0; }

/* A number in decimal, behind it 'end'.  Moves *s behind that. */
static bool take_number(char **s, char end, int low, int *to)
{
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

static bool parse_member(struct mpir_set *set, char *s, bool ended)
{
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

static bool parse_share(struct mpir_set *set, char *s)
{
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
    set->ends[set->end_count++] = (struct mpir_set_end){ mpir_set_find(set, pid), fd };
    share->count++;
  }
  set->share_count++;
  return share->count > 1;
}

static bool parse_line(struct mpir_set *set, char *line)
{
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

static size_t count_of(const char *text, char c)
{
  size_t n = 0;

  for (; *text; text++)
    n += *text == c;
  return n;
}

/* Room for as many entries as the text can name. */
static struct mpir_set *set_create(const char *text)
{
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

/* The last line is the sum of those before. */
static int check_sum(const char *text, size_t size, struct dvm_error *err)
{
  const char *sum = size > 1 && text[size - 1] == '\n' ? memrchr(text, '\n', size - 1) : NULL;
  char expected[32];

  if (!sum)
    return dvm_error_set(err, -EBADMSG, "the list of the set is cut");
  sum++;
  snprintf(expected, sizeof(expected), SUM "%08x\n", mpir_crc32c(0, text, (size_t)(sum - text)));
  if (strlen(expected) != (size_t)(text + size - sum) || memcmp(sum, expected, strlen(expected)) != 0)
    return dvm_error_set(err, -EBADMSG, "the list of the set is damaged: its checksum is not right");
  return 0;
}

struct mpir_set *mpir_set_parse(const char *from, size_t size, struct dvm_error *err)
{
  char *text, *line, *save = NULL;
  struct mpir_set *set = NULL;
  bool good = true;

  if (memchr(from, 0, size) || check_sum(from, size, err)) {
    if (!err->code)
      dvm_error_set(err, -EBADMSG, "the list of the set is no text");
    return NULL;
  }
  text = strndup(from, size);
  set = text ? set_create(text) : NULL;
  line = text ? strtok_r(text, "\n", &save) : NULL;
  if (!set || !line || strcmp(line, HEAD) != 0) {
    dvm_error_set(err, set ? -EPROTO : -ENOMEM, set ? "the list of the set has another version than this program" : "out of memory");
    good = false;
  }
  while (good && (line = strtok_r(NULL, "\n", &save)) && strncmp(line, SUM, strlen(SUM)) != 0)
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

struct mpir_set *mpir_set_read(const char *folder, struct dvm_error *err)
{
  char path[PATH_MAX];
  struct mpir_set *set = NULL;
  struct stat st;
  char *text = NULL;
  FILE *f;

  snprintf(path, sizeof(path), "%s/" MPIR_SET_LIST, folder);
  f = fopen(path, "re");
  if (!f || fstat(fileno(f), &st)) {
    dvm_error_errno(err, "cannot open '%s'", path);
  } else if (!S_ISREG(st.st_mode) || st.st_size > LIST_MAX || !(text = malloc((size_t)st.st_size + 1)) ||
             fread(text, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
    dvm_error_set(err, -EBADMSG, "'%s' is no list of a set", path);
  } else {
    set = mpir_set_parse(text, (size_t)st.st_size, err);
    if (!set)
      dvm_error_wrap(err, "'%s'", path);
  }
  free(text);
  if (f)
    fclose(f);
  return set;
}

static void print_list(const struct mpir_set *set, FILE *f)
{
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

int mpir_set_write(const struct mpir_set *set, const char *folder, struct dvm_error *err)
{
  char path[PATH_MAX], *text = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&text, &size), *f = NULL;
  bool bad = !memory;

  if (memory) {
    print_list(set, memory);
    bad = fclose(memory) != 0;
  }
  snprintf(path, sizeof(path), "%s/" MPIR_SET_LIST, folder);
  if (!bad)
    bad = !(f = fopen(path, "wxe"));
  if (f) {
    fwrite(text, 1, size, f);
    fprintf(f, SUM "%08x\n", mpir_crc32c(0, text, size));
    bad = fflush(f) || fsync(fileno(f));
    bad = fclose(f) || bad;
  }
  free(text);
  return bad ? dvm_error_errno(err, "cannot write '%s'", path) : 0;
}
