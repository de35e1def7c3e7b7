/* Forks all the time from two threads while it asks for one image after the other: no child may find a descriptor of the checkpointer's but
 * the socket that it got itself.  "whole" on standard output when none did. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "dvmcr.h"

#define IMAGES 150
#define LOOKS 50

static atomic_int over;
static atomic_uint forks, found;

/* In the child.  Whether there are descriptors that are nobody's. */
static int look(bool say) {
  DIR *folder = opendir("/proc/self/fd");
  int strange = 0, sockets = 0;

  for (struct dirent *e; folder && (e = readdir(folder));) {
    char path[300], link[256] = "";
    int fd = atoi(e->d_name);

    if (e->d_name[0] == '.' || fd <= 2 || fd == dirfd(folder))
      continue;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (readlink(path, link, sizeof(link) - 1) < 0 || (!strncmp(link, "socket:", 7) && !sockets++))
      continue;
    if (say)
      dprintf(2, "a child has descriptor %d: %s\n", fd, link);
    strange++;
  }
  if (folder)
    closedir(folder);
  return strange || !folder;
}

/* What its own checkpointer has just then is gone soon. */
static int look_again(void) {
  for (int i = 0; i < LOOKS; i++) {
    if (!look(false))
      return 0;
    usleep(1000);
  }
  return look(true);
}

static void *fork_on(void *unused) {
  (void)unused;
  while (!atomic_load(&over)) {
    pid_t child = fork();
    int status = 0;

    if (child == 0)
      _exit(look_again());
    if (child > 0 && waitpid(child, &status, 0) == child && status)
      atomic_fetch_add(&found, 1);
    atomic_fetch_add(&forks, 1);
    usleep(forks % 8 * 50); /* for moments there is no child, so that an image is made */
  }
  return NULL;
}

int main(int argc, char **argv) {
  struct dvmcr_options options = {.size = sizeof(options), .scope = DVMCR_PROCESS, .keep = 1, .flags = DVMCR_NO_SYNC, .path = argv[1]};
  pthread_t threads[2];
  char path[4096];
  int saved = 0;

  if (argc != 2)
    return 2;
  for (int i = 0; i < 2; i++)
    if (pthread_create(&threads[i], NULL, fork_on, NULL))
      return 2;
  for (int i = 0; i < IMAGES; i++) {
    int ticket = dvmcr_request(&options);

    saved += ticket > 0 && dvmcr_wait(ticket, path, sizeof(path), -1) == 0;
    unlink(path);
  }
  atomic_store(&over, 1);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  fprintf(stderr, "%d images, %u forks, %u children with more than theirs\n", saved, forks, found);
  puts(found || !forks ? "not whole" : "whole");
  return found || !forks;
}
