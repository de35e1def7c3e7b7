#include "sdm/command/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "base/usage.h"

#define RANKS_MAX (1ul << 20)
#define SECONDS_MAX 4000000 /* milliseconds are counted in 32 bits */

static const char usage[] =
    "usage: dvm debug [OPTION]... [-n RANKS] PROGRAM [ARGUMENT]...\n"
    "       dvm debug [OPTION]... -- LAUNCHER [OPTION]... PROGRAM [ARGUMENT]...\n"
    "       dvm debug [OPTION]... --hosts HOST[:RANKS],... PROGRAM [ARGUMENT]...\n"
    "       dvm debug [OPTION]... --attach PID[,PID]... [--ranks SET]\n"
    "       dvm debug [OPTION]... --core FILE [--core FILE]... [PROGRAM]\n"
    "       dvm debug [OPTION]... --servers FILE --secret-file FILE PROGRAM [ARGUMENT]...\n"
    "       dvm debug --inside [OPTION]... [-n RANKS] PROGRAM [ARGUMENT]...\n"
    "       dvm debug --inside --servers FILE --secret-file FILE\n"
    "       dvm debug [OPTION]... --restart IMAGE\n"
    "       dvm debug [OPTION]... --reattach FILE\n"
    "       dvm debug --dap [--listen PATH|[HOST:]PORT [--token-file FILE]]\n"
    "options:\n"
    "  -n RANKS            processes to start with the launcher (default 1, without a launcher)\n"
    "  --launcher WORDS    command that starts them (default: DVM_LAUNCHER, else mpirun); 'local': none\n"
    "  -x FILE             commands from FILE, then the console; -ex COMMAND runs one command; both may be repeated\n"
    "  --batch             run, and report if it hangs (status 3) or fails (1), on standard output; silent and 0 if all is well\n"
    "  --timeout SECONDS   for --batch (default 60)\n"
    "  --json              one JSON object per line\n"
    "  --stdin FILE        the programs read FILE, which must exist on their hosts; --stdin-to RANKS: only these ranks read it\n"
    "  --no-stop           do not stop in main\n"
    "  --checkpointable    the programs can be saved: 'checkpoint', 'restart'; --checkpoint-dir FOLDER: images go there,\n"
    "                      --checkpoint-every SECONDS: repeatedly, --keep N: the last N of them (each of them says --checkpointable "
    "too)\n"
    "  --restart IMAGE     continue from a checkpoint, as it was saved\n"
    "  --io tree|oob       program input and output by the debugger (default) or by the launcher\n"
    "  --shape SHAPE       auto (default: chosen from the number of servers and their hosts), binomial, kary:K, flat, hosts:K\n"
    "  --host HOST         address at which servers reach this command (default 127.0.0.1, or\n"
    "                      for --hosts and --attach the one through which they are reached)\n"
    "  --hosts LIST        start processes on these hosts over ssh, without a launcher: n1:2,n2:2\n"
    "  --ssh WORDS         command that reaches other hosts, for --hosts and --attach (default: DVM_SSH, else ssh -o BatchMode=yes)\n"
    "  --attach PID        a launcher (all its ranks, on their hosts), one rank, any process, or several joined by commas\n"
    "  --ranks SET         attach only to these ranks: 0-3,7\n"
    "  --partial           continue even if servers are missing\n"
    "  --start-timeout S   how long to wait for the servers (default 60)\n"
    "  --inside            no debugger: use the servers inside programs compiled by dvmcc; see DVM_OPTIONS=sdm=\n"
    "  --servers FILE      debug servers that are already running: lines 'RANK HOST PORT', port 0: search from --port on\n"
    "  --port BASE         see --servers\n"
    "  --secret-file FILE  the secret of these servers\n"
    "  --ping SECONDS      between heartbeats on idle links (default 2); a server is lost after three\n"
    "  --orphan SECONDS    how long servers stay after this command has gone (default 30); what they started ends with\n"
    "                      them, what they attached to keeps running\n"
    "  --orphan-do WHAT    what happens to the programs then, started or attached: detach (they keep running), kill\n"
    "  --session FILE      write to FILE what is needed to resume if this command dies; --reattach FILE resumes\n"
    "  --dap               a debug adapter for editors, on standard input and output\n"
    "  --listen WHERE      for --dap: listen on a socket at PATH, which only your processes can use, or on a PORT (of 127.0.0.1 without "
    "HOST),\n"
    "                      for which a client needs the token that is printed, or that in --token-file FILE\n"
    "  --backend gdb|stub, --backend-path PATH\n";

