/* dvm-checkpoint: takes, lists, shows and converts images; see dvm-checkpoint(1). */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/output.h"
#include "base/path.h"
#include "base/usage.h"
#include "mpir/commands/actions.h"
#include "mpir/commands/client.h"
#include "mpir/commands/commands.h"
#include "mpir/commands/copy.h"
#include "mpir/image/compress.h"
#include "mpir/commands/job_client.h"
#include "mpir/commands/list.h"

#define COPY_FAILED 3 /* exit status: the image is whole, its copy is not */

static int fail(const struct dvm_error *err) {
  fprintf(stderr, "dvm checkpoint: error: %s\n", err->text);
  return 1;
}

/* The process has its own working folder: what the user types is made absolute here. */
static int absolute(const char *path, char *out, size_t size) {
  char cwd[PATH_MAX];
  struct stat st;
  bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
  size_t len = strlen(path);
  int n;

  if (*path != '/' && !getcwd(cwd, sizeof(cwd)))
    return -errno;
  n = snprintf(out, size, "%s%s%s%s", *path == '/' ? "" : cwd, *path == '/' ? "" : "/", path,
               folder && len && path[len - 1] != '/' ? "/" : "");
  return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

static void report(const struct crs_reply *reply, bool stats) {
  mpir_list_quote(stdout, reply->path);
  putchar('\n');
  fflush(stdout);
  /* The prefixed line is for debuggers; the rest of it is an argument of the restart command. */
  fputs("MPIR_checkpoint_handle) ", stderr);
  mpir_list_quote(stderr, reply->path);
  putc('\n', stderr);
  if (stats)
    fprintf(stderr,
            "dvm checkpoint: %u threads stopped in %.3f ms, released after %.3f ms, complete after %.1f ms; "
            "%.1f MiB of data\n",
            reply->threads - 1, reply->stop_ns / 1e6, reply->held_ns / 1e6, reply->total_ns / 1e6, (double)reply->data_size / (1 << 20));
}

struct arguments {
  struct crs_request request;
  enum mpir_codec codec;
  bool list, stats, for_debugger, answer; /* answer: as the checkpointer of the process that has started us reads it */
  enum mpir_scope scope;
  unsigned long jobid;
  const char *ranks;
  char to[PATH_MAX]; /* folder of the second place, or "" */
};

static int read_number(const char *option, unsigned long low, uint32_t *to) {
  unsigned long n;

  if (!dvm_usage_number(optarg, low, UINT32_MAX, &n))
    return dvm_usage_error("checkpoint", "'%s' takes a number of at least %lu, not '%s'", option, low, optarg);
  *to = (uint32_t)n;
  return 0;
}

static int read_codec(enum mpir_codec *codec) {
  *codec = optarg && strcmp(optarg, "zlib") == 0 ? MPIR_CODEC_ZLIB : MPIR_CODEC_ZSTD;
  return !optarg || strcmp(optarg, "zlib") == 0 || strcmp(optarg, "zstd") == 0
             ? 0
             : dvm_usage_error("checkpoint", "'--compress' takes zstd or zlib, not '%s'", optarg);
}

enum {
  ALL_FILES = 256,
  NO_FORK,
  NO_SYNC,
  ALLOW_TRACED,
  IGNORE_FILES,
  KEEP,
  TIMEOUT,
  COMPRESS,
  STATS,
  KILL,
  CRDEBUG,
  JOBID,
  TREE,
  GROUP,
  SESSION,
  ALONE,
  SOCKETS,
  INCREMENTAL,
  ANSWER,
  RANKS,
  STRICT,
  SAVE_FILES,
  TO,
  HELP
};
static const struct option options[] = {
    {"tree", 0, NULL, TREE},
    {"sockets", 1, NULL, SOCKETS},
    {"answer", 0, NULL, ANSWER},
    {"strict", 0, NULL, STRICT},
    {"save-files", 0, NULL, SAVE_FILES},
    {"to", 1, NULL, TO},
    {"incremental", 2, NULL, INCREMENTAL},
    {"group", 0, NULL, GROUP},
    {"session", 0, NULL, SESSION},
    {"alone", 0, NULL, ALONE},
    {"output", 1, NULL, 'o'},
    {"list", 0, NULL, 'l'},
    {"all-files", 0, NULL, ALL_FILES},
    {"no-fork", 0, NULL, NO_FORK},
    {"no-sync", 0, NULL, NO_SYNC},
    {"allow-traced", 0, NULL, ALLOW_TRACED},
    {"ignore-files", 0, NULL, IGNORE_FILES},
    {"keep", 1, NULL, KEEP},
    {"timeout", 1, NULL, TIMEOUT},
    {"compress", 2, NULL, COMPRESS},
    {"stats", 0, NULL, STATS},
    {"crdebug", 0, NULL, CRDEBUG},
    {"kill", 0, NULL, KILL},
    {"ranks", 1, NULL, RANKS},
    {"hnp-jobid", 1, NULL, JOBID},
    {"help", 0, NULL, HELP},
    {NULL, 0, NULL, 0},
};

static const struct {
  int option;
  uint32_t flag;
} flags[] = {{ALL_FILES, CRS_ALL_FILES},       {NO_FORK, CRS_NO_FORK},     {NO_SYNC, CRS_NO_SYNC},       {ALLOW_TRACED, CRS_ALLOW_TRACED},
             {IGNORE_FILES, CRS_IGNORE_FILES}, {STRICT, CRS_STRICT},       {SAVE_FILES, CRS_SAVE_FILES}, {INCREMENTAL, CRS_INCREMENTAL},
             {SOCKETS, CRS_RESET_SOCKETS},     {CRDEBUG, CRS_FOR_DEBUGGER}};

static const struct {
  int option;
  enum mpir_scope scope;
} scopes[] = {{TREE, MPIR_SCOPE_TREE}, {GROUP, MPIR_SCOPE_GROUP}, {SESSION, MPIR_SCOPE_SESSION}, {ALONE, MPIR_SCOPE_PROCESS}};

static int read_path(const char *what, char *to, size_t size) {
  return *optarg && !absolute(optarg, to, size) ? 0 : dvm_usage_error("checkpoint", "'%s' cannot be the path of %s", optarg, what);
}

static int read_option(int c, struct arguments *a) {
  switch (c) {
  case 'o': return read_path("an image", a->request.path, sizeof(a->request.path));
  case TO: return read_path("a folder", a->to, sizeof(a->to));
  case 'l': a->list = true; break;
  case ANSWER: a->answer = true; break;
  case STATS: a->stats = true; break;
  case CRDEBUG: a->for_debugger = true; break;
  case RANKS: a->ranks = optarg; break;
  case KILL: a->request.signal = SIGKILL; break;
  case KEEP: return read_number("--keep", 1, &a->request.keep);
  case TIMEOUT: return read_number("--timeout", 1, &a->request.stop_timeout_ms);
  case COMPRESS: return read_codec(&a->codec);
  case INCREMENTAL: return optarg ? read_number("--incremental", 1, &a->request.whole_every) : 0;
  case SOCKETS: return strcmp(optarg, "reset") ? dvm_usage_error("checkpoint", "'--sockets' takes reset, not '%s'", optarg) : 0;
  case JOBID:
    return dvm_usage_number(optarg, 1, INT_MAX, &a->jobid) ? 0 : dvm_usage_error("checkpoint", "'%s' is not a process number", optarg);
  case 'h':
  case HELP: fputs(mpir_checkpoint_usage, stdout); exit(dvm_output_end(0));
  default: break;
  }
  return 0;
}

static int parse(int argc, char **argv, struct arguments *a) {
  int c, rc = 0;

  opterr = 0;
  while (!rc && (c = getopt_long_only(argc, argv, ":hlo:", options, NULL)) != -1) {
    if (c == '?' || c == ':')
      return dvm_usage_refused("checkpoint", c, argv, options);
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
      a->request.flags |= flags[i].option == c ? flags[i].flag : 0;
    for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++)
      if (scopes[i].option == c)
        a->scope = scopes[i].scope;
    rc = read_option(c, a);
  }
  return rc;
}

