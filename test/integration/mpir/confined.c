/* What confines a process, set in one thread or all of it, over a restart: the first thing that the restarted threads do is to look.
 * confined IMAGE FOLDER [KIND] */
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "self.h"

#define FORBIDDEN_ALL SYS_sethostname   /* by a filter of every thread */
#define FORBIDDEN_ONE SYS_setdomainname /* by one that a thread has installed for itself */
#define FORBIDDEN_TSYNC SYS_swapon
#define CAP_SYS_TIME_BIT 25

static atomic_int ready, restarted, looked;

static int install(unsigned number, unsigned flags, bool by_prctl)
{
  struct sock_filter code[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 99),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

  return by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static bool is_forbidden(long number) { return syscall(number, NULL, -1, -1) == -1 && errno == 99; }

static unsigned long long status_line(const char *label, int base)
{
  char line[4096];
  unsigned long long value = ~0ull;
  FILE *f = fopen("/proc/thread-self/status", "re");

  while (f && fgets(line, sizeof(line), f))
    if (strncmp(line, label, strlen(label)) == 0)
      value = strtoull(line + strlen(label), NULL, base);
  if (f)
    fclose(f);
  return value;
}

/* What a thread has; compared before and after. */
struct state {
  unsigned long long inheritable, permitted, effective, bounding, ambient, mode, filters, no_new;
  uid_t uids[3];
  gid_t gids[3], groups[8];
  int group_count, securebits;
};

static struct state look(void)
{
  struct state s;

  memset(&s, 0, sizeof(s));
  s.inheritable = status_line("CapInh:", 16);
  s.permitted = status_line("CapPrm:", 16);
  s.effective = status_line("CapEff:", 16);
  s.bounding = status_line("CapBnd:", 16);
  s.ambient = status_line("CapAmb:", 16);
  s.mode = status_line("Seccomp:", 10);
  s.filters = status_line("Seccomp_filters:", 10);
  s.no_new = status_line("NoNewPrivs:", 10);
  syscall(SYS_getresuid, &s.uids[0], &s.uids[1], &s.uids[2]);
  syscall(SYS_getresgid, &s.gids[0], &s.gids[1], &s.gids[2]);
  s.group_count = (int)syscall(SYS_getgroups, 8, s.groups);
  s.securebits = prctl(PR_GET_SECUREBITS);
  return s;
}

static void put_capabilities(unsigned long long effective, unsigned long long permitted, unsigned long long inheritable)
{
  struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
  struct __user_cap_data_struct d[2] = { { (unsigned)effective, (unsigned)permitted, (unsigned)inheritable },
                                         { (unsigned)(effective >> 32), (unsigned)(permitted >> 32), (unsigned)(inheritable >> 32) } };

  CHECK(!syscall(SYS_capset, &head, d));
}

static void same(const char *who, const struct state *before)
{
  const struct state after = look();

  if (memcmp(before, &after, sizeof(after)) == 0)
    return;
  fprintf(stderr, "confined: %s: inh %llx %llx prm %llx %llx eff %llx %llx bnd %llx %llx amb %llx %llx mode %llu %llu filters %llu %llu "
          "nnp %llu %llu groups %d %d (%u %u) gid %u %u securebits %x %x\n", who, before->inheritable, after.inheritable, before->permitted,
          after.permitted, before->effective, after.effective, before->bounding, after.bounding, before->ambient, after.ambient, before->mode,
          after.mode, before->filters, after.filters, before->no_new, after.no_new, before->group_count, after.group_count, before->groups[0],
          after.groups[0], before->gids[1], after.gids[1], (unsigned)before->securebits, (unsigned)after.securebits);
  exit(4);
}

/* The one thread that is confined further. */
static void *confined_thread(void *arg)
{
  struct state before;

  CHECK(prctl(PR_CAPBSET_DROP, CAP_SYS_TIME_BIT) == 0);
  put_capabilities(0x1, 0x3, 0x3);
  CHECK(!install(FORBIDDEN_ONE, 0, false));
  before = look();
  atomic_fetch_add(&ready, 1);
  while (!atomic_load(&restarted)) /* looks all the time: also at the first moment of the new life */
    if (!is_forbidden(FORBIDDEN_ONE) || !is_forbidden(FORBIDDEN_ALL))
      _exit(5);
  same("the thread", &before);
  CHECK(is_forbidden(FORBIDDEN_ONE) && is_forbidden(FORBIDDEN_ALL) && is_forbidden(FORBIDDEN_TSYNC));
  atomic_fetch_add(&looked, 1);
  return arg;
}

static void *plain_thread(void *arg)
{
  const struct state before = look();

  atomic_fetch_add(&ready, 1);
  while (!atomic_load(&restarted))
    sched_yield();
  same("the other thread", &before);
  CHECK(!is_forbidden(FORBIDDEN_ONE) && is_forbidden(FORBIDDEN_ALL) && is_forbidden(FORBIDDEN_TSYNC));
  atomic_fetch_add(&looked, 1);
  return arg;
}

static void number_to(const char *path, const char *value)
{
  FILE *f = fopen(path, "we");

  CHECK(f && fputs(value, f) >= 0 && !fclose(f));
}

static long number_from(const char *path, int base)
{
  char text[64] = "";
  FILE *f = fopen(path, "re");

  CHECK(f && fgets(text, sizeof(text), f) && !fclose(f));
  return strtol(text, NULL, base);
}

int main(int argc, char **argv)
{
  const bool root = geteuid() == 0;
  const gid_t groups[3] = { 4, 24, 4711 };
  struct state before;
  pthread_t ids[2];
  long barriers;

  if (argc < 3)
    return 2;
  if (root) {
    CHECK(!setgroups(3, groups) && !setegid(24) && !prctl(PR_CAPBSET_DROP, 22 /* CAP_SYS_BOOT */));
    put_capabilities(status_line("CapEff:", 16), status_line("CapPrm:", 16), 0x6);
    CHECK(!prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 1, 0, 0));
    CHECK(!prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_KEEP_CAPS));
  }
  number_to("/proc/self/oom_score_adj", "321");
  number_to("/proc/self/coredump_filter", "0x15");
  syscall(SYS_membarrier, 1 << 4 /* REGISTER_PRIVATE_EXPEDITED */, 0, 0);
  barriers = syscall(SYS_membarrier, 1 << 9, 0, 0);
  prctl(65 /* PR_SET_MDWE */, 1, 0, 0, 0);
  CHECK(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !install(FORBIDDEN_ALL, 0, true));
  CHECK(!install(FORBIDDEN_TSYNC, SECCOMP_FILTER_FLAG_TSYNC, false));
  CHECK(!pthread_create(&ids[0], NULL, plain_thread, NULL) && !pthread_create(&ids[1], NULL, confined_thread, NULL));
  while (atomic_load(&ready) < 2)
    sched_yield();
  before = look();
  self_save(argv[1]);
  same("the main thread", &before);
  atomic_store(&restarted, 1);
  CHECK(is_forbidden(FORBIDDEN_ALL) && is_forbidden(FORBIDDEN_TSYNC) && !is_forbidden(FORBIDDEN_ONE));
  pthread_join(ids[0], NULL);
  pthread_join(ids[1], NULL);
  CHECK(atomic_load(&looked) == 2);
  CHECK(number_from("/proc/self/oom_score_adj", 10) == 321 && number_from("/proc/self/coredump_filter", 16) == 0x15);
  CHECK(syscall(SYS_membarrier, 1 << 9, 0, 0) == barriers);
  CHECK(prctl(66 /* PR_GET_MDWE */, 0, 0, 0, 0) == 1);
  puts("as before");
  return 0;
}
