#include "mpir/restart/restorer_confine.h"
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include "mpir/crs/sys.h"

#define CAPABILITIES 64

struct sets {
  uint64_t effective, permitted, inheritable;
};

static long sets_get(struct sets *s) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct d[2];
  long rc = sys2(SYS_capget, &head, d);

  s->effective = d[0].effective | (uint64_t)d[1].effective << 32;
  s->permitted = d[0].permitted | (uint64_t)d[1].permitted << 32;
  s->inheritable = d[0].inheritable | (uint64_t)d[1].inheritable << 32;
  return rc;
}

static long sets_put(const struct sets *s) {
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct d[2] = {{(uint32_t)s->effective, (uint32_t)s->permitted, (uint32_t)s->inheritable},
                                        {(uint32_t)(s->effective >> 32), (uint32_t)(s->permitted >> 32), (uint32_t)(s->inheritable >> 32)}};

  return sys2(SYS_capset, &head, d);
}

static bool bounded_by(uint64_t bounding) {
  for (int i = 0; i < CAPABILITIES; i++)
    if (!(bounding >> i & 1) && sys2(SYS_prctl, PR_CAPBSET_READ, i) == 1 && sys2(SYS_prctl, PR_CAPBSET_DROP, i))
      return false;
  return true;
}

static long set_ids(const struct mpir_image_credentials *c) {
  long rc = sys3(SYS_setresgid, c->gids[0], c->gids[1], c->gids[2]);

  sys1(SYS_setfsgid, c->gids[3]);
  sys2(SYS_prctl, PR_SET_KEEPCAPS, 1); /* the sets are given back one by one */
  if (!rc)
    rc = sys3(SYS_setresuid, c->uids[0], c->uids[1], c->uids[2]);
  sys1(SYS_setfsuid, c->uids[3]);
  if (!rc && ((uint32_t)sys1(SYS_setfsuid, -1) != c->uids[3] || (uint32_t)sys1(SYS_setfsgid, -1) != c->gids[3]))
    rc = -1;
  return rc;
}

static long set_ambient(uint64_t ambient) {
  sys5(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int i = 0; i < CAPABILITIES; i++)
    if (ambient >> i & 1)
      sys5(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, i, 0, 0);
  for (int i = 0; i < CAPABILITIES; i++)
    if (!(ambient >> i & 1) && sys5(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, i, 0, 0) == 1)
      return -1;
  return 0;
}

/* The thread may end with fewer capabilities than it had, where the restarting command lacks them; never with more. */
long mpir_restorer_credentials(const struct restorer_plan *plan, const struct mpir_image_credentials *c) {
  struct sets now = {0, 0, 0}, wanted;
  long rc;

  if (plan->set_groups && (rc = sys2(SYS_setgroups, c->group_count, plan->groups + c->groups_at)))
    return rc;
  if (!bounded_by(c->bounding))
    return -1;
  if (plan->set_ids && (rc = set_ids(c)))
    return rc;
  sets_get(&now);
  wanted = (struct sets){now.permitted, now.permitted, c->inheritable & (now.inheritable | now.permitted)};
  if (sets_put(&wanted) || set_ambient(c->ambient))
    return -1;
  if (sys1(SYS_prctl, PR_GET_SECUREBITS) != c->securebits && sys2(SYS_prctl, PR_SET_SECUREBITS, c->securebits) &&
      (c->securebits & ~sys1(SYS_prctl, PR_GET_SECUREBITS)))
    return -1;
  wanted.permitted = c->permitted & now.permitted;
  wanted.effective = c->effective & wanted.permitted;
  if (sets_put(&wanted) || sets_get(&now))
    return -1;
  return (now.permitted & ~c->permitted) || (now.effective & ~c->effective) || (now.inheritable & ~c->inheritable) ? -1 : 0;
}

long mpir_restorer_filters(const struct restorer_plan *plan, const struct mpir_image_credentials *c) {
  const unsigned char *at = plan->filters;

  if (c->no_new_privileges && sys5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    return -1;
  for (uint32_t i = 0; i < c->filters; i++) {
    const uint32_t *head = (const uint32_t *)at;
    struct sock_fprog program = {(unsigned short)head[1], (struct sock_filter *)(uintptr_t)(at + 8)};
    const uint32_t kept = head[0] & (SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    long rc = head[0] & MPIR_FILTER_BY_PRCTL ? sys3(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)
                                             : sys3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kept, &program);

    if (rc)
      return rc;
    at += 8 + head[1] * 8ul;
  }
  return 0;
}
