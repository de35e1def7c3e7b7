#include "runtime/report/report.h"
#include "runtime/report/json.h"
#include "runtime/report/report_parts.h"
#include "runtime/data/mem.h"
#include "runtime/report/source.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A finding with its texts. */
struct kept {
  struct kept *next;
  const struct dvmrt_finding *f;
  const char *message;
  int nnotes, nhelps;
  struct {
    struct dvmrt_pos pos;
    const char *text;
  } note[DVMRT_NOTES_MAX];
  const char *help[DVMRT_HELPS_MAX];
  int nrepairs;
  struct dvmrt_repair *repairs;
};

struct file {
  char path[DVMRT_PATH_MAX + PATH_MAX + 32]; /* absolute: the program may change its directory */
  bool sarif;
  bool open;      /* has been created */
  bool failed;    /* could not be written, which has been told */
  off_t end;      /* where the next result goes */
  int nresults;
};

/* For viewers that show a list of rules. */
static const char *const meanings[] = {
#define MEANING(sym, name, severity, meaning) meaning,
    DVMRT_IDS(MEANING)
#undef MEANING
};

static struct file files[DVMRT_REPORTS_MAX];
static int nfiles;
static struct kept *first, **last = &first;
static struct dvmrt_json json;

/* ---- edits --------------------------------------------------------------------------------------------------------------------- */

/* What is to be done: a dependence that 'across' mends brings the edges too. */
static const struct kept *remedy(const struct kept *k) {
  for (const struct kept *o = first; o && k->f->id == DVMRT_ID_SHADOW_STALE; o = o->next)
    if (o->f->id == DVMRT_ID_LOOP_DEPENDENCE && o->f->construct == k->f->construct && o->f->clause.name && !strcmp(o->f->what, k->f->what))
      return o;
  return k;
}

/* ---- parts -------------------------------------------------------------------------------------------------------------------- */

static void put_pos(struct dvmrt_pos p) {
  if (!p.file)
    return;
  dvmrt_json_string(&json, "file", p.file);
  dvmrt_json_number(&json, "line", p.line);
  dvmrt_json_number(&json, "column", p.column);
}

static void put_line(const struct kept *k) {
  const struct dvmrt_finding *f = k->f;
  char id[64];
  snprintf(id, sizeof(id), "dvm-%s", dvmrt_id_name(f->id));
  json.comma = false;
  dvmrt_json_open(&json, NULL, '{');
  dvmrt_json_string(&json, "id", id);
  dvmrt_json_string(&json, "severity", dvmrt_id_severity(f->id) == DVMRT_ERROR ? "error" : "warning");
  put_pos(f->pos);
  dvmrt_json_string(&json, "message", k->message);
  dvmrt_json_string(&json, "variable", f->what);
  if (f->construct) {
    dvmrt_json_open(&json, "construct", '{');
    dvmrt_json_string(&json, "kind", f->construct->kind);
    put_pos(f->construct->pos);
    dvmrt_json_close(&json, '}');
  }
  dvmrt_json_open(&json, "notes", '[');
  for (int i = 0; i < k->nnotes; i++) {
    dvmrt_json_open(&json, NULL, '{');
    put_pos(k->note[i].pos);
    dvmrt_json_string(&json, "message", k->note[i].text);
    dvmrt_json_close(&json, '}');
  }
  dvmrt_json_close(&json, ']');
  dvmrt_json_open(&json, "help", '[');
  for (int i = 0; i < k->nhelps; i++)
    dvmrt_json_string(&json, NULL, k->help[i]);
  dvmrt_json_close(&json, ']');
  dvmrt_report_edit(&json, remedy(k)->f, remedy(k)->repairs, remedy(k)->nrepairs);
  dvmrt_json_number(&json, "count", f->count);
  if (f->at_least)
    dvmrt_json_false(&json, "exact");
  if (f->clause.name) {
    struct dvmrt_text t = {.n = 0};
    dvmrt_clause_text(&f->clause, &t);
    dvmrt_json_string(&json, "clause", t.s);
  }
  dvmrt_json_close(&json, '}');
  dvmrt_json_raw(&json, "\n");
}

