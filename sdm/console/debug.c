#define _GNU_SOURCE /* strsep */
#include "sdm/console/debug.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "base/usage.h"
#include "sdm/console/batch.h"
#include "sdm/console/console.h"
#include "sdm/dap/dap.h"
#include "sdm/session/checkpoints.h"
#include "sdm/session/feed.h"
#include "sdm/session/proctable.h"
#include "sdm/session/programs.h"
#include "sdm/session/restart_set.h"
#include "sdm/session/symbols.h"
#include "sdm/session/words.h"
#include "sdm/server/server.h"

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

#define ITEMS_MAX 1024
#define RANKS_MAX (1ul << 20)
#define SECONDS_MAX 4000000 /* milliseconds are counted in 32 bits */

struct arguments {
  struct sdm_session_options s;
  const char *launcher, *stdin_file, *stdin_to;
  bool batch, json, no_stop, dap, inside, program_after_launcher;
  unsigned timeout_s;
  const char *listen, *token_file;
  const char *attach, *ranks, *hosts, *restart;
  const char *checkpoints[16]; /* options of 'dvm run --checkpointable' */
  size_t ncheckpoints;
  bool checkpointable;
  struct sdm_targets targets;
  struct sdm_part parts[SDM_PARTS_MAX];
  size_t nparts;
  char **line; /* the launcher's, whole */
  struct sdm_program by_rank[SDM_PROGRAMS_MAX];
  int nby_rank;
  const char *cores[ITEMS_MAX];
  size_t ncores;
  struct {
    bool file;
    const char *text;
  } commands[ITEMS_MAX];
  size_t ncommands;
  char **program; /* with its arguments */
  char *launch[ITEMS_MAX];
};

static int too_many(const char *what) { return dvm_usage_error("debug", "more than %d %s", ITEMS_MAX, what); }

static int add_command(struct arguments *a, bool file, const char *text) {
  if (a->ncommands == ITEMS_MAX)
    return too_many("commands; put them into a file, '-x FILE'");
  a->commands[a->ncommands].file = file;
  a->commands[a->ncommands++].text = text;
  return 0;
}

