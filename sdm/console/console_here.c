/* Commands that gdb does by itself and this debugger once, for all of its gdbs: the shell, and breakpoints as a script. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdm/console/console_private.h"

/* Copies what the command says to where answers go. */
static int run_quietly(struct sdm_console *c, const char *command) {
  struct dvm_text t = DVM_TEXT_INIT;
  char block[4096];
  size_t n;
  fflush(NULL);
  FILE *in = popen(command, "r");
  while (in && (n = fread(block, 1, sizeof(block), in)) > 0)
    dvm_text_add_n(&t, block, n);
  int status = in ? pclose(in) : -1;
  if (c->show.json) {
    json_t *j = json_pack("{s:s, s:i}", "shell", dvm_text_str(&t), "status", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    char *text = json_dumps(j, JSON_COMPACT);
    fprintf(c->show.out, "%s\n", text ? text : "{\"shell\":\"\"}");
    free(text);
    json_decref(j);
  } else
    fputs(dvm_text_str(&t), c->show.out);
  dvm_text_fini(&t);
  return status;
}

/* A person may start an editor: it gets the terminal. */
void sdm_console_do_shell(struct sdm_console *c, char *arg) {
  const char *shell = getenv("SHELL"), *command = *arg ? arg : shell ? shell : "/bin/sh";
  bool person = (c->terminal || c->show.out == stdout) && !c->show.json && isatty(STDIN_FILENO);
  int status;
  fflush(c->show.out);
  if (!*arg && !person) {
    sdm_console_fail(c, "expected: shell COMMAND");
    return;
  }
  status = person ? system(command) : run_quietly(c, command);
  if (status == -1)
    sdm_console_fail(c, "the shell cannot be started");
}

/* A line that sets it again. */
static void write_break(FILE *out, const struct sdm_console *c, const struct breakpoint *b) {
  const char *cmd = json_string_value(json_object_get(b->command, "cmd")),
             *access = json_string_value(json_object_get(b->command, "access"));
  const char *where = json_string_value(json_object_get(b->command, "where")),
             *what = json_string_value(json_object_get(b->command, "catch"));
  const char *condition = json_string_value(json_object_get(b->command, "condition"));
  bool watches = cmd && !strcmp(cmd, "watch"), once = json_integer_value(json_object_get(b->command, "temporary"));
  if (!sdm_set_equal(b->set, c->s->all)) {
    char *ranks = sdm_set_text(b->set);
    fprintf(out, "[%s] ", ranks);
    free(ranks);
  }
  if (watches)
    fprintf(out, "watch %s%s\n",
            !access          ? ""
            : *access == 'r' ? "-r "
                             : "-a ",
            json_string_value(json_object_get(b->command, "expression")));
  else
    fprintf(out, "%s%s %s%s%s\n", once ? "t" : "", what ? "catch" : "break",
            what    ? what
            : where ? where
                    : b->what,
            condition && *condition ? " if " : "", condition ? condition : "");
  if (watches && condition && *condition)
    fprintf(out, "condition $bpnum %s\n", condition);
  if (b->commands)
    fprintf(out, "commands\n%send\n", b->commands);
  if (!b->enabled)
    fprintf(out, "disable $bpnum\n");
}

static void save_breaks(struct sdm_console *c, const char *path) {
  FILE *out = fopen(path, "w");
  bool bad = !out;
  for (size_t i = 0; out && i < c->nbreaks; i++)
    if (!sdm_set_is_empty(c->breaks[i].set) && c->breaks[i].command && strcmp(c->breaks[i].what, CONSOLE_DIAGNOSTIC))
      write_break(out, c, &c->breaks[i]);
    else if (!sdm_set_is_empty(c->breaks[i].set) && c->breaks[i].command)
      fprintf(out, "dvm break-on-diagnostic\n");
  bad |= out && (ferror(out) != 0);
  bad |= out && fclose(out);
  if (bad) {
    struct dvm_text t = DVM_TEXT_INIT;
    dvm_text_printf(&t, "cannot write '%s': %s", path, strerror(errno));
    sdm_console_fail(c, dvm_text_str(&t));
    dvm_text_fini(&t);
  } else if (!c->show.json)
    fprintf(c->show.out, "saved; 'source %s' sets them again\n", path);
}

void sdm_console_do_save(struct sdm_console *c, char *arg) {
  size_t n = strcspn(arg, " \t");
  char *path = arg + n + strspn(arg + n, " \t");
  if (n && !strncmp("breakpoints", arg, n) && *path)
    save_breaks(c, path);
  else
    sdm_console_fail(c, "expected: save breakpoints FILE");
}

/* What only this front end knows, for one that comes after it. */
static void keep(struct sdm_console *c, const struct sdm_set *who, json_t *j) {
  json_object_set_new(j, "cmd", json_string("keep"));
  sdm_answer_free(sdm_session_ask(c->s, who, j, SDM_REDUCE_SAME, c->timeout_ms));
}

void sdm_console_keep_commands(struct sdm_console *c, const struct breakpoint *b) {
  if (c->s->file)
    keep(c, b->set, json_pack("{s:I, s:s}", "id", (json_int_t)b->id, "commands", b->commands ? b->commands : ""));
}

void sdm_console_keep_names(struct sdm_console *c) {
  json_t *names = json_object();
  for (size_t i = 0; i < c->names.n; i++)
    json_object_set_new(names, c->names.items[i].name, json_string(c->names.items[i].text));
  if (c->s->file)
    keep(c, c->s->all, json_pack("{s:O}", "names", names));
  json_decref(names);
}
