#define _GNU_SOURCE
#include "driver/trace/command/live.h"
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/job_results.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/live_compare.h"
#include "driver/trace/command/live_pairs.h"
#include "driver/trace/format/writer.h"
#include "driver/trace/job/join.h"
#include "runtime/trace/results.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct live {
  struct dvmt_cli *o;
  char folder[CC_TEMPORARY_MAX], socket[CC_TEMPORARY_MAX + 16];
  bool stop, stopped, said;     /* said: that something differs */
  struct live_programs *programs; /* shared */
  struct live_reference reference;
  struct live_steps run;        /* of the ranks together */
  struct dvmt_shape *shape;     /* whose texts these are */
  struct live_pairs pairs;
  pid_t launcher;               /* our process that launches the run */
  int listening, ended;         /* ended: a pipe, the run's status comes through it */
  bool over;                    /* the run has ended */
  int status;
  struct live_rank **rank;      /* owned: [nranks], NULL: not yet */
  size_t nranks, nthere;
  struct live_found found;
  struct pollfd *polled;        /* owned */
};

static volatile sig_atomic_t go_on;
static volatile sig_atomic_t ours[2];

static void on_continue(int signal) {
  (void)signal;
  go_on = 1;
}

static void pass_on(int signal) {
  for (int i = 0; i < 2; i++)
    if (ours[i] > 0)
      kill(ours[i], signal);
}

/* ---- the programs ------------------------------------------------------------------------------------------------------------------ */

static int listen_at(struct live *l, struct dvm_error *err) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  snprintf(l->socket, sizeof(l->socket), "%s/socket", l->folder);
  if (strlen(l->socket) >= sizeof(at.sun_path))
    return dvm_error_set(err, -ENAMETOOLONG, "the name of the socket '%s' is too long: set TMPDIR to a shorter one", l->socket);
  strcpy(at.sun_path, l->socket);
  l->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (l->listening < 0 || bind(l->listening, (const struct sockaddr *)&at, sizeof(at)) || listen(l->listening, 128))
    return dvm_error_errno(err, "cannot listen at '%s'", l->socket);
  return 0;
}

static __attribute__((noreturn)) void launch(const struct live *l, char *const *command, int to) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_writer *nowhere = dvmt_writer_create(NULL, "", DVMT_CODEC_NONE, &err);
  int status = 0;
  bool recorded;
  const struct dvmt_launch launch = {
      .command = command, .level = "checksum", .live = l->socket, .step = l->stop, .started = &l->programs->run};
  int rc = nowhere ? dvmt_launch(&launch, dvmt_writer_sink(nowhere), &status, &recorded, &err) : err.code;
  if (rc)
    fprintf(stderr, "dvm: error: %s\n", err.text);
  _exit(rc || write(to, &status, sizeof(status)) != sizeof(status));
}