static int add_core(struct arguments *a, const char *path) {
  if (a->ncores == ITEMS_MAX)
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

static void add_checkpoint_option(struct arguments *a, const char *option) {
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

/* 0, the exit status 2, or -1: all is said. */
static int read_option(struct arguments *a, int c) {
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
static int check_options(const struct arguments *a, int argc, char **argv, int first) {
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

static int parse(int argc, char **argv, struct arguments *a) {
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

/* "mpirun -n 8 ./prog x", perhaps with several programs: the words before each are the launcher's. */
static int split_launcher(struct arguments *a, int argc, struct dvm_error *err) {
  int nwords = a->inside ? argc : sdm_programs_expand(argc, a->program, &a->program, a->by_rank, &a->nby_rank, err);
  int n = nwords < 0 ? nwords : sdm_words_split(nwords, a->program, a->parts, err), at = 0;
  if (n < 0)
    return n;
  a->nparts = a->inside ? 1 : (size_t)n; /* to a launcher of the programs themselves it is one line */
  for (size_t i = 0; i < a->nparts; i++) {
    char **words = sdm_words_of_part(a->program, &a->parts[i], "SDM_SECRET");
    if (i)
      a->launch[at++] = (char *)":";
    for (char **w = words; *w && at < ITEMS_MAX - 3; w++)
      a->launch[at++] = *w;
    if (!a->inside)
      a->launch[at++] = SDM_LAUNCH_SERVER;
    free(words);
    if (at >= ITEMS_MAX - 3)
      return dvm_error_set(err, -E2BIG, "the launcher's command line has more than %d words", ITEMS_MAX);
  }
  a->line = a->program;
  a->program += a->parts[0].program;
  a->s.command = a->launch;
  return 0;
}

static int own_launcher(struct arguments *a, struct dvm_error *err) {
  const char *text = a->launcher ? a->launcher : getenv("DVM_LAUNCHER");
  static char copy[1024], count[16];
  char *typed[ITEMS_MAX];
  int n = 0;
  if (!text)
    text = a->s.n ? "mpirun" : "local";
  if (!a->s.n)
    a->s.n = 1;
  if (sdm_words_find_program(a->program, err))
    return err->code;
  if (!strcmp(text, "local"))
    return 0;
  snprintf(copy, sizeof(copy), "%s", text);
  for (char *word = strtok(copy, " "); word && n < ITEMS_MAX - 6; word = strtok(NULL, " "))
    typed[n++] = word;
  if (!n || !dvm_path_executable(typed[0]))
    return dvm_error_set(err, -ENOENT, "there is no launcher '%s'%s", text, strcmp(text, "mpirun") ? "" : SDM_NO_MPIRUN);
  snprintf(count, sizeof(count), "%u", a->s.n);
  typed[n++] = (char *)"-n";
  typed[n++] = count;
  a->s.command = sdm_words_of_part(typed, &(struct sdm_part){0, n, n}, "SDM_SECRET"); /* kept to the end */
  return 0;
}

/* A process on each host, or as many as it says. */
static int own_hosts(struct arguments *a, struct dvm_error *err) {
  if (a->s.n || a->launcher)
    return dvm_error_set(err, -EINVAL,
                         "'--hosts' says how many processes there are and starts them; '-n' and '--launcher' cannot be used with it");
  if (sdm_words_find_program(a->program, err))
    return err->code;
  a->s.targets = &a->targets;
  return sdm_targets_of_hosts(&a->targets, a->hosts, err);
}

/* Commands to the servers are JSON.  'list' NULL: only looks. */
static void add_word(json_t *list, const char *word, struct dvm_error *err) {
  json_t *j = json_string(word);
  if (!j)
    dvm_error_set(err, -EILSEQ, "'%s' is not valid UTF-8; the debugger accepts only UTF-8 names and arguments", word);
  if (list && j)
    json_array_append(list, j);
  json_decref(j);
}

/* "12,34": processes and launchers. */
static json_t *attach_command(struct arguments *a, struct dvm_error *err) {
  char *copy = sdm_strdup(a->attach), *rest = copy, *word;
  int rc = 0;
  while (!rc && (word = strsep(&rest, ",")))
    rc = sdm_proctable_read(strtol(word, NULL, 10), &a->targets, err);
  free(copy);
  sdm_targets_renumber(&a->targets);
  if (!rc && a->ranks)
    rc = sdm_targets_keep(&a->targets, a->ranks, err);
  a->s.targets = &a->targets;
  json_t *j = rc ? NULL : sdm_attach_command(&a->targets);
  if (j && a->batch)
    json_object_set_new(j, "signals", json_string("fatal"));
  return j;
}

/* The program of a part and its arguments. */
static json_t *launch_words(char **words, int n, struct dvm_error *err) {
  json_t *list = json_array();
  char *path = realpath(words[0], NULL); /* servers may have another working directory */
  add_word(NULL, path ? path : words[0], err);
  for (int i = 1; i < n && words[i]; i++)
    add_word(list, words[i], err);
  json_t *j = json_pack("{s:s, s:o}", "program", path ? path : words[0], "args", list);
  free(path);
  return j;
}

static json_t *launch_command(struct arguments *a, struct dvm_error *err) {
  json_t *j = launch_words(a->program, a->nparts ? a->parts[0].end - a->parts[0].program : INT_MAX, err);
  if (a->nparts > 1) {
    json_t *apps = json_array();
    for (size_t i = 0; i < a->nparts; i++)
      json_array_append_new(apps, launch_words(a->line + a->parts[i].program, a->parts[i].end - a->parts[i].program, err));
    json_object_set_new(j, "apps", apps);
  }
  for (int i = 0; i < a->nby_rank; i++) {
    json_t *one = launch_words(a->by_rank[i].words, INT_MAX, err), *list = json_object_get(j, "by_rank");
    json_object_set_new(one, "ranks", json_string(a->by_rank[i].ranks));
    if (!list)
      json_object_set_new(j, "by_rank", list = json_array());
    json_array_append_new(list, one);
  }
  json_object_set_new(j, "cmd", json_string("launch"));
  json_t *wrapper = a->checkpointable ? sdm_checkpointable_words(a->checkpoints, err) : NULL;
  if (wrapper)
    json_object_set_new(j, "wrapper", wrapper);
  if (a->batch)
    json_object_set_new(j, "signals", json_string("fatal"));
  json_object_set_new(j, "stop", json_integer(!a->no_stop && !a->batch));
  char *file = a->stdin_file ? realpath(a->stdin_file, NULL) : NULL;
  struct sdm_set *to = sdm_set_new();
  if (a->stdin_file && !file)
    dvm_error_set(err, -errno, "cannot read '%s' for standard input: %s", a->stdin_file, strerror(errno));
  if (a->stdin_to && !sdm_set_parse(to, a->stdin_to, err))
    json_object_set_new(j, "stdin_ranks", json_string(a->stdin_to));
  if (file)
    json_object_set_new(j, "stdin", json_string(file));
  sdm_set_free(to);
  free(file);
  return j;
}

/* An image is restarted by the server of its rank, so that its input and output are the debugger's. */
static json_t *restart_command(struct arguments *a, struct dvm_error *err) {
  char *handle = sdm_handle_of(a->restart);
  json_t *j = NULL;
  if (access(a->restart, R_OK))
    dvm_error_errno(err, "cannot read the image '%s'", a->restart);
  else
    j = json_pack("{s:s, s:s, s:s}", "cmd", "restart", "handle", handle, "command", sdm_restart_words());
  free(handle);
  a->s.n = 1;
  if (j && sdm_is_restart_set(a->restart) && !sdm_restart_set(a->restart, a->json, &a->targets, err)) {
    json_t *attach = sdm_attach_command(&a->targets); /* each server takes up its own */
    json_object_set(j, "pids", json_object_get(attach, "pids"));
    json_decref(attach);
    a->s.targets = &a->targets;
    a->s.n = 0;
  }
  return j;
}

static json_t *first_command(struct arguments *a, struct dvm_error *err) {
  json_t *list = json_array();
  if (a->restart) {
    json_decref(list);
    return restart_command(a, err);
  }
  if (a->attach) {
    json_decref(list);
    return attach_command(a, err);
  }
  if (a->ncores) {
    for (size_t i = 0; i < a->ncores; i++)
      add_word(list, a->cores[i], err);
    if (a->program[0])
      add_word(NULL, a->program[0], err);
    a->s.n = (uint32_t)a->ncores;
    return json_pack("{s:s, s:s, s:o}", "cmd", "core", "program", a->program[0] ? a->program[0] : "", "files", list);
  }
  json_decref(list);
  return launch_command(a, err);
}

/* The program is started in place of the servers; or runs already. */
static json_t *inside(struct arguments *a) {
  a->no_stop |= a->s.servers != NULL;
  a->s.hold = !a->no_stop;
  if (a->s.servers)
    return json_pack("{s:s}", "cmd", "attach");
  a->s.inside = a->program;
  a->s.apart = a->json;
  return json_pack("{s:s, s:i}", "cmd", "launch", "stop", !a->no_stop);
}

static void on_signal(int signal) {
  (void)signal;
  sdm_console_interrupt();
}

static bool has_warning(const struct sdm_class *c) {
  json_t *body = c->kind == SDM_CLASS_OK ? sdm_class_json(c) : NULL;
  bool has = json_object_get(body, "warning") != NULL;
  json_decref(body);
  return has;
}

/* gdb says nothing of it, and that a function has no variables. */
static void warn_without_symbols(const struct arguments *a, const json_t *command) {
  const char *program = json_string_value(json_object_get(command, "program"));
  const char *cmd = json_string_value(json_object_get(command, "cmd"));
  if (!a->json && !a->batch && program && cmd && !strcmp(cmd, "launch") && !sdm_has_debug_information(program))
    fprintf(stderr, "dvm debug: warning: '%s' has no debug information, so there are no lines and no variables; compile it with -g\n",
            program);
}

static int begin(struct sdm_session *s, struct arguments *a, json_t *command, const struct sdm_show *show, struct sdm_console *c) {
  warn_without_symbols(a, command);
  sdm_console_starting(c, !a->batch && !a->ncores);
  struct sdm_answer *answer = sdm_session_go(s, s->all, command, 60000);
  bool bad = false, good = false, warned = false;
  for (size_t i = 0; i < answer->n; i++) {
    bad |= answer->classes[i].kind == SDM_CLASS_ERROR;
    good |= answer->classes[i].kind == SDM_CLASS_OK;
    warned |= has_warning(&answer->classes[i]);
    json_t *body = a->restart && answer->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&answer->classes[i]) : NULL;
    sdm_console_restored(c, answer->classes[i].set, body);
    json_decref(body);
  }
  struct sdm_set *missing = sdm_answer_missing(answer);
  bad |= !sdm_set_is_empty(missing);
  if (bad || warned)
    sdm_show_answer(show, "start", answer);
  sdm_set_free(missing);
  sdm_answer_free(answer);
  if (a->ncores)
    sdm_session_wait(s, s->all, 10000, NULL); /* for where they are */
  else if (good && !a->no_stop && !a->batch)
    sdm_console_await_main(c);
  sdm_console_starting(c, false);
  bool stops = !a->ncores && !a->batch && !a->inside && !sdm_set_is_empty(s->stopped);
  if (good && stops && (!a->s.backend || !strcmp(a->s.backend, "gdb")))
    sdm_console_stop_at_end(c, true);
  return good || !bad ? 0 : -1; /* with those who are there: a rank may have ended before one could attach to it */
}

/* The first rank has our input, as under a launcher; the others have none. */
static void give_input(struct sdm_session *s) {
  if (isatty(STDIN_FILENO) && tcgetpgrp(STDIN_FILENO) != getpgrp())
    return; /* reading would stop us */
  struct sdm_set *first = sdm_set_new(), *others = sdm_set_copy(s->all);
  struct sdm_set_iter it = sdm_set_iter(s->all);
  sdm_id id;
  if (sdm_set_iter_id(&it, &id)) {
    sdm_set_remove_element(others, id);
    sdm_set_add_element(first, id);
    sdm_feed_start(s, STDIN_FILENO, first);
  }
  if (!sdm_set_is_empty(others))
    sdm_input(s->ctx, others, true, "", 0);
  sdm_set_free(first);
  sdm_set_free(others);
}

static int run_commands(struct arguments *a, struct sdm_console *c) {
  int rc = 0;
  for (size_t i = 0; i < a->ncommands && !rc && !sdm_console_quit(c); i++)
    rc = a->commands[i].file ? sdm_console_script(c, a->commands[i].text) : sdm_console_line(c, a->commands[i].text);
  return rc;
}

/* A run that nobody watches: what its commands say is before it begins. */
static int prepare_batch(struct sdm_session *s, struct arguments *a, const json_t *command, struct sdm_console *c) {
  s->interrupted = NULL; /* ^C ends the run */
  if (a->attach || a->ncores)
    return 0;
  sdm_batch_prepare(s, command);
  int rc = run_commands(a, c);
  if (!rc && !a->s.oob && !a->stdin_file)
    give_input(s);
  return rc;
}

/* A session as it was opened, for 'run' of a whole job. */
struct opened {
  struct arguments *a;
  struct sdm_session *s;
  struct sdm_console *c;
  const struct sdm_show *show;
  json_t *command;
};

static int open_again(void *arg) {
  struct opened *o = arg;
  struct sdm_session *s = o->s, before = *s;
  struct dvm_error err = DVM_ERROR_INIT;
  sdm_session_close(s);
  *s = (struct sdm_session){.apart = before.apart,
                            .on_event = before.on_event,
                            .on_output = before.on_output,
                            .on_output_end = before.on_output_end,
                            .on_lost = before.on_lost,
                            .on_back = before.on_back,
                            .on_late = before.on_late,
                            .interrupted = before.interrupted,
                            .arg = before.arg};
  int rc = sdm_session_open(s, &o->a->s, &err);
  if (!rc)
    return begin(s, o->a, json_deep_copy(o->command), o->show, o->c);
  sdm_show_error(o->show, err.text);
  *s = (struct sdm_session){0};
  return rc;
}

static int debug(struct arguments *a, json_t *command, struct dvm_error *err) {
  a->s.program = command;
  struct sdm_session s = {.apart = a->json};
  struct sdm_show show = {stdout, a->json};
  int rc = sdm_session_open(&s, &a->s, err), status = 0;
  if (rc) {
    json_decref(command);
    return rc;
  }
  struct sdm_console *c = sdm_console_new(&s, &show);
  sdm_console_program(c, a->s.reattach ? s.program : command);
  if (a->s.reattach)
    json_decref(command); /* nothing is to be sent */
  struct opened opened = {a, &s, c, &show, json_deep_copy(command)};
  a->s.program = opened.command;
  if (a->s.command && !a->batch && !a->inside)
    sdm_console_start_again(c, open_again, &opened);
  struct sigaction sa = {.sa_handler = on_signal}, old;
  sigaction(SIGINT, &sa, &old);
  if (a->s.reattach)
    sdm_session_recall(&s, sdm_console_known, c);
  else {
    rc = a->batch ? prepare_batch(&s, a, command, c) : 0;
    if (rc)
      json_decref(command);
    else
      rc = begin(&s, a, command, &show, c);
  }
  if (!a->batch)
    sdm_console_line(c, ""); /* shows where everybody stopped */
  if (a->batch)
    status = rc ? 1 : sdm_batch_run(&s, &show, a->timeout_s ? a->timeout_s : 60, sdm_console_interrupts());
  else if (!rc || a->ncommands) {
    rc = rc ? rc : run_commands(a, c);
    if (!rc && !sdm_console_quit(c))
      sdm_console_interact(c, stdin);
  }
  if (rc)
    status = 1;
  sdm_console_free(c);
  if (s.ctx)
    sdm_session_close(&s);
  json_decref(opened.command);
  sigaction(SIGINT, &old, NULL);
  return status;
}

int sdm_debug_main(int argc, char **argv) {
  static struct arguments a = {.s = {.start_ms = 60000}};
  struct dvm_error err = DVM_ERROR_INIT;
  int rc = parse(argc, argv, &a);
  if (rc)
    return rc > 0 ? rc : 0;
  signal(SIGPIPE, SIG_IGN);
  if (a.dap)
    return sdm_dap_main(a.listen, a.token_file);
  if (!a.attach && !a.ncores && !a.s.servers && !a.s.reattach && !a.restart)
    rc = a.hosts ? own_hosts(&a, &err) : a.program_after_launcher ? split_launcher(&a, argc - optind, &err) : own_launcher(&a, &err);
  json_t *command = rc ? NULL : a.inside ? inside(&a) : a.s.reattach ? json_object() : first_command(&a, &err);
  if (!command || err.code) {
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
    json_decref(command);
    return 2;
  }
  int status = debug(&a, command, &err);
  if (status < 0)
    fprintf(stderr, "dvm debug: error: %s\n", err.text);
  return status < 0 ? 1 : status;
}
