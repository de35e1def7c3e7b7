/* dvm-restart: see docs and dvm-restart(1). */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/usage.h"
#include "mpir/commands/commands.h"
#include "mpir/commands/job.h"
#include "mpir/image/job_manifest.h"
#include "mpir/restart/restart.h"

static volatile sig_atomic_t target, early; /* 'early': a signal that came before there was a process */

static const char usage[] =
    "usage: dvm restart [--debug] [--lazy] [--truncate] [--restore-files] [--namespace | --keep-ids] [--detach] [--stats] IMAGE\n"
    "  --debug       hold every thread for a debugger (also --crdebug)\n"
    "  --lazy        load memory when it is first used, verifying it piece by piece\n"
    "  --truncate    truncate files open for writing to their length at the checkpoint\n"
    "  --restore-files  restore lengths, and contents as far as the image has them (--save-files)\n"
    "  --namespace   give the process a pid namespace of its own\n"
    "  --keep-ids    fail if an old process or thread number is in use\n"
    "  --detach      do not wait for the process\n"
    "  --name NAME   of a job: a new name\n"
    "  --hosts HOST[:RANKS],...  of a job: run its ranks on these hosts, under mpirun\n"
    "  --launcher WORDS  use this instead of 'mpirun'\n"
    "  --stats       print how long it took until the process ran\n";

static void pass_on(int sig) {
  if (target)
    kill(target, sig);
  else
    early = sig;
}

/* Terminal signals reach the process by themselves; what is sent to us alone is passed on. */
static void pass_signals(void) {
  const int passed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

  for (size_t i = 0; i < sizeof(passed) / sizeof(passed[0]); i++)
    signal(passed[i], pass_on);
}

/* A group of the restarted processes had the terminal: it has it again, and stops us when it is stopped. */
static void give_terminal(const struct mpir_restarted *r) {
  if (r->foreground && tcgetpgrp(0) == getpgrp()) {
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(0, r->foreground);
  }
}

static void stop_with_it(const struct mpir_restarted *r) {
  if (!r->foreground)
    return;
  tcsetpgrp(0, getpgrp());
  raise(SIGSTOP);
  give_terminal(r);
  kill(-r->foreground, SIGCONT);
}

static int wait_for(const struct mpir_restarted *r) {
  int status = 0;

  signal(SIGINT, r->apart ? pass_on : SIG_IGN);
  signal(SIGQUIT, r->apart ? pass_on : SIG_IGN);
  target = r->pid;
  if (early)
    kill(r->pid, early);
  while (waitpid(r->child, &status, r->foreground ? WUNTRACED : 0) < 0 || WIFSTOPPED(status))
    if (WIFSTOPPED(status))
      stop_with_it(r);
    else if (errno != EINTR)
      return 127;
  while (r->all && (waitpid(-1, NULL, 0) > 0 || errno == EINTR)) /* of a group, others may have no parent but us */
    ;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* All threads wait; the lines are for debuggers, see docs/checkpoint-debugging.md. */
static void announce(const struct mpir_restarted *r) {
  char host[256] = "localhost";

  gethostname(host, sizeof(host) - 1);
  for (size_t i = 0; i == 0 || (r->all && r->all[i]); i++)
    fprintf(stderr, "MPIR_debug_info) %s:%d\n", host, r->all ? r->all[i] : r->pid);
}

static struct timespec began;
static bool stats;

static void tell_time(void) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  if (stats)
    fprintf(stderr, "dvm restart: running after %.1f ms\n",
            (double)(now.tv_sec - began.tv_sec) * 1e3 + (double)(now.tv_nsec - began.tv_nsec) / 1e6);
}

static void announce_job(const struct mpir_restarted *r) {
  tell_time();
  announce(r);
}

static void pass_over(const struct mpir_restarted *r) {
  (void)r;
  tell_time();
}

static void announce_ranks(const struct job *j) {
  const char *host;

  tell_time();
  for (uint32_t i = 0; i < mpir_job_size(j); i++) {
    const int pid = mpir_job_rank_place(j, i, &host);

    if (pid)
      fprintf(stderr, "MPIR_debug_info) %s:%d\n", host, pid);
  }
}

static void pass_over_ranks(const struct job *j) {
  (void)j;
  tell_time();
}

