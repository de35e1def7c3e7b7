/* dvm record: runs a program and keeps what it records as a trace. */
#define _GNU_SOURCE
#include "base/output.h"
#include "base/text.h"
#include "base/usage.h"
#include "driver/config.h"
#include "driver/run.h"
#include "driver/trace/command/calibrate.h"
#include "driver/trace/command/config_check.h"
#include "driver/trace/command/files.h"
#include "driver/trace/command/input.h"
#include "driver/trace/command/job_compare.h"
#include "driver/trace/command/launch.h"
#include "driver/trace/command/meta.h"
#include "driver/trace/job/job.h"
#include "driver/trace/job/join.h"
#include "runtime/trace/launcher.h"
#include "runtime/trace/config.h"
#include "driver/trace/format/pack.h"
#include "driver/trace/format/reader.h"
#include "driver/trace/format/writer.h"
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_USAGE = 2 };

static const char help[] =
    "usage: dvm record [-o FILE] [--level LEVEL] [--config FILE] [--codec CODEC] [--calibrate] [--inside] [-v] -- PROGRAM [argument...]\n"
    "\n"
    "Runs a program that was compiled with 'dvmcc -fdvm=trace' and keeps what it does as a trace, the reference\n"
    "for 'dvm compare' and 'dvm diff'.  The exit status is the program's.\n"
    "\n"
    "  -o FILE          the trace (trace.dvmt)\n"
    "  --level LEVEL    none, minimal (constructs and iterations), modify (plus values written; default),\n"
    "                   full (plus values read), checksum (sums of arrays), system (calls of the run-time system)\n"
    "  --config FILE    levels and ranges per construct, start and finish; 'dvm trace config' makes one\n"
    "  --codec CODEC    zstd (default), zlib, none\n"
    "  --calibrate      run the program a second time; what differs between the two runs (clocks, process numbers)\n"
    "                   is noted in the trace, and comparisons ignore it\n"
    "  --inside         record within the program's own process, so that a checkpoint includes the recorder; taken\n"
    "                   for granted with 'dvm run --checkpointable'\n"
    "  -v               say at the end how much was recorded\n"
    "\n"
    "Behind 'mpirun', 'dvm run -n' or another launcher each rank of the job writes a stream of its own, FILE.RANK; at the\n"
    "end they are merged into FILE.  Programs compiled with '-fdvm=parallel' are recorded at level checksum where nothing else is\n"
    "said: system has the directives that each rank came through, with their arguments; minimal counts iterations; modify has the\n"
    "elements that each rank has of the arrays, full each iteration, too.\n";

struct options {
  const char *output, *level, *config;
  const char *job; /* name of the trace of a job: 'output', or without the rank that this command is itself */
  enum dvmt_codec codec;
  bool verbose, inside, calibrate;
  char *const *command;
};

static int usage(const char *what, const char *word) {
  fprintf(stderr, "dvm: error: %s%s%s%s; 'dvm help record' says more\n", what, word ? " '" : "", word ? word : "", word ? "'" : "");
  return EXIT_USAGE;
}

static int read_codec(const char *name, enum dvmt_codec *codec) {
  for (unsigned i = 0; i < DVMT_NCODECS; i++)
    if (!strcmp(name, dvmt_codec_name(i))) {
      *codec = (enum dvmt_codec)i;
      return 0;
    }
  return usage("unknown codec", name);
}

/* "mpirun", "/usr/bin/mpiexec.openmpi", "srun", "dvm run -n 4": each rank records by itself. */
static bool is_launcher(char *const *command) {
  static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun", NULL};
  const char *slash = command[0] ? strrchr(command[0], '/') : NULL, *name = slash ? slash + 1 : command[0];
  for (int i = 0; name && names[i]; i++)
    if (!strncmp(name, names[i], strlen(names[i])) && (!name[strlen(names[i])] || name[strlen(names[i])] == '.'))
      return true;
  bool run = name && (!strcmp(name, "dvm-run") || (!strcmp(name, "dvm") && command[1] && !strcmp(command[1], "run")));
  for (int i = 1; run && command[i] && (command[i][0] == '-' || i == 1); i++)
    if (!strncmp(command[i], "-n", 2))
      return true;
  return false;
}

