/* The file of a rank, in lines of words that single blanks separate (driver/profile/read.c reads them). */
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The rest of a line: a file of the source may have any name. */
static void write_file(FILE *f, const char *file) {
  fputc(' ', f);
  for (const char *s = file && *file ? file : "?"; *s; s++)
    fputc(*s == '\n' || *s == '\r' ? '?' : *s, f);
  fputc('\n', f);
}

static void write_machine(FILE *f, const struct dvmp_profile *p) {
  char host[256] = "?";
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  gethostname(host, sizeof(host) - 1);
  uint64_t cpu_ns = ((uint64_t)u.ru_utime.tv_sec + (uint64_t)u.ru_stime.tv_sec) * 1000000000u +
                    ((uint64_t)u.ru_utime.tv_usec + (uint64_t)u.ru_stime.tv_usec) * 1000u;
  fprintf(f, "machine %" PRIu64 " %" PRIu64 " %ld %ld", p->end_ns - p->begin_ns, cpu_ns, u.ru_maxrss, sysconf(_SC_NPROCESSORS_ONLN));
  write_file(f, host);
}

static void write_interval(FILE *f, int id, const struct dvmp_interval *v) {
  const struct dvmrt_pos *at = v->d ? &v->d->pos : NULL;
  fprintf(f, "interval %d %d %" PRIu64 " %d %" PRId64 " %u %u", id, v->parent, v->executions, v->has_number, v->number, at ? at->line : 0,
          at ? at->column : 0);
  write_file(f, at ? at->file : NULL);
}

static void write_array(FILE *f, const struct dvmp_profiled_array *a) {
  fprintf(f, "array %s %" PRIu64 " %d", a->name, a->element_bytes, a->ndims);
  for (int d = 0; d < a->ndims; d++)
    fprintf(f, " %" PRId64 " %" PRId64 " %" PRId64, a->extent[d], a->own[d], a->span[d]);
  fprintf(f, " %u %u", a->declared.line, a->declared.column);
  write_file(f, a->declared.file);
}

/* What the clauses name: "A,B", "max(eps)". */
static void write_names(FILE *f, const struct dvmrt_directive *d, int why) {
  static const char keys[DVMP_WHYS] = {[DVMP_WHY_SHADOW] = DVMRT_DIRECTIVE_RENEW,        [DVMP_WHY_ACROSS] = DVMRT_DIRECTIVE_ACROSS,
                                       [DVMP_WHY_REDUCTION] = DVMRT_DIRECTIVE_REDUCTION, [DVMP_WHY_REMOTE] = DVMRT_DIRECTIVE_REMOTE,
                                       [DVMP_WHY_REDISTRIBUTE] = DVMRT_DIRECTIVE_ARRAY,  [DVMP_WHY_COPY] = DVMRT_DIRECTIVE_ARRAY};
  int n = 0;
  const struct dvmrt_item *group = d ? dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP) : NULL;
  for (struct dvmrt_item *i = d && keys[why] ? d->items : NULL; (i = dvmrt_directive_find(i, keys[why])) && n < 8; i = i->next) {
    fprintf(f, "%s", n++ ? "," : " ");
    for (const char *s = i->key == DVMRT_DIRECTIVE_REDUCTION ? i->word : ""; *s; s++)
      fputc(*s, f);
    fputs(i->key == DVMRT_DIRECTIVE_REDUCTION ? "(" : "", f);
    for (const char *s = i->ref.name ? i->ref.name : "?"; *s; s++)
      fputc(*s == ' ' || *s == '\n' ? '_' : *s, f);
    fputs(i->key == DVMRT_DIRECTIVE_REDUCTION ? ")" : "", f);
  }
  if (!n && group && group->ref.name && strcmp(group->ref.name, "-") && (why == DVMP_WHY_SHADOW || why == DVMP_WHY_REDUCTION))
    fprintf(f, " group:%s", group->ref.name);
  else if (!n)
    fputs(" -", f);
  fputc('\n', f);
}

static bool is_empty(const struct dvmp_entry *e) {
  uint64_t all = e->executions;
  for (int t = 0; t < DVMP_TIME_OWN; t++)
    all |= e->time_ns[t];
  return !all;
}

static void write_entry(FILE *f, const struct dvmp_entry *e) {
  static const char *const words[DVMP_WHYS] = {"other", "shadow", "across", "reduction", "remote", "redistribute", "copy", "io", "end"};
  const struct dvmrt_pos *at = e->d ? &e->d->pos : NULL;
  fprintf(f, "entry %d %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, e->interval, e->behind ? "behind" : "directive",
          e->d ? e->d->kind : "-", e->executions, e->iterations, e->line, e->stages);
  for (int t = 0; t < DVMP_TIME_OWN; t++)
    fprintf(f, " %" PRIu64, e->time_ns[t]);
  fprintf(f, " %u %u %u", at ? at->line : 0, at ? at->column : 0, e->until ? e->until->pos.line : 0);
  write_file(f, at ? at->file : NULL);
  for (int w = 0; w < DVMP_WHYS; w++) {
    const struct dvmp_exchanged *x = &e->why[w];
    if (!(x->count | x->messages | x->wait_ns | x->transfer_ns))
      continue;
    fprintf(f, "exchange %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, words[w], x->count, x->messages, x->bytes,
            x->wait_ns, x->transfer_ns);
    write_names(f, e->d, w);
  }
  for (int q = 0; e->late_ns && q < dvmp_job.size; q++)
    if (e->late_ns[q])
      fprintf(f, "late %d %" PRIu64 "\n", q, e->late_ns[q]);
}

int dvmp_profile_write(const struct dvmp_profile *p) {
  char *name = NULL, *part = NULL;
  int rc = asprintf(&name, "%s/rank.%d", p->folder, dvmp_job.rank) < 0 || asprintf(&part, "%s.%ld", name, (long)getpid()) < 0 ? -ENOMEM : 0;
  FILE *f = rc ? NULL : fopen(part, "we");
  if (f) {
    fprintf(f, "dvm-profile 1\nrank %d %d %" PRIu64 "\n", dvmp_job.rank, dvmp_job.size, p->stamp);
    write_machine(f, p);
    for (int i = 0; i < p->nintervals; i++)
      write_interval(f, i, &p->intervals[i]);
    for (const struct dvmp_profiled_array *a = p->arrays; a; a = a->next)
      write_array(f, a);
    for (const struct dvmp_entry *e = *p->first; e; e = e->next)
      if (!is_empty(e))
        write_entry(f, e);
    fputs("end\n", f);
    rc = ferror(f) ? -EIO : 0;
    rc = fclose(f) && !rc ? -errno : rc;
    rc = !rc && rename(part, name) ? -errno : rc;
    if (rc)
      unlink(part);
  } else if (!rc) {
    rc = -errno;
  }
  free(name);
  free(part);
  return rc;
}