static int too_many(const char *what) { return dvm_usage_error("debug", "more than %d %s", SDM_ARGUMENTS_MAX, what); }

static int add_command(struct sdm_arguments *a, bool file, const char *text) {
  if (a->ncommands == SDM_ARGUMENTS_MAX)
    return too_many("commands; put them into a file, '-x FILE'");
  a->commands[a->ncommands].file = file;
  a->commands[a->ncommands++].text = text;
  return 0;
}

static int add_core(struct sdm_arguments *a, const char *path) {
  if (a->ncores == SDM_ARGUMENTS_MAX)
    return too_many("core files");
  a->cores[a->ncores++] = path;
  return 0;
}

static const struct option options[] = {{"launcher", 1, 0, 'l'},
                                        {"batch", 0, 0, 'b'},
                                        {"timeout", 1, 0, 't'},
                                        {"json", 0, 0, 'j'},
                                        {"no-stop", 0, 0, 'N'},
                                        {"stdin", 1, 0, 'f'},
                                        {"stdin-to", 1, 0, 'V'},
                                        {"io", 1, 0, 'i'},
                                        {"shape", 1, 0, 's'},
                                        {"host", 1, 0, 'H'},
                                        {"partial", 0, 0, 'P'},
                                        {"start-timeout", 1, 0, 'S'},
                                        {"backend", 1, 0, 'B'},
                                        {"backend-path", 1, 0, 'p'},
                                        {"attach", 1, 0, 'a'},
                                        {"ranks", 1, 0, 'r'},
                                        {"hosts", 1, 0, 'n' + 256},
                                        {"ssh", 1, 0, 's' + 256},
                                        {"core", 1, 0, 'c'},
                                        {"dap", 0, 0, 'd'},
                                        {"listen", 1, 0, 'L'},
                                        {"token-file", 1, 0, 'T'},
                                        {"checkpointable", 0, 0, 'k'},
                                        {"checkpoint-dir", 1, 0, 'd' + 256},
                                        {"checkpoint-every", 1, 0, 'e' + 256},
                                        {"keep", 1, 0, 'k' + 256},
                                        {"restart", 1, 0, 'r' + 256},
                                        {"inside", 0, 0, 'I'},
                                        {"session", 1, 0, 'W'},
                                        {"reattach", 1, 0, 'R'},
                                        {"servers", 1, 0, 'F'},
                                        {"secret-file", 1, 0, 'K'},
                                        {"port", 1, 0, 'O'},
                                        {"ping", 1, 0, 'g'},
                                        {"orphan", 1, 0, 'o'},
                                        {"orphan-do", 1, 0, 'D'},
                                        {"help", 0, 0, 'h'},
                                        {"ex", 1, 0, 'e'},
                                        {0}};

/* 'option' is how it is named in the message; seconds become milliseconds.  Both return 0 or the exit status. */
static int read_number(const char *option, unsigned long low, unsigned long high, unsigned long *to) {
  return dvm_usage_number(optarg, low, high, to)
             ? 0
             : dvm_usage_error("debug", "'%s' takes a number from %lu to %lu, not '%s'", option, low, high, optarg);
}

static int read_seconds(const char *option, uint32_t *to) {
  double s;
  if (!dvm_usage_real(optarg, 0.001, SECONDS_MAX, &s))
    return dvm_usage_error("debug", "'%s' takes seconds, from 0.001 to %d, not '%s'", option, SECONDS_MAX, optarg);
  *to = (uint32_t)(s * 1000);
  return 0;
}