static int list_main(int argc, char **argv, const struct arguments *a) {
  struct dvm_error err = DVM_ERROR_INIT;
  char folder[PATH_MAX];

  if (argc - optind > 1)
    return dvm_usage_error("checkpoint", "expected one folder, found '%s' after it", argv[optind + 1]);
  if (optind < argc && access(argv[optind], F_OK)) { /* the usual folder comes with the first image */
    dvm_error_errno(&err, "cannot read the folder '%s'", argv[optind]);
    return fail(&err);
  }
  if (mpir_list_folder(folder, sizeof(folder)))
    return 1;
  return mpir_list(optind < argc ? argv[optind] : folder, a->for_debugger, &err) ? fail(&err) : 0;
}

static int told(const struct arguments *a, const struct dvm_error *err) {
  if (a->answer) {
    printf("failed: %d %s\n", err->code == CRS_CAME_BACK ? EBUSY : -err->code, err->text);
    return 1;
  }
  fail(err);
  if (strstr(err->text, "descriptor "))
    fputs("help: close it before the checkpoint, or leave such descriptors out of the image with '--ignore-files'\n", stderr);
  return 1;
}

/* Also CRS_CAME_BACK, with nothing said, if this is not the last try. */
static int take_job(const struct arguments *a, int connection, const struct job_answer *job, bool last, struct crs_reply *reply) {
  const struct mpir_job_save save = {.ranks = a->ranks, .codec = a->codec};
  struct crs_request request = a->request;
  struct dvm_error err = DVM_ERROR_INIT;

  if (job->code == -EOPNOTSUPP) {
    dvm_error_set(&err, job->code, "the job is not checkpointable (start it with 'dvm run --checkpointable -n %u')", job->nranks);
    return told(a, &err);
  }
  if (a->request.flags & CRS_INCREMENTAL)
    return dvm_usage_error("checkpoint", "a job is saved as a whole: '--incremental' cannot be used");
  const int rc = mpir_job_checkpoint(connection, &save, &request, reply, &err);
  return rc == CRS_CAME_BACK && !last ? rc : rc ? told(a, &err) : 0;
}

