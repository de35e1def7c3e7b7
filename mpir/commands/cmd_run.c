/* dvm-run --checkpointable: starts a program with the checkpointer preloaded; see dvm-run(1). */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/usage.h"
#include "mpir/commands/commands.h"
#include "mpir/commands/job.h"
#include "mpir/commands/run_replicas.h"
#include "mpir/commands/job_sets.h"
#include "mpir/commands/job_start.h"
#include "mpir/image/job_manifest.h"
#include "mpir/mpi/segment.h"
#include "mpir/commands/list.h"

static const char usage[] =
    "usage: dvm run --checkpointable [OPTIONS] PROGRAM [ARGUMENT...]\n"
    "       dvm run [--checkpointable] -n RANKS [OPTIONS] PROGRAM [ARGUMENT...]\n"
    "a program that can be checkpointed:\n"
    "  --checkpoint-dir FOLDER     folder for images\n"
    "  --checkpoint-every SECONDS  take a checkpoint periodically\n"
    "  --checkpoint-signal NAME    take a checkpoint when this signal arrives (USR1, USR2, ... or a number)\n"
    "  --keep N                    keep the last N images\n"
    "  --all-files                 put mapped files into the images too\n"
    "  --incremental[=N]           save what has changed since the previous image; a full one after every N (16)\n"
    "  --no-fork                   write while the process is stopped\n"
    "  --checkpoint-to FOLDER      a copy of each in a second place\n"
    "  --save-files                the contents of open files too\n"
    "  --strict                    refuse if anything would not be restored as it was\n"
    "an MPI program, on dvm's own message layer:\n"
    "  -n, --np RANKS              number of processes, on this host\n"
    "  --eager-limit BYTES         longer messages wait for their receiver (4096)\n"
    "  --strict                    every message waits for its receiver: reveals deadlocks that only buffering hides\n"
    "  --hosts HOST[:RANKS],...    run on these hosts, under mpirun\n"
    "  --launcher WORDS            use this instead of 'mpirun' with '--hosts' and '--native'\n"
    "  --native                    run on Open MPI itself, under mpirun\n"
    "  --name NAME                 name of the job for 'dvm checkpoint', in addition to this command's process number\n"
    "  --debug                     with '--checkpointable': ranks wait for a debugger, a minute; standard error lists them for "
    "it\n" RUN_REPLICA_USAGE;

static int signal_number(const char *name) {
  char *end;
  long number = strtol(name, &end, 10);

  if (*end == '\0' && number > 0 && number < SIGRTMAX)
    return (int)number;
  if (strncmp(name, "SIG", 3) == 0)
    name += 3;
  for (int sig = 1; sig < 32; sig++) {
    const char *known = sigabbrev_np(sig);

    if (known && strcmp(known, name) == 0 && sig != SIGKILL && sig != SIGSTOP)
      return sig;
  }
  return -1;
}

/* The program's file, looked for as exec does.  -1: exec will say what is wrong. */
static int open_program(const char *name) {
  const char *path = getenv("PATH");
  char file[PATH_MAX];
  int fd = -1;

  if (strchr(name, '/'))
    return open(name, O_RDONLY | O_CLOEXEC);
  while (fd < 0 && path && *path) {
    const char *end = strchrnul(path, ':');

    snprintf(file, sizeof(file), "%.*s/%s", (int)(end - path), path, name);
    if (!access(file, X_OK))
      fd = open(file, O_RDONLY | O_CLOEXEC);
    path = *end ? end + 1 : NULL;
  }
  return fd;
}

static bool holds_checkpointer(const unsigned char *note, size_t size) {
  return memmem(note, size, "DVMCR", 6) != NULL; /* the name of the note that libdvmcr.a puts there */
}

/* Nothing can be preloaded into a program without a dynamic linker; it must hold the checkpointer itself. */
static bool is_static_without(int fd) {
  unsigned char note[4096];
  Elf64_Ehdr eh;
  Elf64_Phdr ph;

  if (fd < 0 || pread(fd, &eh, sizeof(eh), 0) != sizeof(eh) || memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  for (int i = 0; i < eh.e_phnum; i++) {
    ssize_t n;

    if (pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + (uint64_t)i * eh.e_phentsize)) != sizeof(ph) || ph.p_type == PT_INTERP)
      return false;
    n = ph.p_type == PT_NOTE ? pread(fd, note, ph.p_filesz < sizeof(note) ? ph.p_filesz : sizeof(note), (off_t)ph.p_offset) : 0;
    if (n > 0 && holds_checkpointer(note, (size_t)n))
      return false;
  }
  return true;
}