/* ---- SARIF -------------------------------------------------------------------------------------------------------------------- */

uint64_t dvmrt_report_column(struct dvmrt_pos p) {
  char line[DVMRT_TEXT_MAX];
  uint64_t n = 1;
  if (!p.column || !dvmrt_source_line(p.file, p.line, line, sizeof(line)) || p.column > strlen(line) + 1)
    return p.column ? p.column : 1;
  for (uint32_t i = 0; i + 1 < p.column; i++)
    n += ((unsigned char)line[i] & 0xc0) != 0x80;
  return n;
}

/* An absolute name becomes a file URI; a relative one is a reference to be resolved by the reader. */
void dvmrt_report_uri(struct dvmrt_json *j, const char *file) {
  char uri[3 * DVMRT_PATH_MAX + 8];
  size_t n = (size_t)snprintf(uri, sizeof(uri), "%s", file[0] == '/' ? "file://" : "");
  for (const unsigned char *s = (const unsigned char *)file; *s && n + 4 < sizeof(uri); s++) {
    bool plain = (*s >= '0' && *s <= '9') || ((*s | 32) >= 'a' && (*s | 32) <= 'z') || strchr("-._~/+", *s);
    n += (size_t)snprintf(uri + n, sizeof(uri) - n, plain ? "%c" : "%%%02X", *s);
  }
  uri[n] = 0;
  dvmrt_json_string(j, "uri", uri);
}

static void put_physical(struct dvmrt_pos p) {
  dvmrt_json_open(&json, "physicalLocation", '{');
  dvmrt_json_open(&json, "artifactLocation", '{');
  dvmrt_report_uri(&json, p.file);
  dvmrt_json_close(&json, '}');
  dvmrt_json_open(&json, "region", '{');
  dvmrt_json_number(&json, "startLine", p.line ? p.line : 1);
  dvmrt_json_number(&json, "startColumn", dvmrt_report_column(p));
  dvmrt_json_close(&json, '}');
  dvmrt_json_close(&json, '}');
}

static void put_text(const char *key, const char *text) {
  dvmrt_json_open(&json, key, '{');
  dvmrt_json_string(&json, "text", text);
  dvmrt_json_close(&json, '}');
}

/* Message and helps.  '](' would be a link to a reader of SARIF: a blank parts the two. */
static void put_message(const struct kept *k) {
  static char text[(1 + DVMRT_HELPS_MAX) * (DVMRT_TEXT_MAX + 64)];
  size_t n = 0;
  for (int i = -1; i < k->nhelps; i++) {
    if (i >= 0)
      text[n++] = '\n';
    for (const char *s = i < 0 ? k->message : k->help[i]; *s && n + 4 < sizeof(text); s++) {
      text[n++] = *s;
      if (s[0] == ']' && s[1] == '(')
        text[n++] = ' ';
    }
  }
  text[n] = 0;
  put_text("message", text);
}

static void put_related(const struct kept *k) {
  dvmrt_json_open(&json, "relatedLocations", '[');
  for (int i = 0; i < k->nnotes; i++) {
    if (!k->note[i].pos.file)
      continue;
    dvmrt_json_open(&json, NULL, '{');
    dvmrt_json_number(&json, "id", (uint64_t)i);
    put_physical(k->note[i].pos);
    put_text("message", k->note[i].text);
    dvmrt_json_close(&json, '}');
  }
  dvmrt_json_close(&json, ']');
}

static void put_properties(const struct kept *k) {
  dvmrt_json_open(&json, "properties", '{');
  dvmrt_json_string(&json, "variable", k->f->what);
  dvmrt_json_open(&json, "notes", '[');
  for (int i = 0; i < k->nnotes; i++)
    if (!k->note[i].pos.file)
      dvmrt_json_string(&json, NULL, k->note[i].text);
  dvmrt_json_close(&json, ']');
  if (k->f->clause.name) {
    struct dvmrt_text t = {.n = 0};
    dvmrt_clause_text(&k->f->clause, &t);
    dvmrt_json_string(&json, "clause", t.s);
  }
  if (k->f->at_least)
    dvmrt_json_false(&json, "exact");
  dvmrt_json_close(&json, '}');
}

