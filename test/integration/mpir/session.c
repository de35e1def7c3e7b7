/* Whether session, process group and the terminal's group are after SIGUSR1 what they were before. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
  const pid_t session = getsid(0), group = getpgrp();
  const int has_terminal = tcgetpgrp(0) == group;
  sigset_t ask;
  int sig;

  sigemptyset(&ask);
  sigaddset(&ask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &ask, NULL);
  fprintf(stderr, "ready %d\n", getpid());
  sigwait(&ask, &sig);
  printf("session %s, group %s, terminal %s\n", getsid(0) == session ? "same" : "differs", getpgrp() == group ? "same" : "differs",
         !has_terminal ? "none" : tcgetpgrp(0) == getpgrp() ? "same" : "differs");
  return 0;
}