/* What is not there for jobs is not passed over in silence. */
static int check_job(const struct options *o) {
  int rank, size;
  if (!dvmt_job_is_parallel(o->command) && !is_launcher(o->command))
    return 0;
  if (o->calibrate && dvmt_launcher_rank(&rank, &size))
    return usage("'--calibrate': not by each rank for itself; 'dvm record --calibrate' stands before the launcher", NULL);
  if (o->inside)
    return usage("'--inside': ranks of a job record within their own processes without it", NULL);
  return 0;
}

/* 0, or the exit status. */
static int read_options(struct options *o, int argc, char **argv) {
  static const struct option names[] = {{"level", 1, NULL, 'l'},  {"config", 1, NULL, 'c'}, {"codec", 1, NULL, 'z'},
                                        {"output", 1, NULL, 'o'}, {"inside", 0, NULL, 'i'}, {"calibrate", 0, NULL, 'k'},
                                        {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
  int c, rc = 0;
  *o = (struct options){.output = "trace.dvmt", .codec = DVMT_CODEC_ZSTD};
  opterr = 0;
  while (!rc && (c = getopt_long(argc, argv, "+:o:vh", names, NULL)) >= 0)
    switch (c) {
    case 'o': o->output = optarg; break;
    case 'l':
      o->level = optarg;
      rc = dvmt_level_number(optarg) < 0 ? usage("unknown level", optarg) : 0;
      break;
    case 'c': o->config = optarg; break;
    case 'z': rc = read_codec(optarg, &o->codec); break;
    case 'v': o->verbose = true; break;
    case 'i': o->inside = true; break;
    case 'k': o->calibrate = true; break;
    case 'h': fputs(help, stdout); return -1;
    default: rc = dvm_usage_refused("record", c, argv, names);
    }
  o->command = argv + optind;
  if (!rc)
    rc = check_job(o);
  if (!rc && o->calibrate && o->inside)
    rc = usage("'--calibrate' and '--inside' cannot be used together", NULL);
  if (!rc && !argv[optind])
    rc = usage("'dvm record' needs a program to run", NULL);
  return rc;
}

static void say(const struct options *o, const struct dvmt_totals *t) {
  fprintf(stderr, "dvm: %llu records (%llu values) in '%s': %llu bytes, %.2f per record\n", (unsigned long long)t->records,
          (unsigned long long)t->values, o->output, (unsigned long long)t->file_bytes,
          t->records ? (double)t->file_bytes / (double)t->records : 0);
}

/* Either of 'dvm run --checkpointable dvm record ..' and 'dvm record .. dvm run --checkpointable ..'. */
static bool is_checkpointable(char *const *command) {
  const char *preload = getenv("LD_PRELOAD"), *slash = strrchr(command[0], '/'), *name = slash ? slash + 1 : command[0];
  for (int i = 1; command[i] && (command[i][0] == '-' || i == 1); i++)
    if (!strncmp(command[i], "-n", 2)) /* of a job each rank records by itself in any case */
      return false;
  return (preload && strstr(preload, "libdvmcr.so")) || !strcmp(name, "dvm-run") ||
         (!strcmp(name, "dvm") && command[1] && !strcmp(command[1], "run"));
}

static int record_inside(const struct options *o, const char *meta, struct dvm_error *err) {
  const struct dvmt_launch launch = {.command = o->command, .level = o->level, .config = o->config, .quiet = false};
  if (setenv("DVM_RECORD_META", meta, 1))
    return dvm_error_set(err, -ENOMEM, "out of memory");
  return dvmt_launch_inside(&launch, o->output, dvmt_codec_name(o->codec), o->verbose, err);
}

/* What was recorded before 'part' could not be written any more may be worth hours of a run: it stays, and an older trace of the
 * wanted name beside it.  If it is nothing, nothing is left. */
static void keep_torn(const char *part) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  struct dvmt_summary s = {.records = 0};
  struct dvmt_reader *r = dvmt_reader_open(part, &ignored);
  if (!r || dvmt_reader_summary(r, &s, &ignored) || !s.records)
    unlink(part);
  else
    fprintf(stderr, "note: the first %llu records are in '%s', which can be read as far as it goes\n", (unsigned long long)s.records, part);
  dvmt_reader_close(r);
}

static int no_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) { return (void)sink, (void)def, 0; }
static int no_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) { return (void)sink, (void)def, 0; }
static int no_record(struct dvmt_sink *sink, const struct dvmt_record *r) { return (void)sink, (void)r, 0; }