static int take_process(const struct arguments *a, const char *word, pid_t pid, struct crs_reply *reply) {
  struct crs_request request = a->request;
  struct dvm_error err = DVM_ERROR_INIT;

  if (!pid) {
    if (!mpir_job_name_ok(word))
      return dvm_usage_error("checkpoint", "'%s' is not a process number, nor a name that a job could have", word);
    dvm_error_set(&err, -ESRCH, "there is no job '%s'", word);
    return told(a, &err);
  }
  if (a->ranks)
    return dvm_usage_error("checkpoint", "'--ranks' applies only to a job, which process %d is not", pid);
  if (mpir_client_checkpoint(pid, a->scope, &request, reply, &err))
    return told(a, &err);
  if (a->codec && mpir_each_image(reply->path, mpir_compress_one, (void *)(uintptr_t)&a->codec,
                                  &err)) /* the process may be gone: it is the only image */
    fprintf(stderr, "dvm checkpoint: warning: the image is left as it is: %s\n", err.text);
  return 0;
}

/* What will not come back as it was. */
static void report_notices(const struct crs_reply *reply, bool answer) {
  const char *line = reply->text;

  for (; *line; line += strcspn(line, "\n"), line += *line == '\n')
    fprintf(answer ? stdout : stderr, "%snote: %.*s\n", answer ? "" : "dvm checkpoint: ", (int)strcspn(line, "\n"), line);
}

/* The process runs on meanwhile, and the image is safe. */
static int copy(const struct arguments *a, const char *path) {
  struct dvm_error err = DVM_ERROR_INIT;

  fflush(stdout);
  if (!mpir_copy_to(path, a->to, a->request.keep, &err))
    return 0;
  fail(&err);
  return COPY_FAILED;
}

/* 'word': what stands on the command line, or NULL: the number of '--hnp-jobid'. */
static int take(const struct arguments *a, const char *word) {
  static struct job_answer job;
  static struct crs_reply reply;
  struct dvm_error err = DVM_ERROR_INIT;
  unsigned long pid = a->jobid;
  char number[16];
  int connection, tries = CRS_TRIES, rc;

  snprintf(number, sizeof(number), "%lu", pid);
  if (word && !dvm_usage_number(word, 1, INT_MAX, &pid))
    pid = 0;
  do {
    connection = a->scope == MPIR_SCOPE_AUTO ? mpir_job_connect(word ? word : number, &job, &err) : -ENOENT;
    if (connection < 0 && connection != -ENOENT)
      return told(a, &err);
    rc = connection < 0 ? take_process(a, word, (pid_t)pid, &reply) : take_job(a, connection, &job, --tries == 0, &reply);
  } while (rc == CRS_CAME_BACK);
  if (rc)
    return rc;
  report_notices(&reply, a->answer);
  if (a->answer)
    printf("done: %s\n", reply.path);
  else
    report(&reply, a->stats);
  return a->to[0] ? copy(a, reply.path) : 0;
}

int mpir_checkpoint_main(int argc, char **argv) {
  static struct arguments a;
  struct dvm_error err = DVM_ERROR_INIT;
  unsigned long pid;
  int status;

  dvm_output_begin();
  if (mpir_action(argc, argv, &status))
    return status;
  if (parse(argc, argv, &a))
    return 2;
  if (a.list)
    return list_main(argc, argv, &a);
  pid = a.jobid;
  if (argc - optind > 1)
    return dvm_usage_error("checkpoint", "expected one process, found '%s' after it", argv[optind + 1]);
  if (optind >= argc && !pid) {
    fputs(mpir_checkpoint_usage, stderr);
    return 2;
  }
  if (a.request.path[0] && dvm_path_replaceable(a.request.path, &err) == -EPERM) /* into a folder is well */
    return fail(&err);
  if (a.to[0] && mpir_copy_check(a.to, a.request.path, &err)) /* before anything is saved */
    return fail(&err);
  return take(&a, optind < argc ? argv[optind] : NULL);
}
