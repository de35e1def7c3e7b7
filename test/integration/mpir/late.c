/* A signal that comes while the process is being saved or restarted, after the threads were stopped, still ends the call in which one waits: by
 * libc's function, by syscall(2), and by a bare instruction.  late IMAGE */
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include "self.h"

static const char *image;
static volatile sig_atomic_t hits;
static volatile int round_number;

static void count(int sig) { hits += sig != 0; }

static int send_late(void *arg)
{
  dvmcr_checkpoint(DVMCR_READY);
  kill(getpid(), SIGUSR1); /* blocked until the stop's handler returns */
  return arg != NULL;
}

static void *save(void *arg)
{
  char path[4096];

  snprintf(path, sizeof(path), "%s%d", image, round_number);
  while (true) { /* the main thread waits */
    char text[64] = "";
    FILE *f;

    snprintf(text, sizeof(text), "/proc/self/task/%d/syscall", getpid());
    f = fopen(text, "r");
    if (f && fgets(text, sizeof(text), f) && atoi(text) == SYS_pause) {
      fclose(f);
      break;
    }
    if (f)
      fclose(f);
    usleep(1000);
  }
  {
    struct dvmcr_options options = { .size = sizeof(options), .path = path, .flags = DVMCR_NO_SYNC };
    const int ticket = dvmcr_request(&options);

    CHECK(ticket > 0 && dvmcr_wait(ticket, NULL, 0, -1) == 0);
  }
  remove(path);
  return arg;
}

static long bare_pause(void)
{
  long rc;

  __asm__ volatile("syscall" : "=a"(rc) : "a"(SYS_pause) : "rcx", "r11", "memory");
  return rc;
}

int main(int argc, char **argv)
{
  struct sigaction action = { .sa_handler = count };
  pthread_t thread;

  if (argc < 2)
    return 2;
  image = argv[1];
  alarm(60); /* the end, where a signal is lost */
  CHECK(!sigaction(SIGUSR1, &action, NULL));
  CHECK(dvmcr_init() >= 1 && dvmcr_callback_add(send_late, NULL, DVMCR_SIGNAL_CONTEXT) >= 1);
  for (round_number = 0; round_number < 3; round_number++) {
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1); /* the other thread must not take it */
    CHECK(!pthread_sigmask(SIG_BLOCK, &mask, NULL) && !pthread_create(&thread, NULL, save, NULL) && !pthread_sigmask(SIG_UNBLOCK, &mask, NULL));
    if (round_number == 0)
      CHECK(pause() == -1 && errno == EINTR);
    else if (round_number == 1)
      CHECK(syscall(SYS_pause) == -1 && errno == EINTR);
    else
      CHECK(bare_pause() == -EINTR);
    CHECK(hits == round_number + 1);
    CHECK(!pthread_join(thread, NULL));
  }
  self_save(image);
  puts("as before");
  return 0;
}