/* How far all ranks of a run that has gone wrong came. */
static void say_last(const struct dvmt_job *job) {
  struct dvmt_sink nowhere = {.site = no_site, .object = no_object, .record = no_record};
  struct dvmt_join_totals t;
  struct dvm_error ignored = DVM_ERROR_INIT;
  if (dvmt_join(job, &(struct dvmt_join_options){.out = &nowhere}, &t, &ignored))
    return;
  fprintf(stderr,
          *t.last ? "dvm: the last construct that all ranks have executed is %s%s%s\n"
                  : "dvm: no construct is recorded that all ranks have executed%s%s%s\n",
          t.last, *t.parting ? "; " : "", t.parting);
}

/* What the configuration names and no rank has met. */
static void check_config(const struct options *o) {
  struct dvm_error ignored = DVM_ERROR_INIT;
  char *first = NULL;
  if (asprintf(&first, "%s.0", o->job) >= 0)
    dvmt_config_check_file(o->config, first, &ignored);
  free(first);
}

/* The streams of a job's ranks, which they have written by themselves, become one file; those of a job whose ranks each run this command
 * stay.  1; 0: there are none; or -E... */
static int record_job(const struct options *o, const struct dvmt_launch *launch, int status, struct dvm_error *err) {
  struct dvmt_job job;
  int rank, size, rc = 0;
  if (dvmt_launcher_rank(&rank, &size)) {
    bool there = !access(o->output, F_OK);
    if (there && o->verbose)
      fprintf(stderr, "dvm: recorded rank %d of a job in '%s'\n", rank, o->output);
    return there;
  }
  rc = dvmt_job_open_streams(&job, o->job, err);
  if (rc <= 0)
    return rc;
  size_t nranks = job.nranks;
  bool parallel = job.parallel;
  if (status && parallel)
    say_last(&job);
  dvmt_launch_note_killed(status);
  if (o->config)
    check_config(o);
  rc = o->calibrate ? dvmt_calibrate_job(launch, &job, o->codec, err) : 0;
  dvmt_job_close(&job);
  if (!rc)
    rc = dvmt_job_merge(o->job, err);
  fprintf(stderr,
          rc ? "dvm: recorded the %zu rank%s of a job in '%s.0' ..; they are not merged, '%s' names them all the same\n"
             : "dvm: recorded the %zu rank%s of a job in '%s'\n",
          nranks, nranks == 1 ? "" : "s", o->job, o->job);
  return rc ? rc : 1;
}

