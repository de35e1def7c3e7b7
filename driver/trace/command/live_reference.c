/* The reference's program is launched by a process of its own, which sends what is compared of it through a pipe: what the pipe holds is
 * how far it may be ahead. */
#define _GNU_SOURCE
#include "driver/trace/command/launch.h"
#include "driver/trace/command/live_private.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A message: its size behind the size, then what it is. */
enum { SITE = 'S', OBJECT = 'O', RECORD = 'R', KNOWN = 'K' };
struct message {
  uint32_t bytes;               /* behind this head */
  uint8_t what, kind;
  uint16_t nwords;
  uint32_t site, object;
};

/* ---- our process -------------------------------------------------------------------------------------------------------------------- */

struct sending {
  struct dvmt_sink sink;
  FILE *to;
  int go;                       /* to be read from behind each construct, or -1 */
};

static int put(struct sending *s, struct message m, const void *data, size_t n) {
  m.bytes = (uint32_t)n;
  return fwrite(&m, sizeof(m), 1, s->to) == 1 && (!n || fwrite(data, n, 1, s->to) == 1) ? 0 : -EPIPE;
}

static int send_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  return put((struct sending *)sink, (struct message){.what = SITE}, def->text, strlen(def->text));
}

static int send_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  return put((struct sending *)sink, (struct message){.what = OBJECT}, def->name, strlen(def->name));
}

static int send_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct sending *s = (struct sending *)sink;
  const struct message m = {.what = RECORD, .kind = r->kind, .nwords = (uint16_t)r->nwords, .site = r->site, .object = r->object};
  char go;
  int rc = put(s, m, r->words, r->nwords * sizeof(*r->words));
  if (rc || r->kind != DVMT_LEAVE)
    return rc;
  if (fflush(s->to))
    return -EPIPE;
  while (s->go >= 0 && read(s->go, &go, 1) < 0 && errno == EINTR)
    ;
  return 0;
}

/* Sites are known before anything of them is executed. */
struct knowing {
  struct dvmt_sink sink, *behind;
  struct sending *to;
};

static int know_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct knowing *k = (struct knowing *)sink;
  int rc = def->kind == DVMT_SITE_CONSTRUCT && dvmt_shape_is_parallel(def->text)
               ? put(k->to, (struct message){.what = KNOWN}, def->text, strlen(def->text))
               : 0;
  return rc ? rc : k->behind->site(k->behind, def);
}

static int know_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct knowing *k = (struct knowing *)sink;
  return k->behind->object(k->behind, def);
}

static int know_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct knowing *k = (struct knowing *)sink;
  return k->behind->record(k->behind, r);
}

static __attribute__((noreturn)) void launch(const char *command, int to, int go, bool step, struct live_programs *programs) {
  struct sending s = {{.site = send_site, .object = send_object, .record = send_record}, fdopen(to, "w"), step ? go : -1};
  struct dvmt_project *p = s.to ? dvmt_project_create(&s.sink, false, NULL) : NULL;
  struct dvm_error err = DVM_ERROR_INIT;
  char *line = NULL;
  int status = 0, none = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool recorded = false;
  if (none >= 0)
    dup2(none, 0);
  if (!p || asprintf(&line, "exec %s", command) < 0)
    _exit(1);
  char *const argv[] = {"/bin/sh", "-c", line, NULL};
  const struct dvmt_launch l = {
      .command = argv, .level = "checksum", .quiet = true, .live = DVMT_LIVE_REFERENCE, .step = step, .started = &programs->reference};
  struct knowing known = {{.site = know_site, .object = know_object, .record = know_record}, dvmt_project_sink(p), &s};
  int rc = dvmt_launch(&l, &known.sink, &status, &recorded, &err);
  programs->reference_status = status;
  if (rc && rc != -EPIPE)
    fprintf(stderr, "dvm: error: %s\n", err.text);
  fclose(s.to);
  _exit(rc || !recorded);
}

int live_reference_start(struct live_reference *r, const char *command, bool step, struct live_programs *programs, struct dvm_error *err) {
  int data[2], go[2];
  *r = (struct live_reference){.from = -1, .go = -1};
  live_steps_init(&r->steps);
  if (pipe2(data, O_CLOEXEC))
    return dvm_error_errno(err, "cannot create a pipe");
  if (pipe2(go, O_CLOEXEC)) {
    close(data[0]);
    close(data[1]);
    return dvm_error_errno(err, "cannot create a pipe");
  }
  fflush(NULL);
  r->pid = fork();
  if (!r->pid) {
    close(data[0]);
    close(go[1]);
    signal(SIGPIPE, SIG_IGN);
    launch(command, data[1], go[0], step, programs);
  }
  close(data[1]);
  close(go[0]);
  r->from = data[0];
  r->go = go[1];
  return r->pid < 0 ? dvm_error_errno(err, "cannot start a process") : 0;
}

/* ---- the comparison's side ---------------------------------------------------------------------------------------------------------- */

static int take(struct live_reference *r, const struct message *m, const char *data) {
  struct dvmt_sink *sink = &r->steps.sink;
  uint64_t words[DVMT_WORDS_MAX];
  char *text = m->what == RECORD ? NULL : strndup(data, m->bytes);
  int rc = m->what == RECORD || text ? 0 : -ENOMEM;
  if (m->what == RECORD && m->nwords <= DVMT_WORDS_MAX && m->bytes == m->nwords * sizeof(*words)) {
    memcpy(words, data, m->bytes);
    const struct dvmt_record rec = {.kind = m->kind, .nwords = m->nwords, .site = m->site, .object = m->object, .words = words};
    rc = sink->record(sink, &rec);
  } else if (text && m->what == KNOWN) {
    char **rows = realloc(r->known, (r->nknown + 1) * sizeof(*rows));
    if (rows) {
      r->known = rows;
      rows[r->nknown++] = text;
      text = NULL;
    }
    rc = rows ? 0 : -ENOMEM;
  } else if (text && m->what == SITE) {
    rc = sink->site(sink, &(struct dvmt_site_def){.text = text, .kind = DVMT_SITE_CONSTRUCT});
  } else if (text) {
    rc = sink->object(sink, &(struct dvmt_object_def){.name = text});
  }
  free(text);
  return rc;
}

int live_reference_read(struct live_reference *r, struct dvm_error *err) {
  enum { PIECE = 1 << 16 };
  if (r->room - r->n < PIECE) {
    char *p = realloc(r->buffer, r->room + PIECE);
    if (!p)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    r->buffer = p;
    r->room += PIECE;
  }
  ssize_t got = read(r->from, r->buffer + r->n, PIECE);
  if (got < 0)
    return errno == EINTR ? 0 : dvm_error_errno(err, "cannot read what the reference does");
  r->over = !got;
  r->n += (size_t)got;
  size_t at = 0;
  for (struct message m; r->n - at >= sizeof(m);) {
    memcpy(&m, r->buffer + at, sizeof(m));
    if (r->n - at - sizeof(m) < m.bytes)
      break;
    int rc = take(r, &m, r->buffer + at + sizeof(m));
    if (rc)
      return dvm_error_set(err, rc, "comparison stopped: %s", strerror(-rc));
    at += sizeof(m) + m.bytes;
  }
  memmove(r->buffer, r->buffer + at, r->n - at);
  r->n -= at;
  return 0;
}

void live_reference_fini(struct live_reference *r) {
  for (size_t i = 0; i < r->nknown; i++)
    free(r->known[i]);
  free(r->known);
  free(r->buffer);
  live_steps_fini(&r->steps);
}