static int set_folder(const char *key, const char *path) {
  char cwd[PATH_MAX] = "", whole[2 * PATH_MAX];

  if (*path != '/' && !getcwd(cwd, sizeof(cwd)))
    return dvm_usage_error("run", "cannot find the folder '%s': the current one is not known: %s", path, strerror(errno));
  snprintf(whole, sizeof(whole), "%s%s%s", *path == '/' ? "" : cwd, *path == '/' ? "" : "/", path);
  return setenv(key, whole, 1) ? dvm_usage_error("run", "cannot hand on the folder '%s': %s", path, strerror(errno)) : 0;
}

/* A value that the library would read as something else than what was meant is refused here. */
static int set_number(const char *key, const char *option, const char *text, unsigned long low) {
  const unsigned long high = 4000000; /* the library counts milliseconds in 32 bits */
  unsigned long n;

  if (!dvm_usage_number(text, low, high, &n))
    return dvm_usage_error("run", "'%s' takes a number from %lu to %lu, not '%s'", option, low, high, text);
  return setenv(key, text, 1) ? dvm_usage_error("run", "cannot hand on '%s': %s", option, strerror(errno)) : 0;
}

static int run_native(const struct mpir_job_options *o, char **argv) {
  char number[16], *words[4096], *launcher = strdup(o->launcher ? o->launcher : "mpirun"), *rest;
  int n = 0;

  for (char *w = strtok_r(launcher, " ", &rest); w && n < 64; w = strtok_r(NULL, " ", &rest))
    words[n++] = w;
  if (!n)
    return dvm_usage_error("run", "'--launcher' names no command");
  snprintf(number, sizeof(number), "%u", o->nranks);
  words[n++] = (char *)(uintptr_t)"-n";
  words[n++] = number;
  if (o->hosts) {
    words[n++] = (char *)(uintptr_t)"--host";
    words[n++] = (char *)(uintptr_t)o->hosts;
  }
  while (*argv && n < 4095)
    words[n++] = *argv++;
  words[n] = NULL;
  execvp(words[0], words);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\nhelp: install the package openmpi-bin, or omit '--native'\n", words[0],
          strerror(errno));
  return 127;
}

static int run_job(struct mpir_job_options *o, bool native, char **argv) {
  char folder[PATH_MAX + 32];

  if (native)
    return run_native(o, argv);
  if (mpir_job_layer(folder, sizeof(folder))) {
    fprintf(stderr, "dvm run: error: the message layer (libmpi.so.40) is neither next to this command nor installed\n"
                    "help: '--native' runs the program on Open MPI itself\n");
    return 1;
  }
  o->library = folder;
  if (o->checkpointable && !o->hosts && mpir_job_preload())
    return 1;
  if (o->hosts && (o->checkpointable || o->replicas) && mpir_job_folder())
    return 1;
  return o->replicas && o->replicas->nodes ? mpir_sets_run(o, argv) : mpir_job_run(o, argv);
}

enum {
  CHECKPOINTABLE = 256,
  FOLDER,
  EVERY,
  SIGNAL,
  KEEP,
  ALL_FILES,
  NO_FORK,
  INCREMENTAL,
  TO,
  SAVE_FILES,
  HELP,
  NP,
  EAGER,
  STRICT,
  NATIVE,
  NAME,
  HOSTS,
  LAUNCHER,
  DEBUG
};
static const struct option options[] = {
    {"checkpointable", 0, NULL, CHECKPOINTABLE},
    {"checkpoint-dir", 1, NULL, FOLDER},
    {"checkpoint-every", 1, NULL, EVERY},
    {"checkpoint-signal", 1, NULL, SIGNAL},
    {"keep", 1, NULL, KEEP},
    {"all-files", 0, NULL, ALL_FILES},
    {"no-fork", 0, NULL, NO_FORK},
    {"incremental", 2, NULL, INCREMENTAL},
    {"checkpoint-to", 1, NULL, TO},
    {"save-files", 0, NULL, SAVE_FILES},
    {"help", 0, NULL, HELP},
    {"np", 1, NULL, NP},
    {"eager-limit", 1, NULL, EAGER},
    {"strict", 0, NULL, STRICT},
    {"native", 0, NULL, NATIVE},
    {"name", 1, NULL, NAME},
    RUN_REPLICA_OPTIONS,
    {"hosts", 1, NULL, HOSTS},
    {"launcher", 1, NULL, LAUNCHER},
    {"debug", 0, NULL, DEBUG},
    {NULL, 0, NULL, 0},
};

