#define _GNU_SOURCE
#include "sdm/session/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sdm/bytes.h"

#define ANSWER_MAX (1u << 26)

char *sdm_ssh_words(const char *ssh, const char *host, const char *script, const char **words) {
  const char *named = ssh ? ssh : getenv("DVM_SSH");
  char *copy = sdm_strdup(named ? named : "ssh -o BatchMode=yes"), *rest = copy, *word;
  int n = 0;
  while (n < SDM_SSH_WORDS - 3 && (word = strsep(&rest, " ")))
    if (*word)
      words[n++] = word;
  words[n++] = host;
  words[n++] = script;
  words[n] = NULL;
  return copy;
}

static pid_t start(const char *const *words, int to) {
  pid_t pid = fork();
  if (pid)
    return pid;
  setpgid(0, 0); /* ^C at the console is for the console */
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(to, 1);
  signal(SIGINT, SIG_DFL);
  execvp(words[0], (char *const *)words);
  _exit(127);
}

/* All that comes until the end.  false: nothing came for too long, or too much. */
static bool read_all(int from, int patience_ms, struct dvm_text *answer) {
  char block[4096];
  ssize_t n = -1;
  while (answer->len < ANSWER_MAX && poll(&(struct pollfd){.fd = from, .events = POLLIN}, 1, patience_ms) > 0 &&
         (n = read(from, block, sizeof(block))) > 0)
    dvm_text_add_n(answer, block, (size_t)n);
  return !n;
}

int sdm_ssh_ask(const char *ssh, const char *host, const char *script, int patience_ms, struct dvm_text *answer, struct dvm_error *err) {
  const char *words[SDM_SSH_WORDS];
  int ends[2], status = 0;
  if (pipe2(ends, O_CLOEXEC))
    return dvm_error_errno(err, "cannot ask host '%s'", host);
  char *copy = sdm_ssh_words(ssh, host, script, words);
  pid_t pid = start(words, ends[1]);
  close(ends[1]);
  bool whole = pid > 0 && read_all(ends[0], patience_ms, answer);
  close(ends[0]);
  if (pid > 0 && !whole)
    kill(pid, SIGKILL);
  if (pid > 0)
    waitpid(pid, &status, 0);
  int rc = whole && !status ? 0
           : whole
               ? dvm_error_set(err, -EIO, "'%s' cannot run a command on host '%s'; '--ssh WORDS' names another way there", words[0], host)
               : dvm_error_set(err, -EIO, "'%s' gets no answer from host '%s'", words[0], host);
  free(copy);
  return rc;
}