static void put_result(const struct kept *k) {
  char id[64];
  snprintf(id, sizeof(id), "dvm-%s", dvmrt_id_name(k->f->id));
  dvmrt_json_open(&json, NULL, '{');
  dvmrt_json_string(&json, "ruleId", id);
  dvmrt_json_number(&json, "ruleIndex", (uint64_t)k->f->id);
  dvmrt_json_string(&json, "level", dvmrt_id_severity(k->f->id) == DVMRT_ERROR ? "error" : "warning");
  put_message(k);
  dvmrt_json_open(&json, "locations", '[');
  if (k->f->pos.file) {
    dvmrt_json_open(&json, NULL, '{');
    put_physical(k->f->pos);
    dvmrt_json_close(&json, '}');
  }
  dvmrt_json_close(&json, ']');
  put_related(k);
  const struct kept *r = remedy(k);
  dvmrt_report_fixes(&json, r->f, r->repairs, r->nrepairs, r->nhelps ? r->help[0] : "");
  dvmrt_json_number(&json, "occurrenceCount", k->f->count);
  put_properties(k);
  dvmrt_json_close(&json, '}');
  dvmrt_json_raw(&json, "\n");
}

static void put_rule(enum dvmrt_id i) {
  char id[64], help[80];
  snprintf(id, sizeof(id), "dvm-%s", dvmrt_id_name(i));
  snprintf(help, sizeof(help), "'dvm help %s' shows an example and its repair", id);
  dvmrt_json_open(&json, NULL, '{');
  dvmrt_json_string(&json, "id", id);
  put_text("shortDescription", meanings[i]);
  put_text("help", help);
  dvmrt_json_open(&json, "defaultConfiguration", '{');
  dvmrt_json_string(&json, "level", dvmrt_id_severity(i) == DVMRT_ERROR ? "error" : "warning");
  dvmrt_json_close(&json, '}');
  dvmrt_json_close(&json, '}');
}

