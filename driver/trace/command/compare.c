/* dvm compare: compares a run with a reference while it runs. */
#define _GNU_SOURCE
#include "base/output.h"
#include "driver/run.h"
#include "driver/trace/command/bisect.h"
#include "driver/trace/command/config_check.h"
#include "driver/folder.h"
#include "driver/trace/command/calibrate.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/job_levels.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/live.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/command/html.h"
#include "driver/trace/command/options.h"
#include "driver/trace/command/source.h"
#include "runtime/trace/config.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: dvm compare [option...] REFERENCE -- PROGRAM [argument...]\n"
    "       dvm compare [option...] --live 'REFERENCE-PROGRAM [argument...]' -- LAUNCHER PROGRAM [argument...]\n"
    "\n"
    "Runs a program that was compiled with 'dvmcc -fdvm=trace' and compares what it does with a reference that\n"
    "'dvm record' made, while it runs: the first difference with its place, construct, iteration and values, then for\n"
    "each variable, how many values differ and by how much, and the order in which the variables first differed.\n"
    "The exit status is the program's, or 66 if something differs.\n"
    "\n"
    "  --bisect           the reference has sums of arrays only (level checksum): run both programs again, recording one\n"
    "                     construct, until the first value beyond the tolerance is found\n"
    "  --live COMMAND     the reference is a program, compiled with 'dvmcc -fdvm=trace', that runs beside a parallel one: no\n"
    "                     trace is written, and the first difference is told while both run\n"
    "  --stop             with --live: both programs are held at the first difference; 'dvm debug --attach' takes them up\n"
    "  --flags A B        compile a program with two sets of flags and report which of its objects and functions cause\n"
    "                     the difference: 'dvm compare --flags --help'\n"
    "\n"
    "PROGRAM may be a launcher: 'dvm compare ref.dvmt -- mpirun -n 4 ./prog'.  A program compiled with 'dvmcc -fdvm=parallel'\n"
    "is compared on any number of ranks with a reference of level checksum, modify or full; --bisect names the element,\n"
    "its rank and the iteration, and so does one run where a configuration gives a construct level modify.  Programs that\n"
    "call MPI themselves are compared rank by rank.\n"
    "\n";

/* The run is recorded as the reference was. */
static const char *level_of(const struct dvmt_reader *r) {
  const char *level = dvmt_reader_meta(r, "level");
  int n = level ? dvmt_level_number(level) : -1;
  return n < 0 ? NULL : dvmt_level_name((enum dvmt_level)n);
}

/* What the reference was made of: whether it is whole, and its size.  0, or -E... */
static int look_at(struct dvmt_cli *o, struct dvmt_reader *a, const char *path, struct dvm_error *err) {
  struct dvmt_summary s;
  int rc = dvmt_reader_summary(a, &s, err);
  if (!rc)
    rc = dvmt_file_note_damage(path, a, err);
  if (!rc && !s.whole)
    fprintf(stderr, "dvm: warning: '%s' is torn: compared as far as it goes\n", path);
  if (!rc)
    o->compare.cut = !s.whole ? "is torn" : !s.complete ? "was cut before its program ended" : NULL;
  o->report.records = s.records;
  o->reference_status = rc ? -1 : s.status;
  return rc;
}

/* The run is recorded as the reference was, with the configuration that it holds, unless the user has another; 'path' gets the name of a
 * temporary file, which is to be removed, or is empty. */
static int configure(struct dvmt_cli *o, const struct dvmt_reader *a, struct dvmt_config *was, char path[CC_TEMPORARY_MAX],
                     struct dvm_error *err) {
  char *text = dvmt_meta_config(a);
  int rc = dvmt_meta_recorded(a, was, err), fd;
  *path = 0;
  if (!rc && o->config_path) {
    if (!o->config.has_level)
      o->config.level = was->level;
    o->compare.reference_recorded = was;
    o->compare.run_recorded = &o->config;
  } else if (!rc && text) {
    rc = cc_temporary_name(path, "compare", err);
    fd = rc ? -1 : mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
    if (rc)
      ;
    else if (!f || fputs(text, f) < 0)
      rc = dvm_error_errno(err, "cannot write '%s'", path);
    if (f && fclose(f) && !rc)
      rc = dvm_error_errno(err, "cannot write '%s'", path);
  }
  free(text);
  return rc;
}