static int read_word(const char *option, const char *const *words) {
  for (size_t i = 0; words[i]; i++)
    if (!strcmp(optarg, words[i]))
      return 0;
  return dvm_usage_error("debug", "'%s' takes %s or %s, not '%s'", option, words[0], words[1], optarg);
}

/* Numbers of processes, joined by commas. */
static int check_pids(const char *text) {
  for (const char *at = text;; at++) {
    char *end;
    unsigned long v = strtoul(at, &end, 10);
    if (*at < '0' || *at > '9' || !v || v > INT_MAX || (*end && *end != ','))
      return dvm_usage_error("debug", "'--attach' takes the number of a process, or several joined by commas, not '%s'", text);
    if (!*end)
      return 0;
    at = end;
  }
}

static void add_checkpoint_option(struct sdm_arguments *a, const char *option) {
  a->checkpointable = true;
  if (a->ncheckpoints + 3 > sizeof(a->checkpoints) / sizeof(*a->checkpoints))
    return; /* the same again and again: the first hold */
  a->checkpoints[a->ncheckpoints++] = option;
  a->checkpoints[a->ncheckpoints++] = optarg;
}

static const char *join(const char *a, const char *b) { /* kept to the end */
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_printf(&t, "%s,%s", a, b);
  return t.s;
}

static int misuse_file(const char *path) { return dvm_usage_error("debug", "cannot read the commands in '%s': %s", path, strerror(errno)); }

static int misuse(const char *what) { return dvm_usage_error("debug", "%s", what); }

/* 0, the exit status 2, or -1: all is said.  Longer than others: one case for each option, in the order of the help. */
static int read_option(struct sdm_arguments *a, int c) {
  static const char *const ios[] = {"tree", "oob", NULL}, *const backends[] = {"gdb", "stub", NULL},
                           *const orphans[] = {"detach", "kill", "usual", NULL};
  unsigned long number = 0;
  int rc = 0;

  switch (c) {
  case 'n':
    rc = read_number("-n", 1, RANKS_MAX, &number);
    a->s.n = (uint32_t)number;
    break;
  case 'x': rc = add_command(a, true, optarg); break;
  case 'e': rc = add_command(a, false, optarg); break;
  case 'l': a->launcher = optarg; break;
  case 'b': a->batch = true; break;
  case 't':
    rc = read_number("--timeout", 1, SECONDS_MAX, &number);
    a->timeout_s = (unsigned)number;
    break;
  case 'j': a->json = true; break;
  case 'N': a->no_stop = true; break;
  case 'f': a->stdin_file = optarg; break;
  case 'V': a->stdin_to = optarg; break;
  case 'i':
    rc = read_word("--io", ios);
    a->s.oob = !strcmp(optarg, "oob");
    break;
  case 's': a->s.shape = optarg; break;
  case 'H': a->s.host = optarg; break;
  case 'P': a->s.partial = true; break;
  case 'S': rc = read_seconds("--start-timeout", &a->s.start_ms); break;
  case 'B':
    rc = read_word("--backend", backends);
    a->s.backend = optarg;
    break;
  case 'p': a->s.backend_path = optarg; break;
  case 'a':
    rc = check_pids(optarg);
    a->attach = a->attach && !rc ? join(a->attach, optarg) : optarg;
    break;
  case 'r': a->ranks = optarg; break;
  case 'n' + 256: a->hosts = optarg; break;
  case 's' + 256: a->s.ssh = optarg; break;
  case 'c': rc = add_core(a, optarg); break;
  case 'd': a->dap = true; break;
  case 'L': a->listen = optarg; break;
  case 'T': a->token_file = optarg; break;
  case 'k': a->checkpointable = true; break;
  case 'd' + 256: add_checkpoint_option(a, "--checkpoint-dir"); break;
  case 'e' + 256:
    rc = read_number("--checkpoint-every", 1, SECONDS_MAX, &number);
    add_checkpoint_option(a, "--checkpoint-every");
    break;
  case 'k' + 256:
    rc = read_number("--keep", 1, SECONDS_MAX, &number);
    add_checkpoint_option(a, "--keep");
    break;
  case 'r' + 256: a->restart = optarg; break;
  case 'I': a->inside = true; break;
  case 'W': a->s.session_file = optarg; break;
  case 'R': a->s.reattach = optarg; break;
  case 'F': a->s.servers = optarg; break;
  case 'K': a->s.secret_file = optarg; break;
  case 'O':
    rc = read_number("--port", 1, 65535, &number);
    a->s.base_port = (uint16_t)number;
    break;
  case 'g': rc = read_seconds("--ping", &a->s.ping_ms); break;
  case 'o': rc = read_seconds("--orphan", &a->s.orphan_ms); break;
  case 'D':
    rc = read_word("--orphan-do", orphans);
    a->s.orphan_do = optarg;
    break;
  default: break;
  }
  return rc;
}