static int start(struct live *l, const char *reference, char *const *command, struct dvm_error *err) {
  int ended[2];
  l->programs = mmap(NULL, sizeof(*l->programs), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (l->programs == MAP_FAILED)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  int rc = live_reference_start(&l->reference, reference, l->stop, l->programs, err);
  if (rc)
    return rc;
  if (pipe2(ended, O_CLOEXEC))
    return dvm_error_errno(err, "cannot create a pipe");
  fflush(NULL);
  l->launcher = fork();
  if (!l->launcher) {
    close(ended[0]);
    launch(l, command, ended[1]);
  }
  close(ended[1]);
  l->ended = ended[0];
  ours[0] = l->reference.pid;
  ours[1] = l->launcher;
  return l->launcher < 0 ? dvm_error_errno(err, "cannot start a process") : 0;
}

/* ---- what they say ------------------------------------------------------------------------------------------------------------------ */

static int accept_rank(struct live *l, struct dvm_error *err) {
  struct dvmt_live_hello hello;
  int fd = accept4(l->listening, NULL, NULL, SOCK_CLOEXEC);
  if (fd < 0)
    return errno == EINTR || errno == ECONNABORTED ? 0 : dvm_error_errno(err, "cannot accept a rank");
  ssize_t got = recv(fd, &hello, sizeof(hello), MSG_WAITALL);
  if (got != sizeof(hello) || hello.magic != DVMT_LIVE_MAGIC || !hello.ranks || hello.ranks > DVMT_JOB_RANKS_MAX ||
      hello.rank >= hello.ranks || (l->nranks && (hello.ranks != l->nranks || l->rank[hello.rank]))) {
    close(fd);
    return 0; /* none of ours */
  }
  if (!l->nranks) {
    l->rank = calloc(hello.ranks, sizeof(*l->rank));
    struct pollfd *rows = realloc(l->polled, (hello.ranks + 3) * sizeof(*rows));
    if (rows)
      l->polled = rows;
    if (!l->rank || !rows) {
      close(fd);
      return dvm_error_set(err, -ENOMEM, "out of memory");
    }
    l->nranks = hello.ranks;
  }
  l->rank[hello.rank] = live_rank_create(fd, hello.rank, l->shape);
  l->nthere++;
  return l->rank[hello.rank] ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

/* The reference's result, if it has come to it. */
static bool answer(struct live *l, struct live_rank *r) {
  struct dvmt_results_row row = {.place = 0};
  const struct live_steps *s = &l->reference.steps;
  uint64_t number, execution;
  const char *text = live_rank_wants(r, &number, &execution);
  if (!text)
    return false;
  for (size_t i = s->nrow - s->open; i-- && !row.place;) {
    const struct live_step *step = &s->row[i];
    for (size_t k = 0; step->execution == execution && live_pairs_same(&l->pairs, &l->reference, step->text, text) && k < step->nresults;
         k++)
      if (step->results[k].words[0] == number) {
        row = (struct dvmt_results_row){.place = 1, .number = number, .execution = execution};
        memcpy(row.value, step->results[k].words + 2, sizeof(row.value));
        dvmt_job_results_tolerance(&row, step->text, &l->o->compare, live_step_iterations(step));
      }
  }
  if (!row.place && !l->reference.over && live_steps_ahead(s) < LIVE_LEAD)
    return false; /* it will come */
  live_rank_answer(r, &row, sizeof(row));
  return true;
}

static short is_ready(const struct live *l, size_t n, int fd) {
  for (size_t i = 0; i < n; i++)
    if (l->polled[i].fd == fd)
      return l->polled[i].revents;
  return 0;
}

/* Waits until something is said, and takes it. */
static int hear(struct live *l, struct dvm_error *err) {
  size_t n = 0;
  int rc = 0;
  l->polled[n++] = (struct pollfd){.fd = l->ended, .events = POLLIN};
  if (!l->reference.over && live_steps_ahead(&l->reference.steps) < LIVE_LEAD)
    l->polled[n++] = (struct pollfd){.fd = l->reference.from, .events = POLLIN};
  if (!l->nranks || l->nthere < l->nranks)
    l->polled[n++] = (struct pollfd){.fd = l->listening, .events = POLLIN};
  for (size_t r = 0; r < l->nranks; r++)
    if (l->rank[r] && !live_rank_over(l->rank[r]) && live_rank_ahead(l->rank[r]) < LIVE_LEAD)
      l->polled[n++] = (struct pollfd){.fd = live_rank_fd(l->rank[r]), .events = POLLIN};
  if (poll(l->polled + l->over, n - l->over, -1) < 0)
    return errno == EINTR ? 0 : dvm_error_errno(err, "cannot wait for the programs");
  if (!l->reference.over && is_ready(l, n, l->reference.from))
    rc = live_reference_read(&l->reference, err);
  for (size_t r = 0; r < l->nranks && !rc; r++)
    if (l->rank[r] && is_ready(l, n, live_rank_fd(l->rank[r])))
      rc = live_rank_read(l->rank[r], err);
  if (!rc && is_ready(l, n, l->listening))
    rc = accept_rank(l, err);
  for (size_t r = 0; r < l->nranks && !rc; r++)
    if (l->rank[r])
      answer(l, l->rank[r]);
  if (!rc && !l->over && l->polled[0].revents) {
    l->over = true;
    if (read(l->ended, &l->status, sizeof(l->status)) != sizeof(l->status))
      rc = dvm_error_set(err, -ECHILD, "the run could not be started");
  }
  return rc;
}

/* ---- the comparison ----------------------------------------------------------------------------------------------------------------- */

static void let_go(struct live *l) {
  const uint64_t word = 1;
  for (size_t r = 0; r < l->nranks; r++)
    if (l->rank[r] && live_rank_waits(l->rank[r]))
      live_rank_answer(l->rank[r], &word, sizeof(word));
  if (write(l->reference.go, "", 1) < 0)
    l->stop = false; /* it has ended */
}

/* At the first difference: both stand, until they are ended or SIGCONT comes. */
static int hold(struct live *l, struct dvm_error *err) {
  const int run = l->programs->run, reference = l->programs->reference;
  int rc = 0;
  l->stopped = true;
  if (l->reference.over)
    fprintf(stderr, "dvm: the run stands behind this construct, process %d ('dvm debug --attach %d'); 'kill -CONT %d' lets it go on\n", run,
            run, getpid());
  else
    fprintf(
        stderr,
        "dvm: both stand behind this construct: the run, process %d ('dvm debug --attach %d'), and the reference, process %d ('dvm debug "
        "--attach %d'); 'kill -CONT %d' lets them go on\n",
        run, run, reference, reference, getpid());
  while (!rc && !go_on && !l->over)
    rc = hear(l, err);
  return rc;
}

static int told(struct live *l, struct dvm_error *err) {
  if (!l->said && !l->stop && l->reference.over)
    fprintf(stderr, "dvm: the run is process %d, and goes on\n", l->programs->run);
  else if (!l->said && !l->stop)
    fprintf(stderr, "dvm: the run is process %d, the reference %d; both go on\n", l->programs->run, l->programs->reference);
  l->said = true;
  return l->stop && !l->stopped ? hold(l, err) : 0;
}

static const char *place_of(const char *text, char *buf, size_t size) {
  struct dvmt_where w = dvmt_site_where(text);
  snprintf(buf, size, "the construct at %.*s:%u", (int)w.file.n, w.file.s ? w.file.s : "", w.line);
  return buf;
}

/* The reference has ended without a construct: is it a program at all that can be one? */
static int check_reference(struct live *l, struct dvm_error *err) {
  int status = 0;
  if (ours[0] <= 0)
    return 0;
  while (waitpid(ours[0], &status, 0) < 0 && errno == EINTR)
    ;
  ours[0] = 0;
  int own = l->programs->reference_status;
  if (status && WIFEXITED(own) && WEXITSTATUS(own))
    return dvm_error_set(err, -EPROTO, "the reference '%s' ended with status %d, and nothing was recorded", l->o->live, WEXITSTATUS(own));
  return status
             ? dvm_error_set(err, -EPROTO, "the reference '%s' recorded nothing: compile and link it with 'dvmcc -fdvm=trace'", l->o->live)
             : 0;
}

/* What the reference does instead. */
static const char *reference_does(const struct live *l, const struct live_step *a, char *buf, size_t size) {
  const int own = l->programs->reference_status;
  char there[300];
  if (a)
    snprintf(buf, size, "executes %s", place_of(a->text, there, sizeof(there)));
  else if (WIFSIGNALED(own))
    snprintf(buf, size, "was killed by signal %d (%s)", WTERMSIG(own), strsignal(WTERMSIG(own)));
  else
    snprintf(buf, size, "has ended");
  return buf;
}

/* The ranks have executed a construct. */
static int compare_next(struct live *l, struct dvm_error *err) {
  const struct live_step *b = live_steps_first(&l->run), *a;
  uint64_t before = l->found.errors;
  char here[300], there[400], message[800];
  int rc = 0;
  if (l->reference.over && l->reference.pid < 0)
    return 0; /* what follows cannot be compared */
  while (!rc && !(a = live_steps_first(&l->reference.steps)) && !l->reference.over)
    rc = hear(l, err);
  if (!rc && !a && !l->reference.steps.nrow)
    rc = check_reference(l, err);
  b = live_steps_first(&l->run);
  if (rc)
    return rc;
  if (!a || !live_pairs_same(&l->pairs, &l->reference, a->text, b->text)) {
    snprintf(message, sizeof(message), "the run executes %s, where the reference %s; nothing behind it is compared",
             place_of(b->text, here, sizeof(here)), reference_does(l, a, there, sizeof(there)));
    live_compare_structure(&l->found, b->text, "order", b->execution, message);
    rc = told(l, err);
    l->reference.over = true;
    l->reference.pid = -1;
    return rc;
  }
  live_compare_step(&l->found, a, b);
  live_steps_take(&l->reference.steps);
  return l->found.errors > before ? told(l, err) : 0;
}

static int next(void *arg, size_t rank, struct dvmt_join_step *step, struct dvm_error *err) {
  struct live *l = arg;
  int rc = 0;
  while (!rc && live_steps_ahead(&l->run)) {
    rc = compare_next(l, err);
    live_steps_take(&l->run);
    if (!rc && l->stop)
      let_go(l);
  }
  while (!rc && !live_rank_ahead(l->rank[rank]) && !live_rank_over(l->rank[rank]))
    rc = hear(l, err);
  return rc ? rc : live_rank_take(l->rank[rank], step);
}

/* Ranks that do not fit together. */
static void differ(void *arg, const char *text, const char *variable, const char *message) {
  struct live *l = arg;
  struct dvm_error ignored = DVM_ERROR_INIT;
  if (text && dvmt_select_has(&l->o->ignore, variable, text)) {
    l->found.ignored++;
    return;
  }
  live_compare_structure(&l->found, text, variable, 0, message);
  told(l, &ignored);
}

static int finish_compare(struct live *l, struct dvm_error *err) {
  const struct live_step *a = NULL;
  char there[300], message[500];
  int rc = 0;
  while (!rc && live_steps_ahead(&l->run)) {
    rc = compare_next(l, err);
    live_steps_take(&l->run);
  }
  if (!rc && l->stop)
    let_go(l);
  while (!rc && !l->reference.over && !(a = live_steps_first(&l->reference.steps)))
    rc = hear(l, err);
  if (!rc && l->reference.pid > 0 && (a = live_steps_first(&l->reference.steps))) {
    snprintf(message, sizeof(message), "the run ends where the reference goes on with %s", place_of(a->text, there, sizeof(there)));
    live_compare_structure(&l->found, a->text, "end", a->execution, message);
  }
  if (!rc && !l->found.executions && !l->found.errors)
    live_compare_structure(&l->found, NULL, "nothing", 0, "nothing was compared: the two have no construct in common");
  else if (!rc && !l->found.identical && !l->found.within && !l->found.differing)
    live_compare_structure(&l->found, NULL, "nothing", 0,
                           "no values were compared: the two have no sum of an array and no result in common");
  return rc;
}

static int compare(struct live *l, struct dvm_error *err) {
  int rc = 0;
  while (!rc && !l->over && (!l->nranks || l->nthere < l->nranks))
    rc = hear(l, err);
  if (!rc && !l->nranks && l->status)
    return dvmt_launch_nothing(l->pairs.command, l->status, "'dvmcc -fdvm=parallel,trace'", err);
  if (!rc && (!l->nranks || l->nthere < l->nranks))
    return dvm_error_set(err, -EPROTO, "%zu of %zu ranks have come: compile and link the program with 'dvmcc -fdvm=parallel,trace'",
                         l->nthere, l->nranks);
  const struct dvmt_job job = {.nranks = l->nranks, .parallel = true};
  const struct dvmt_join_options options = {.next = next, .shape = l->shape, .differ = differ, .arg = l};
  struct dvmt_join_totals totals;
  if (!rc)
    rc = dvmt_join(&job, &options, &totals, err);
  return rc ? rc : finish_compare(l, err);
}

/* ---- all ---------------------------------------------------------------------------------------------------------------------------- */

static void set_signals(void) {
  struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on}, cont = {.sa_handler = on_continue};
  sigaction(SIGINT, &ignore, NULL);
  sigaction(SIGQUIT, &ignore, NULL);
  sigaction(SIGPIPE, &ignore, NULL);
  sigaction(SIGTERM, &pass, NULL);
  sigaction(SIGHUP, &pass, NULL);
  sigaction(SIGCONT, &cont, NULL);
}

static void say_closing(const struct live_found *f) {
  fprintf(
      stderr, "dvm: compared %llu executions of constructs live: %llu sums and results identical, %llu within tolerance, %llu different",
      (unsigned long long)f->executions, (unsigned long long)f->identical, (unsigned long long)f->within, (unsigned long long)f->differing);
  if (f->ignored)
    fprintf(stderr, "; %llu ignored", (unsigned long long)f->ignored);
  if (f->alone)
    fprintf(stderr, "; %llu sums of the run left out, which the reference does not have", (unsigned long long)f->alone);
  fprintf(stderr, "\n");
}

static void finish(struct live *l) {
  close(l->reference.from);
  close(l->reference.go);
  for (size_t r = 0; r < l->nranks; r++)
    live_rank_destroy(l->rank[r]);
  if (l->listening >= 0)
    close(l->listening);
  if (ours[0] > 0) /* nobody waits for what it would still do */
    kill(ours[0], SIGTERM);
  while (l->launcher > 0 && waitpid(l->launcher, NULL, 0) < 0 && errno == EINTR)
    ;
  while (ours[0] > 0 && waitpid(ours[0], NULL, 0) < 0 && errno == EINTR)
    ;
  if (!l->over && l->ended >= 0 && read(l->ended, &l->status, sizeof(l->status)) != sizeof(l->status))
    l->status = 0;
  close(l->ended);
  live_compare_fini(&l->found);
  live_reference_fini(&l->reference);
  live_pairs_fini(&l->pairs);
  live_steps_fini(&l->run);
  dvmt_shape_destroy(l->shape);
  free(l->rank);
  free(l->polled);
  cc_folder_remove(l->folder);
}

int dvmt_live(struct dvmt_cli *o, const char *reference, bool stop, char *const *command, int *status, struct dvm_error *err) {
  struct live l = {.o = o, .stop = stop, .listening = -1, .ended = -1, .reference = {.from = -1, .go = -1}, .found = {.o = o}};
  if (!dvmt_job_is_parallel(command))
    return dvm_error_set(err, -EINVAL, "'--live' compares a program that was compiled with 'dvmcc -fdvm=parallel,trace', and '%s' is none",
                         command[0]);
  l.pairs.command = command;
  live_steps_init(&l.run);
  live_steps_init(&l.reference.steps);
  l.shape = dvmt_shape_create(&l.run.sink);
  l.polled = malloc(4 * sizeof(*l.polled));
  set_signals();
  int rc = l.shape && l.polled ? cc_folder_create(l.folder, "live", err) : dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc)
    rc = listen_at(&l, err);
  if (!rc)
    rc = start(&l, reference, command, err);
  if (!rc)
    rc = compare(&l, err);
  uint64_t errors = l.found.errors;
  if (rc && l.launcher > 0)
    kill(l.launcher, SIGTERM);
  finish(&l);
  *status = l.status;
  if (rc)
    return rc;
  say_closing(&l.found);
  dvmt_cli_note_unused(o);
  return errors > 0;
}
