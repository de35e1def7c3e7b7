#define _GNU_SOURCE /* strsep */
#include "sdm/command/start.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "sdm/session/checkpoints.h"
#include "sdm/session/launch.h"
#include "sdm/session/proctable.h"
#include "sdm/session/held.h"

/* "mpirun -n 8 ./prog x", perhaps with several programs: the words before each are the launcher's. */
static int split_launcher(struct sdm_arguments *a, int argc, struct dvm_error *err) {
  int nwords = a->inside ? argc : sdm_programs_expand(argc, a->program, &a->program, a->by_rank, &a->nby_rank, err);
  int n = nwords < 0 ? nwords : sdm_words_split(nwords, a->program, a->parts, err), at = 0;
  if (n < 0)
    return n;
  a->nparts = a->inside ? 1 : (size_t)n; /* to a launcher of the programs themselves it is one line */
  for (size_t i = 0; i < a->nparts; i++) {
    char **words = sdm_words_of_part(a->program, &a->parts[i], "SDM_SECRET");
    if (i)
      a->launch[at++] = (char *)":";
    for (char **w = words; *w && at < SDM_ARGUMENTS_MAX - 3; w++)
      a->launch[at++] = *w;
    if (!a->inside)
      a->launch[at++] = SDM_LAUNCH_SERVER;
    free(words);
    if (at >= SDM_ARGUMENTS_MAX - 3)
      return dvm_error_set(err, -E2BIG, "the launcher's command line has more than %d words", SDM_ARGUMENTS_MAX);
  }
  a->line = a->program;
  a->program += a->parts[0].program;
  a->s.command = a->launch;
  return 0;
}

static int own_launcher(struct sdm_arguments *a, struct dvm_error *err) {
  const char *text = a->launcher ? a->launcher : getenv("DVM_LAUNCHER");
  static char copy[1024], count[16];
  char *typed[SDM_ARGUMENTS_MAX];
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
  for (char *word = strtok(copy, " "); word && n < SDM_ARGUMENTS_MAX - 6; word = strtok(NULL, " "))
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
static int own_hosts(struct sdm_arguments *a, struct dvm_error *err) {
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
static json_t *attach_command(struct sdm_arguments *a, struct dvm_error *err) {
  char *copy = sdm_strdup(a->attach), *rest = copy, *word;
  int rc = 0;
  while (!rc && (word = strsep(&rest, ",")))
    rc = sdm_proctable_read(strtol(word, NULL, 10), a->s.ssh, &a->targets, err);
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

static json_t *launch_command(struct sdm_arguments *a, struct dvm_error *err) {
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
static json_t *restart_command(struct sdm_arguments *a, struct dvm_error *err) {
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

static json_t *first_command(struct sdm_arguments *a, struct dvm_error *err) {
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
static json_t *inside(struct sdm_arguments *a) {
  a->no_stop |= a->s.servers != NULL;
  a->s.hold = !a->no_stop;
  if (a->s.servers)
    return json_pack("{s:s}", "cmd", "attach");
  a->s.inside = a->program;
  a->s.apart = a->json;
  return json_pack("{s:s, s:i}", "cmd", "launch", "stop", !a->no_stop);
}

static bool is_job(const struct sdm_arguments *a) { return a->nparts == 1 && !a->inside && sdm_job_is_one(a->line, a->parts[0].program); }

/* Starts the job, and returns the command that attaches to it; or NULL. */
static json_t *start_job(struct sdm_arguments *a, struct dvm_error *err) {
  a->s.command = NULL;
  a->job = sdm_job_start(a->line, a->parts[0].program, (struct sdm_job_output){a->json ? 2 : -1, -1}, &a->targets, err);
  a->s.targets = &a->targets;
  return a->job < 0 ? NULL : sdm_attach_command(&a->targets);
}

json_t *sdm_start_command(struct sdm_arguments *a, struct dvm_error *err) {
  int rc = 0, nwords = 0;
  while (a->program[nwords])
    nwords++;
  if (!a->attach && !a->ncores && !a->s.servers && !a->s.reattach && !a->restart)
    rc = a->hosts ? own_hosts(a, err) : a->program_after_launcher ? split_launcher(a, nwords, err) : own_launcher(a, err);
  json_t *command = rc                     ? NULL
                    : a->inside            ? inside(a)
                    : a->s.reattach        ? json_object()
                    : a->line && is_job(a) ? start_job(a, err)
                                           : first_command(a, err);
  if (command && !err->code)
    return command;
  json_decref(command);
  return NULL;
}