/* What goes together.  'first': the first word that is not an option. */
static int check_options(const struct sdm_arguments *a, int argc, char **argv, int first) {
  if (a->inside && (a->attach || a->ncores || a->dap || a->batch))
    return misuse("'--inside' cannot be used with --attach, --core, --dap or --batch");
  if (a->restart &&
      (first < argc || a->attach || a->ncores || a->dap || a->inside || a->hosts || a->s.servers || a->s.reattach || a->s.n || a->launcher))
    return misuse("'--restart' takes an image and no other program to debug");
  if (a->checkpointable && (a->attach || a->ncores || a->dap || a->inside || a->restart || a->s.reattach))
    return misuse("'--checkpointable' applies only to programs started under the debugger");
  if (a->ranks && !a->attach)
    return misuse("'--ranks' needs '--attach'");
  if (a->hosts && (a->attach || a->ncores || a->dap || a->inside || a->s.servers || a->s.reattach || a->program_after_launcher))
    return misuse(
        "'--hosts' starts a program: it cannot be used with --attach, --core, --dap, --inside, --servers, --reattach or a launcher");
  if (a->stdin_to && !a->stdin_file)
    return misuse("'--stdin-to' needs '--stdin'");
  if (a->stdin_file && (a->inside || a->attach || a->ncores || a->dap || a->s.reattach))
    return misuse("'--stdin' applies only to programs started under the debugger");
  if (a->listen && !a->dap)
    return misuse("'--listen' needs '--dap'");
  if (a->token_file && (!a->listen || strchr(a->listen, '/')))
    return misuse("'--token-file' needs '--dap --listen PORT'");
  if (a->ncores && first + 1 < argc)
    return dvm_usage_error("debug", "expected one program besides the core files, found '%s' after it", argv[first + 1]);
  if (first >= argc && !a->attach && !a->restart && !a->ncores && !a->dap && !a->s.reattach && !(a->inside && a->s.servers))
    return argc > 1 ? misuse("no program was given") : (fputs(usage, stderr), 2);
  return 0;
}

int sdm_arguments_read(struct sdm_arguments *a, int argc, char **argv) {
  int c, rc = 0;

  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) /* gdb's spelling */
    if (!strcmp(argv[i], "-ex"))
      argv[i] = (char *)"--ex";
  opterr = 0;
  while (!rc && (c = getopt_long(argc, argv, "+:n:x:h", options, NULL)) != -1) {
    if (c == 'h') {
      fputs(usage, stdout);
      return -1;
    }
    if (c == 'n' && !strcmp(optarg, "p") && optind < argc) /* '-np 4', as for mpirun */
      optarg = argv[optind++];
    rc = c == '?' || c == ':' ? dvm_usage_refused("debug", c, argv, options) : read_option(a, c);
  }
  if (rc)
    return rc;
  a->program = argv + optind;
  a->program_after_launcher = optind > 1 && !strcmp(argv[optind - 1], "--");
  rc = check_options(a, argc, argv, optind);
  if (rc)
    return rc;
  for (size_t i = 0; i < a->ncommands; i++) /* before anything is started */
    if (a->commands[i].file && access(a->commands[i].text, R_OK))
      return misuse_file(a->commands[i].text);
  return 0;
}
