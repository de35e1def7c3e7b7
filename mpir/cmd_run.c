/* dvm-run --checkpointable: starts a program with the checkpointer preloaded; see dvm-run(1). */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mpir/commands.h"
#include "mpir/list.h"

static const char usage[] =
  "usage: dvm run --checkpointable [OPTIONS] PROGRAM [ARGUMENT...]\n"
  "  --checkpoint-dir FOLDER     where images go\n"
  "  --checkpoint-every SECONDS  take one again and again\n"
  "  --checkpoint-signal NAME    take one when this signal comes (USR1, USR2, ... or a number)\n"
  "  --keep N                    keep the last N images\n"
  "  --all-files                 put mapped files into the images too\n"
  "  --no-fork                   write while the process stands still\n";

static int signal_number(const char *name)
{
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

/* The library lies beside the command in a build folder, else where it was installed: BIN/../LIB. */
static int find_library(char *folder, size_t folder_size, char *library, size_t size)
{
  static const char *const places[] = { "%s/libdvmcr.so", "%s/../" DVM_LIBRARY_FOLDER "/libdvmcr.so" };
  ssize_t n = readlink("/proc/self/exe", folder, folder_size - 1);
  char *slash;

  if (n < 0)
    return -errno;
  folder[n] = '\0';
  slash = strrchr(folder, '/');
  if (slash)
    *slash = '\0';
  for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    int len = snprintf(library, size, places[i], folder);

    if (len > 0 && (size_t)len < size && access(library, R_OK) == 0)
      return 0;
  }
  return -ENOENT;
}

static int preload(void)
{
  char folder[PATH_MAX], library[PATH_MAX + 64], checkpoints[PATH_MAX];
  const char *before = getenv("LD_PRELOAD");
  char *all;

  if (find_library(folder, sizeof(folder), library, sizeof(library))) {
    fprintf(stderr, "dvm run: error: libdvmcr.so is not beside this command and not installed\n");
    return -ENOENT;
  }
  if (asprintf(&all, "%s%s%s", library, before && *before ? ":" : "", before ? before : "") < 0)
    return -ENOMEM;
  setenv("LD_PRELOAD", all, 1);
  setenv("DVMCR_BINDIR", folder, 1);
  if (!mpir_list_folder(checkpoints, sizeof(checkpoints)))
    setenv("DVMCR_DIR", checkpoints, 0);
  free(all);
  return 0;
}

static int set_folder(const char *path)
{
  char cwd[PATH_MAX], whole[2 * PATH_MAX];

  if (!getcwd(cwd, sizeof(cwd)))
    return -errno;
  snprintf(whole, sizeof(whole), "%s%s%s", *path == '/' ? "" : cwd, *path == '/' ? "" : "/", path);
  return setenv("DVMCR_DIR", whole, 1) ? -errno : 0;
}

int mpir_run_main(int argc, char **argv)
{
  enum { CHECKPOINTABLE = 256, FOLDER, EVERY, SIGNAL, KEEP, ALL_FILES, NO_FORK, HELP };
  static const struct option options[] = {
    { "checkpointable", 0, NULL, CHECKPOINTABLE }, { "checkpoint-dir", 1, NULL, FOLDER },
    { "checkpoint-every", 1, NULL, EVERY }, { "checkpoint-signal", 1, NULL, SIGNAL }, { "keep", 1, NULL, KEEP },
    { "all-files", 0, NULL, ALL_FILES }, { "no-fork", 0, NULL, NO_FORK }, { "help", 0, NULL, HELP }, { NULL, 0, NULL, 0 },
  };
  char number[16];
  int c, sig;

  while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
    switch (c) {
    case CHECKPOINTABLE: break;
    case FOLDER:
      if (set_folder(optarg))
        return 2;
      break;
    case EVERY: setenv("DVMCR_EVERY", optarg, 1); break;
    case SIGNAL:
      sig = signal_number(optarg);
      if (sig < 0) {
        fprintf(stderr, "dvm run: error: '%s' is no signal that can be caught\n", optarg);
        return 2;
      }
      snprintf(number, sizeof(number), "%d", sig);
      setenv("DVMCR_SIGNAL", number, 1);
      break;
    case KEEP: setenv("DVMCR_KEEP", optarg, 1); break;
    case ALL_FILES: setenv("DVMCR_ALL_FILES", "1", 1); break;
    case NO_FORK: setenv("DVMCR_NO_FORK", "1", 1); break;
    case HELP: fputs(usage, stdout); return 0;
    default: fputs(usage, stderr); return 2;
    }
  }
  if (optind >= argc) {
    fputs(usage, stderr);
    return 2;
  }
  if (preload())
    return 1;
  execvp(argv[optind], argv + optind);
  fprintf(stderr, "dvm run: error: cannot run '%s': %s\n", argv[optind], strerror(errno));
  return 127;
}