static int restart_job(const char *path, const struct mpir_job_options *job, const struct mpir_restart_options *o) {
  static const struct mpir_job_announce told = {announce_job, announce_ranks}, passed_over = {pass_over, pass_over_ranks};
  struct dvm_error err = DVM_ERROR_INIT;
  int status;

  if (o->detach)
    return dvm_usage_error("restart", "'%s' is a job, whose controller this command becomes: '--detach' cannot be used", path);
  status = mpir_job_restart(path, job, o, o->debug ? &told : &passed_over, &err);
  if (status >= 0)
    return status;
  fprintf(stderr, "dvm restart: error: %s\n", err.text);
  return 1;
}

enum { READ = -1 }; /* no exit status: go on */

/* The command line up to the image.  READ, or the status to end with. */
static int read_options(int argc, char **argv, struct mpir_restart_options *o, struct mpir_job_options *job) {
  enum { DEBUG = 256, LAZY, TRUNCATE, NAMESPACE, KEEP_IDS, DETACH, STATS, NAME, HOSTS, LAUNCHER, RESTORE_FILES, HELP };
  static const struct option options[] = {
      {"debug", 0, NULL, DEBUG},
      {"crdebug", 0, NULL, DEBUG},
      {"lazy", 0, NULL, LAZY},
      {"truncate", 0, NULL, TRUNCATE},
      {"restore-files", 0, NULL, RESTORE_FILES},
      {"namespace", 0, NULL, NAMESPACE},
      {"keep-ids", 0, NULL, KEEP_IDS},
      {"detach", 0, NULL, DETACH},
      {"stats", 0, NULL, STATS},
      {"help", 0, NULL, HELP},
      {"name", 1, NULL, NAME},
      {"hosts", 1, NULL, HOSTS},
      {"launcher", 1, NULL, LAUNCHER},
      {NULL, 0, NULL, 0},
  };
  int c;

  opterr = 0;
  while ((c = getopt_long_only(argc, argv, "+:h", options, NULL)) != -1) {
    switch (c) {
    case DEBUG: o->debug = true; break;
    case LAZY: o->lazy = true; break;
    case RESTORE_FILES: o->restore_files = true; break;
    case TRUNCATE: o->truncate = true; break;
    case NAMESPACE: o->ids = MPIR_IDS_NAMESPACE; break;
    case KEEP_IDS: o->ids = MPIR_IDS_KEEP; break;
    case DETACH: o->detach = true; break;
    case STATS: stats = true; break;
    case NAME:
      if (!mpir_job_name_ok(optarg))
        return dvm_usage_error("restart", "'%s' is not a name of a job: letters, digits, '_', '.' and '-', not a number", optarg);
      job->name = optarg;
      break;
    case HOSTS: job->hosts = optarg; break;
    case LAUNCHER: job->launcher = optarg; break;
    case 'h':
    case HELP: fputs(usage, stdout); return 0;
    default: return dvm_usage_refused("restart", c, argv, options);
    }
  }
  if (argc - optind == 2 &&
      strcmp(argv[optind], "crdebug") == 0) { /* as figure 5.11 of Hursey's thesis has it, see docs/checkpoint-debugging.md */
    o->debug = true;
    optind++;
  }
  if (argc - optind > 1)
    return dvm_usage_error("restart", "expected one image, found '%s' after it", argv[optind + 1]);
  if (optind >= argc) {
    fputs(usage, stderr);
    return 2;
  }
  return READ;
}

static int restart_processes(const char *path, const struct mpir_restart_options *o) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_restarted r;

  if (!o->detach)
    pass_signals();
  if (mpir_restart(path, o, &r, &err)) {
    fprintf(stderr, "dvm restart: error: %s\n", err.text);
    return 1;
  }
  tell_time();
  give_terminal(&r);
  if (o->debug)
    announce(&r);
  if (r.pid != r.inner_pid)
    fprintf(stderr, "dvm restart: note: process %d runs in a pid namespace of its own; from outside it is process %d\n", r.inner_pid,
            r.pid);
  else if (o->detach)
    fprintf(stderr, "dvm restart: note: process %d is running again\n", r.pid);
  return o->detach ? 0 : wait_for(&r);
}

int mpir_restart_main(int argc, char **argv) {
  struct mpir_restart_options o = {.ids = MPIR_IDS_AUTO};
  struct mpir_job_options job = {0};
  const int status = read_options(argc, argv, &o, &job);

  if (status != READ)
    return status;
  clock_gettime(CLOCK_MONOTONIC, &began);
  if (mpir_job_is(argv[optind]))
    return restart_job(argv[optind], &job, &o);
  if (job.name || job.hosts || job.launcher)
    return dvm_usage_error("restart", "'--name', '--hosts' and '--launcher' apply only to a job, which '%s' is not", argv[optind]);
  return restart_processes(argv[optind], &o);
}