/* Nothing came through the ring: ranks that are processes of their own leave streams at 'job'. */
static int explain_nothing(const char *job, char *const *command, int status, struct dvm_error *err) {
  struct dvmt_job streams;
  int rc = dvmt_job_open_streams(&streams, job, err);
  if (rc <= 0)
    return rc < 0 ? rc : dvmt_launch_nothing(command, status, "'dvmcc -fdvm=trace'", err);
  rc =
      dvm_error_set(err, -EINVAL,
                    "the run is one of %zu processes that are not parallel by their directives ('-fdvm=parallel,trace'): they are compared "
                    "with a reference of as many",
                    streams.nranks);
  dvmt_job_close(&streams);
  return rc;
}

static int compare(struct dvmt_cli *o, const char *path, char *const *command, int *status, struct dvm_error *err) {
  struct dvmt_reader *a = dvmt_file_open(path, err);
  struct dvmt_html *html = o->html ? dvmt_html_create() : NULL;
  char cut[64];
  if (html) {
    o->compare.spot = dvmt_html_spot;
    o->compare.spot_arg = html;
  }
  int64_t errors = 0;
  bool recorded = false;
  char config[CC_TEMPORARY_MAX] = "", folder[CC_TEMPORARY_MAX] = "", job[CC_TEMPORARY_MAX + 8];
  struct dvmt_config was = DVMT_CONFIG_INIT;
  int rc = a ? look_at(o, a, path, err) : err->code;
  if (!rc)
    rc = dvmt_calibrated(a, &o->ignore, err);
  if (!rc)
    rc = configure(o, a, &was, config, err);
  if (!rc)
    rc = cc_folder_create(folder, "compare", err);
  snprintf(job, sizeof(job), "%s/run", folder);
  struct dvmt_compare *c = rc ? NULL : dvmt_compare_create(a, &o->compare);
  if (!rc && !c)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (!rc) {
    const struct dvmt_launch launch = {.command = command,
                                       .level = o->config.has_level ? NULL : level_of(a),
                                       .config = *config ? config : o->config_path,
                                       .job = job,
                                       .meta = "",
                                       .quiet = false};
    rc = dvmt_launch(&launch, dvmt_compare_sink(c), status, &recorded, err);
  }
  if (!rc && !recorded)
    rc = explain_nothing(job, command, *status, err);
  if (!rc && WIFEXITED(*status))
    dvmt_compare_statuses(c, o->reference_status, WEXITSTATUS(*status));
  if (!rc)
    rc = dvmt_compare_end(c, dvmt_launch_cut(*status, cut, sizeof(cut)), false, err);
  if (!rc && (errors = dvmt_report_close(&o->report, c, err)) < 0)
    rc = (int)errors;
  if (!rc)
    dvmt_cli_note_unused(o);
  if (!rc && o->config_path)
    dvmt_config_check(o->config_path, &o->config, a, true, false);
  if (rc >= 0 && html) {
    const struct dvmt_html_of of = {command, path, o->report.closing};
    int html_rc = dvmt_html_write(html, (const struct dvmt_compare *const *)&c, 1, &of, o->html, err);
    rc = html_rc ? html_rc : rc;
  }
  if (*config)
    unlink(config);
  if (*folder)
    cc_folder_remove(folder);
  dvmt_html_destroy(html);
  dvmt_compare_destroy(c);
  dvmt_config_fini(&was);
  dvmt_reader_close(a);
  return rc ? rc : errors > 0;
}