enum { EAGER_LIMIT = 4096 };

struct arguments {
  struct mpir_job_options job;
  struct mpir_replicas_options replicas;
  bool checkpointable, native, replicate, of_replicas; /* of_replicas: an option was given that is for replicas alone */
  const char *needs;                                   /* the first option that means nothing without --checkpointable */
};

static int read_signal(void) {
  const int sig = signal_number(optarg);
  char number[16];

  if (sig < 0)
    return dvm_usage_error("run", "'%s' is not a signal that can be caught", optarg);
  snprintf(number, sizeof(number), "%d", sig);
  setenv("DVMCR_SIGNAL", number, 1);
  return 0;
}

static int set_flag(const char *variable) { return setenv(variable, "1", 1) ? 1 : 0; }

/* Options of checkpoints: the program's checkpointer reads the environment. */
static int read_checkpoint_option(int c) {
  switch (c) {
  case FOLDER: return set_folder("DVMCR_DIR", optarg);
  case EVERY: return set_number("DVMCR_EVERY", "--checkpoint-every", optarg, 0);
  case SIGNAL: return read_signal();
  case KEEP: return set_number("DVMCR_KEEP", "--keep", optarg, 1);
  case ALL_FILES: return set_flag("DVMCR_ALL_FILES");
  case NO_FORK: return set_flag("DVMCR_NO_FORK");
  case INCREMENTAL: return set_number("DVMCR_INCREMENTAL", "--incremental", optarg ? optarg : "16", 1);
  case SAVE_FILES: return set_flag("DVMCR_SAVE_FILES");
  case TO:
    if (access(optarg, W_OK | X_OK))
      return dvm_usage_error("run", "'--checkpoint-to': cannot copy to the folder '%s': %s", optarg, strerror(errno));
    return set_folder("DVMCR_TO", optarg);
  default: return 1;
  }
}

/* Options of jobs. */
static int read_job_option(struct arguments *a, int c) {
  unsigned long value;

  switch (c) {
  case 'n':
  case NP:
    if (!dvm_usage_number(optarg, 1, MPL_RANKS_MAX, &value))
      return dvm_usage_error("run", "'-n' takes a number of ranks from 1 to %d, not '%s'", MPL_RANKS_MAX, optarg);
    a->job.nranks = (uint32_t)value;
    return 0;
  case EAGER:
    if (!dvm_usage_number(optarg, 0, 32768, &value))
      return dvm_usage_error("run", "'--eager-limit' takes a number of bytes from 0 to 32768, not '%s'", optarg);
    a->job.eager_limit = (uint32_t)value;
    return 0;
  case STRICT: a->job.strict = true; return 0;
  case NATIVE: a->native = true; return 0;
  case HOSTS: a->job.hosts = optarg; return 0;
  case LAUNCHER: a->job.launcher = optarg; return 0;
  case DEBUG: a->job.debug = true; return set_flag("DVMCR_AWAIT_DEBUGGER");
  default: /* NAME */
    if (!mpir_job_name_ok(optarg))
      return dvm_usage_error("run", "'%s' is not a name of a job: letters, digits, '_', '.' and '-', not a number", optarg);
    a->job.name = optarg;
    return 0;
  }
}

