/* Files that the process has open or mapped: contents FOLDER.  Waits in "ready", and for SIGUSR1; then tells what it finds. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int file(const char *folder, const char *name, const char *text)
{
  char path[4096];
  int fd;

  snprintf(path, sizeof(path), "%s/%s", folder, name);
  fd = open(path, O_RDWR | O_CREAT, 0640);
  if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
    exit(3);
  return fd;
}

int main(int argc, char **argv)
{
  int log, mapped, sig;
  sigset_t ask;
  char *memory, text[64];
  ssize_t n;

  if (argc != 2)
    return 2;
  sigemptyset(&ask);
  sigaddset(&ask, SIGUSR1);
  sigprocmask(SIG_BLOCK, &ask, NULL);
  log = file(argv[1], "log", "one\ntwo\n");
  mapped = file(argv[1], "mapped", "in the file");
  memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mapped, 0);
  close(mapped);
  fprintf(stderr, "ready\n");
  sigwait(&ask, &sig);
  n = pread(log, text, sizeof(text) - 1, 0);
  text[n > 0 ? n : 0] = '\0';
  printf("log %zd %s mapped %s\n", n, strcmp(text, "one\ntwo\n") ? "differs" : "same", memory);
  return 0;
}