static void put_head(void) {
  json.comma = false;
  dvmrt_json_open(&json, NULL, '{');
  dvmrt_json_string(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  dvmrt_json_string(&json, "version", "2.1.0");
  dvmrt_json_open(&json, "runs", '[');
  dvmrt_json_open(&json, NULL, '{');
  dvmrt_json_open(&json, "tool", '{');
  dvmrt_json_open(&json, "driver", '{');
  dvmrt_json_string(&json, "name", "dvm");
  dvmrt_json_open(&json, "rules", '[');
  for (int i = 0; i < DVMRT_ID_COUNT; i++)
    put_rule(i);
  dvmrt_json_raw(&json, "]}},\n");
  json.comma = false;
  dvmrt_json_string(&json, "columnKind", "unicodeCodePoints");
  dvmrt_json_open(&json, "results", '[');
  dvmrt_json_raw(&json, "\n");
}

/* ---- files --------------------------------------------------------------------------------------------------------------------- */

/* Once a file: after that it is left alone. */
static void complain(struct file *f, int code) {
  char text[sizeof(f->path) + 128];
  int n = snprintf(text, sizeof(text), "dvm: error: cannot write report '%s': %s\n", f->path, strerror(code));
  if (!f->failed && n > 0)
    dvmrt_mem_say(text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
  f->failed = true;
}

static int finish(struct file *f, int fd) {
  int rc = dvmrt_json_flush(&json);
  f->end = lseek(fd, 0, SEEK_CUR);
  if (f->sarif) {
    dvmrt_json_raw(&json, "]}]}\n"); /* overwritten by the next result */
    int tail = dvmrt_json_flush(&json);
    rc = rc ? rc : tail;
  }
  if (close(fd) && !rc)
    rc = -errno;
  return rc;
}

static int create(struct file *f) {
  int fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0)
    return -errno;
  dvmrt_json_begin(&json, fd);
  if (f->sarif)
    put_head();
  f->open = true;
  f->nresults = 0;
  return finish(f, fd);
}

static void append(struct file *f, const struct kept *k) {
  if (f->failed)
    return;
  int rc = f->open ? 0 : create(f);
  int fd = rc ? -1 : open(f->path, O_WRONLY | O_CLOEXEC);
  if (fd < 0 || lseek(fd, f->end, SEEK_SET) < 0) {
    complain(f, rc ? -rc : errno);
    if (fd >= 0)
      close(fd);
    return;
  }
  dvmrt_json_begin(&json, fd);
  json.comma = f->sarif && f->nresults++ > 0;
  if (f->sarif)
    put_result(k);
  else
    put_line(k);
  rc = finish(f, fd);
  if (rc)
    complain(f, -rc);
}

static bool ends_with(const char *s, const char *end) {
  size_t n = strlen(s), m = strlen(end);
  return n >= m && !strcmp(s + n - m, end);
}

/* "%p" in its name is the number of the process, so that programs that run at the same time have each their own. */
static void number_process(char *path, size_t size) {
  char *at = strstr(path, "%p"), pid[16];
  size_t n = (size_t)snprintf(pid, sizeof(pid), "%d", (int)getpid());
  if (!at || strlen(path) + n >= size)
    return;
  memmove(at + n, at + 2, strlen(at + 2) + 1);
  memcpy(at, pid, n);
}

int dvmrt_report_open(const struct dvmrt_options *o, struct dvm_error *err) {
  for (nfiles = 0; nfiles < o->nreports; nfiles++) {
    struct file *f = &files[nfiles];
    const char *name = o->report[nfiles];
    char start[PATH_MAX];
    if (name[0] == '/' || !getcwd(start, sizeof(start)))
      snprintf(f->path, sizeof(f->path), "%s", name);
    else
      snprintf(f->path, sizeof(f->path), "%s/%s", start, name);
    number_process(f->path, sizeof(f->path));
    f->sarif = ends_with(f->path, ".sarif");
    int rc = create(f);
    if (rc)
      return dvm_error_set(err, rc, "cannot write report '%s': %s", f->path, strerror(-rc));
  }
  return 0;
}

static const char *copy(const struct dvmrt_text *t) { return dvmrt_mem_strndup(t->s, t->n); }

static void keep_repairs(struct kept *k, const struct dvmrt_report *r) {
  if (!r->nrepairs)
    return;
  k->nrepairs = r->nrepairs;
  k->repairs = dvmrt_mem_alloc((size_t)r->nrepairs * sizeof(*k->repairs));
  memcpy(k->repairs, r->repair, (size_t)r->nrepairs * sizeof(*k->repairs));
  for (int i = 0; i < r->nrepairs; i++) { /* the program may unload what they are of */
    struct dvmrt_repair *own = &k->repairs[i];
    own->name = own->name ? dvmrt_mem_strndup(own->name, strlen(own->name)) : NULL;
  }
}

void dvmrt_report_add(struct dvmrt_finding *f, const struct dvmrt_report *r) {
  if (!nfiles)
    return;
  struct kept *k = dvmrt_mem_alloc(sizeof(*k));
  *k = (struct kept){.f = f, .message = copy(&r->message), .nnotes = r->nnotes, .nhelps = r->nhelps};
  for (int i = 0; i < r->nnotes; i++) {
    k->note[i].pos = r->note[i].pos;
    k->note[i].text = copy(&r->note[i].text);
  }
  for (int i = 0; i < r->nhelps; i++)
    k->help[i] = copy(&r->help[i]);
  keep_repairs(k, r);
  *last = k;
  last = &k->next;
  for (int i = 0; i < nfiles; i++)
    append(&files[i], k);
}

void dvmrt_report_close(void) {
  for (int i = 0; i < nfiles; i++) {
    struct file *f = &files[i];
    if (!first || !f->open || f->failed)
      continue;
    int rc = create(f);
    if (rc)
      complain(f, -rc);
    for (const struct kept *k = first; k && !rc; k = k->next)
      append(f, k);
  }
}

void dvmrt_report_forked(void) {
  first = NULL;
  last = &first;
  for (int i = 0; i < nfiles; i++) {
    size_t n = strlen(files[i].path);
    files[i].open = files[i].failed = false;
    snprintf(files[i].path + n, sizeof(files[i].path) - n, ".%d", (int)getpid());
  }
}