/* 0, or a status to end with; -1: the help was printed. */
static int read_options(int argc, char **argv, struct arguments *a) {
  int c, rc = 0;

  opterr = 0;
  while (!rc && (c = getopt_long(argc, argv, "+:hn:", options, NULL)) != -1) {
    if (c == 'n' && strcmp(optarg, "p") == 0 && optind < argc) /* '-np 4', as for mpirun */
      optarg = argv[optind++];
    if (c == CHECKPOINTABLE) {
      a->checkpointable = true;
    } else if (c > CHECKPOINTABLE && c < HELP) {
      a->needs = a->needs ? a->needs : options[c - CHECKPOINTABLE].name;
      rc = read_checkpoint_option(c);
    } else if (c >= RUN_REPLICATE && c < RUN_REPLICAS_END) {
      a->of_replicas = true;
      rc = mpir_run_replica_option(&a->replicas, &a->replicate, c, optarg);
    } else if (c == 'n' || (c >= NP && c <= DEBUG)) {
      rc = read_job_option(a, c);
    } else if (c == 'h' || c == HELP) {
      fputs(usage, stdout);
      return -1;
    } else {
      return dvm_usage_refused("run", c, argv, options);
    }
  }
  return rc ? rc : mpir_run_replica_check(&a->replicas, a->replicate, a->of_replicas);
}

/* What goes together. */
static int check_options(const struct arguments *a) {
  const struct mpir_job_options *job = &a->job;

  if (a->needs && !a->checkpointable)
    return dvm_usage_error("run", "'--%s' needs '--checkpointable'", a->needs);
  if (!job->nranks && (a->native || job->strict || job->name || job->hosts || job->launcher || job->eager_limit != EAGER_LIMIT))
    return dvm_usage_error(
        "run", "'--native', '--hosts', '--launcher', '--name' and '--eager-limit' need '-n'; '--strict' needs '-n' or '--checkpointable'");
  if (job->launcher && !job->hosts && !a->native)
    return dvm_usage_error("run", "'--launcher' needs '--hosts' or '--native': ranks on this host alone need no launcher");
  if (job->debug && (!job->nranks || !a->checkpointable || a->native || a->replicate || job->hosts))
    return dvm_usage_error("run",
                           "'--debug' needs '--checkpointable' and '-n', and cannot be used with '--replicate' or '--hosts'; a debugger\n"
                           "that starts the ranks itself needs no option: 'dvm debug -- dvm run -n 4 PROGRAM'");
  if (a->native && a->checkpointable)
    return dvm_usage_error("run", "a job on Open MPI itself cannot be checkpointed; omit '--native' or '--checkpointable'");
  if (a->replicate && (!job->nranks || a->native))
    return dvm_usage_error("run", "'--replicate' needs '-n' and cannot be used with '--native'");
  if (a->replicate && !job->hosts != !a->replicas.nodes)
    return dvm_usage_error("run", job->hosts
                                      ? "'--replicate' with '--hosts' needs '--placement nodes': shadows on other hosts than their mains"
                                      : "'--placement nodes' needs '--hosts'");
  return 0;
}

/* One process, in place of this command. */
static int run_process(char **argv) {
  const int fd = open_program(argv[0]);

  if (is_static_without(fd)) {
    fprintf(stderr,
            "dvm run: error: '%s' is statically linked, so nothing can be preloaded\n"
            "help: link it with libdvmcr.a ('-static ... -ldvmcr')\n",
            argv[0]);
    return 1;
  }
  if (fd >= 0)
    close(fd);
  if (mpir_job_preload())
    return 1;
  execvp(argv[0], argv);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", argv[0], strerror(errno));
  return 127;
}

int mpir_run_main(int argc, char **argv) {
  struct arguments a = {.job = {.eager_limit = EAGER_LIMIT},
                        .replicas = {.mode = REPLICA_CRASH, .refresh = true, .determinants = REPLICA_ALL_DETERMINANTS}};
  int rc = read_options(argc, argv, &a);

  if (rc)
    return rc < 0 ? 0 : rc;
  if (a.checkpointable && a.job.strict && !a.job.nranks) {
    setenv("DVMCR_STRICT", "1", 1);
    a.job.strict = false;
  }
  if (optind >= argc && !(a.needs && !a.checkpointable)) {
    fputs(usage, stderr);
    return 2;
  }
  rc = check_options(&a);
  if (rc)
    return rc;
  a.job.checkpointable = a.checkpointable;
  a.job.replicas = a.replicate ? &a.replicas : NULL;
  return a.job.nranks ? run_job(&a.job, a.native, argv + optind) : run_process(argv + optind);
}
