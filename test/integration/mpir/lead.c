/* A process that asks for a checkpoint of itself and its child, in BLCR's names, and of the child alone; before that of the group and the session of another.  lead SET IMAGE
 * Its first life ends when both are there; the restarted one says "as before". */
#include <sys/wait.h>
#include "mpir/include/libcr.h"
#include "self.h"

static void ask(cr_checkpoint_args_t *args, pid_t target, cr_scope_t scope)
{
  cr_initialize_checkpoint_args_t(args);
  args->cr_scope = scope;
  args->cr_target = target;
}

/* A process that leads a session and a group, and has nothing of ours open. */
static pid_t make_apart(void)
{
  int told[2];
  char byte;
  pid_t apart;

  CHECK(!pipe(told));
  apart = fork();
  if (apart == 0) {
    CHECK(setsid() == getpid() && write(told[1], "x", 1) == 1 && !close(told[0]) && !close(told[1]));
    for (;;)
      pause();
  }
  CHECK(read(told[0], &byte, 1) == 1 && !close(told[0]) && !close(told[1]));
  return apart;
}

static void ask_for_others(void)
{
  static const cr_scope_t scopes[] = { CR_SCOPE_PGRP, CR_SCOPE_SESS, CR_SCOPE_TREE, CR_SCOPE_PROC };
  const pid_t apart = make_apart();
  int status;

  for (int i = 0; i < 4; i++) {
    cr_checkpoint_args_t args;
    cr_checkpoint_handle_t handle;
    char path[4096];

    ask(&args, apart, scopes[i]);
    CHECK(!cr_request_checkpoint(&args, &handle) && cr_wait_checkpoint(&handle, NULL) == 1);
    CHECK(!dvmcr_poll((int)handle, path, sizeof(path)) && !access(path, F_OK));
  }
  kill(apart, SIGKILL);
  CHECK(waitpid(apart, &status, 0) == apart);
  for (int i = 0; i < 4; i++) { /* nobody is there any more */
    cr_checkpoint_args_t args;
    cr_checkpoint_handle_t handle;

    ask(&args, apart, scopes[i]);
    CHECK(!cr_request_checkpoint(&args, &handle) && cr_wait_checkpoint(&handle, NULL) == 1);
    CHECK(cr_reap_checkpoint(&handle) < 0 && errno != CR_ERESTARTED);
  }
}

int main(int argc, char **argv)
{
  struct dvmcr_options alone = { .size = sizeof(alone), .scope = DVMCR_PROCESS }, child_alone = alone;
  cr_checkpoint_args_t args;
  cr_checkpoint_handle_t handle;
  char text[4096];
  int status, rc, ticket, pair[2];
  pid_t child, self = getpid();

  if (argc != 3)
    return 2;
  ask_for_others();
  CHECK(!pipe(pair));
  child = fork();
  if (child == 0) {
    char byte;

    CHECK(!close(pair[1]) && read(pair[0], &byte, 1) == 1 && byte == 'x' && getppid() == self);
    return 21;
  }
  ticket = dvmcr_request(&alone);
  CHECK(dvmcr_wait(ticket, text, sizeof(text), -1) == -ECHILD && strstr(text, "child processes"));
  child_alone.target = child;
  child_alone.path = argv[2];
  ticket = dvmcr_request(&child_alone);
  rc = dvmcr_wait(ticket, text, sizeof(text), -1);
  if (rc) /* its pipe leads to us */
    CHECK(strstr(text, "the pipe's other end is in a process that is not saved"));
  CHECK(rc < 0);
  ask(&args, 0, CR_SCOPE_TREE);
  CHECK(!cr_request_checkpoint(&args, &handle));
  CHECK(cr_wait_checkpoint(&handle, NULL) == 1);
  rc = dvmcr_poll((int)handle, text, sizeof(text));
  if (rc == 0) { /* the first life: tell the set, and end with the child */
    FILE *f = fopen(argv[1], "w");

    CHECK(f && fprintf(f, "%s\n", text) > 0 && !fclose(f));
    kill(child, SIGKILL);
    kill(self, SIGKILL);
  }
  CHECK(rc == 1 && getpid() == self && *dvmcr_restarted_from());
  CHECK(write(pair[1], "x", 1) == 1 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 21);
  puts("as before");
  return 0;
}