/* Into 'part', which gets the trace's name when it is whole.  As record. */
static int record_into(const char *part, const struct options *o, const char *meta, struct dvm_error *err) {
  struct dvmt_totals totals;
  int status = 0;
  bool recorded = false;
  struct dvmt_writer *w = dvmt_writer_create_in_place(part, meta, o->codec, err); /* in place of what a recorder that was killed has left */
  if (!w) {
    if (err->code != -EBUSY)
      unlink(part);
    return err->code;
  }
  char *job_meta = dvmt_meta_job(meta);
  const struct dvmt_launch launch = {
      .command = o->command, .level = o->level, .config = o->config, .job = o->job, .codec = dvmt_codec_name(o->codec), .meta = job_meta};
  struct dvmt_input input;
  int rc = o->calibrate ? dvmt_input_begin(&input, err) : 0;
  if (!rc)
    rc = dvmt_launch(&launch, dvmt_writer_sink(w), &status, &recorded, err);
  if (o->calibrate)
    dvmt_input_again(&input);
  struct dvm_error close_err = DVM_ERROR_INIT;
  if (recorded && dvmt_writer_rename(w, o->output))
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  if (WIFEXITED(status))
    dvmt_writer_status(w, WEXITSTATUS(status));
  int close_rc = dvmt_writer_close(w, !rc && WIFEXITED(status), &totals, &close_err);
  if (!recorded) { /* an older trace of that name stays */
    unlink(part);
    if (!rc)
      rc = record_job(o, &launch, status, err);
    free(job_meta);
    return rc > 0 ? dvm_run_end_like(status) : rc ? rc : dvmt_launch_nothing(o->command, status, "'dvmcc -fdvm=trace'", err);
  }
  free(job_meta);
  if (close_rc) {
    fprintf(stderr, "dvm: error: %s\n", close_err.text);
    keep_torn(part);
    return 1;
  }
  if (o->config && dvmt_config_check_file(o->config, o->output, &close_err))
    fprintf(stderr, "dvm: warning: %s\n", close_err.text);
  if (!rc && o->calibrate) {
    const struct dvmt_launch again = {.command = o->command, .level = o->level, .config = o->config, .quiet = true};
    rc = dvmt_calibrate(&again, o->output, meta, o->codec, err);
  }
  if (!rc && o->verbose)
    say(o, &totals);
  return rc ? rc : dvm_run_end_like(status);
}

/* The exit status, or -E.. with the reason. */
static int record(const struct options *o, struct dvm_error *err) {
  struct dvmt_config config = DVMT_CONFIG_INIT;
  struct dvm_text part = DVM_TEXT_INIT;
  /* A mistake in the configuration is told once, here, before anything runs. */
  int rc = o->config ? dvmt_config_read(&config, o->config, err) : 0;
  const char *level = o->level || !config.has_level ? o->level : dvmt_level_name(config.level);
  dvmt_config_fini(&config);
  if (rc || (rc = dvmt_file_replaceable(o->output, err)))
    return rc;
  char *meta = dvmt_meta(o->command, level, o->config, err);
  dvm_text_printf(&part, "%s.part", o->output);
  if (!meta || part.failed)
    rc = meta ? dvm_error_set(err, -ENOMEM, "out of memory") : err->code;
  else if (o->inside || is_checkpointable(o->command))
    rc = record_inside(o, meta, err);
  else
    rc = record_into(dvm_text_str(&part), o, meta, err);
  dvm_text_fini(&part);
  free(meta);
  return rc;
}

static int run(int argc, char **argv) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct options o;
  int rc = read_options(&o, argc, argv);
  if (rc)
    return rc < 0 ? 0 : rc;
  int rank, size;
  char *own = NULL;
  o.job = o.output;
  if (dvmt_launcher_rank(&rank, &size)) { /* one name for all would be no good */
    if (asprintf(&own, "%s.%d", o.output, rank) < 0)
      return usage("out of memory", NULL);
    o.output = own;
  } else {
    dvmt_job_sweep(o.job);
  }
  rc = record(&o, &err);
  free(own);
  if (rc >= 0)
    return rc;
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return rc == -EINVAL ? EXIT_USAGE : 1;
}

int main(int argc, char **argv) {
  dvm_output_begin();
  return dvm_output_end(run(argc, argv));
}