/* 'dvm compare --flags ..' is a program of its own, beside this one. */
static int start_flags(char **argv) {
  static char path[4200];
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  char *slash = n > 0 ? (self[n] = 0, strrchr(self, '/')) : NULL;
  snprintf(path, sizeof(path), "%.*s/dvm-flags", slash ? (int)(slash - self) : 1, slash ? self : ".");
  execv(path, argv);
  fprintf(stderr, "dvm: error: cannot run '%s': %s\n", path, strerror(errno));
  return 1;
}

static bool wants_flags(char **argv) {
  for (int i = 1; argv[i] && strcmp(argv[i], "--"); i++)
    if (!strcmp(argv[i], "--flags"))
      return true;
  return false;
}

static int end(struct dvmt_cli *o, int rc, int status, const struct dvm_error *err) {
  int exitcode = o->exitcode;
  dvmt_source_forget();
  dvmt_cli_fini(o);
  if (rc < 0) {
    fprintf(stderr, "dvm: error: %s\n", err->text);
    return rc == -EINVAL ? 2 : 1;
  }
  return rc && WIFEXITED(status) ? exitcode : dvm_run_end_like(status);
}

static int run_live(struct dvmt_cli *o, char *const *command) {
  struct dvm_error err = DVM_ERROR_INIT;
  int status = 0;
  if (!o->live)
    return dvmt_cli_usage(o, "'--stop' holds the programs of '--live'", NULL);
  if (o->bisect || o->html || o->report.nfiles || o->compare.partial || o->compare.window_bytes || o->compare.digits)
    return dvmt_cli_usage(
        o, "'--live' compares by sums: '--bisect', '--html', '--report', '--partial', '--window' and '--digits' need a trace", NULL);
  if (dvmt_job_levels_has(&o->config))
    return dvmt_cli_usage(o, "'--live' compares by sums: of '--config' the lines 'tolerance' count alone; levels need a trace", NULL);
  bool accepts = false;
  for (size_t i = 0; i < DVMT_NDOUBTS; i++)
    accepts |= o->compare.accept[i];
  if (accepts || o->compare.nrenames)
    return dvmt_cli_usage(o, "'--live' accepts no doubts and pairs no other names: '--accept' and '--rename' need a trace", NULL);
  o->report.reference = o->live;
  o->report.run = *command;
  dvmt_source_program(command, NULL);
  int rc = dvmt_live(o, o->live, o->stop, command, &status, &err);
  return end(o, rc, status, &err);
}

static int run(int argc, char **argv) {
  if (wants_flags(argv))
    return start_flags(argv);
  struct dvmt_cli o = {.name = "compare", .help = help};
  struct dvm_error err = DVM_ERROR_INIT;
  int status = 0, rc = dvmt_cli_read(&o, argc, argv);
  if (rc)
    return rc < 0 ? 0 : rc;
  char **command = argv + optind + (optind < argc && !o.live);
  if (*command && !strcmp(*command, "--"))
    command++;
  if (!*command || (!o.live && command == argv + optind))
    return dvmt_cli_usage(&o, "'dvm compare' needs a reference and a program to run", NULL);
  if (o.live || o.stop)
    return run_live(&o, command);
  o.report.reference = argv[optind];
  o.report.run = *command;
  dvmt_source_program(command, NULL);
  struct dvmt_job job;
  int is_job = dvmt_job_open(&job, argv[optind], &err);
  if (is_job < 0)
    rc = is_job;
  else if (is_job || dvmt_job_is_parallel(command))
    rc = dvmt_job_compare(&o, argv[optind], &job, command, &status, &err);
  else
    rc = o.bisect ? dvmt_bisect(&o, argv[optind], command, &status, &err) : compare(&o, argv[optind], command, &status, &err);
  if (is_job > 0)
    dvmt_job_close(&job);
  return end(&o, rc, status, &err);
}

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(run(argc, argv));
}
