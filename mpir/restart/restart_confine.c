/* What confines the process must be given back, or the restart is refused: what of it the restarting command cannot give is found here, and
 * what it has itself is noted before any namespace hides it. */
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <unistd.h>
#include "mpir/restart/restart_private.h"

#define GROUPS_MAX 65536
#define CAP_SETGID 6
#define CAP_SETUID 7

static struct {
  bool known;
  uint32_t uids[4], gids[4], *groups;
  size_t group_count;
  uint64_t permitted, effective, bounding;
  unsigned filters;
} own;

static const char *line_of(const char *status, const char *label) {
  const char *s = strstr(status, label);

  return s ? s + strlen(label) : "";
}

static int read_own(struct dvm_error *err) {
  static char status[1 << 20];
  FILE *f = fopen("/proc/self/status", "re");
  size_t n = f ? fread(status, 1, sizeof(status) - 1, f) : 0;
  const char *s;
  char *end;

  if (f)
    fclose(f);
  if (!n)
    return dvm_error_errno(err, "cannot read /proc/self/status");
  own.groups = calloc(GROUPS_MAX, sizeof(*own.groups));
  if (!own.groups || sscanf(line_of(status, "\nUid:"), "%u %u %u %u", &own.uids[0], &own.uids[1], &own.uids[2], &own.uids[3]) != 4 ||
      sscanf(line_of(status, "\nGid:"), "%u %u %u %u", &own.gids[0], &own.gids[1], &own.gids[2], &own.gids[3]) != 4)
    return dvm_error_set(err, -EIO, "cannot read the credentials of this command");
  for (s = line_of(status, "\nGroups:"); own.group_count < GROUPS_MAX; s = end) {
    while (*s == ' ' || *s == '\t')
      s++;
    if (*s < '0' || *s > '9')
      break;
    own.groups[own.group_count++] = (uint32_t)strtoul(s, &end, 10);
  }
  own.permitted = strtoull(line_of(status, "\nCapPrm:"), NULL, 16);
  own.effective = strtoull(line_of(status, "\nCapEff:"), NULL, 16);
  own.bounding = strtoull(line_of(status, "\nCapBnd:"), NULL, 16);
  own.filters = (unsigned)strtoul(line_of(status, "\nSeccomp_filters:"), NULL, 10);
  own.known = true;
  return 0;
}

static bool groups_differ(const struct mpir_image *image, const struct mpir_image_credentials *c) {
  return c->group_count != own.group_count || memcmp(image->groups + c->groups_at, own.groups, own.group_count * sizeof(*own.groups)) != 0;
}

static bool ids_differ(const struct mpir_image_credentials *c) {
  return memcmp(c->uids, own.uids, sizeof(own.uids)) != 0 || memcmp(c->gids, own.gids, sizeof(own.gids)) != 0;
}

void mpir_restart_confine(const struct mpir_image *image, bool *set_groups, bool *set_ids) {
  *set_groups = *set_ids = false;
  for (size_t i = 0; i < image->credential_count; i++) {
    *set_groups = *set_groups || groups_differ(image, &image->credentials[i]);
    *set_ids = *set_ids || ids_differ(&image->credentials[i]);
  }
}

static bool may(int capability) { return own.effective >> capability & 1; }

/* Fewer capabilities than it had are no danger, but may be missed. */
static void note_lost(const struct mpir_image *image) {
  const uint64_t lost = image->credentials[0].permitted & ~own.permitted;

  if (lost)
    fprintf(stderr, "dvm restart: note: the process had capabilities that this command lacks, and continues without them: %#" PRIx64 "\n",
            lost);
}

int mpir_restart_confine_check(const struct mpir_image *image, struct dvm_error *err) {
  bool set_groups, set_ids;
  int rc = own.known ? 0 : read_own(err);

  if (rc)
    return rc;
  mpir_restart_confine(image, &set_groups, &set_ids);
  if (set_groups && !may(CAP_SETGID))
    return dvm_error_set(err, -EPERM,
                         "the process had different supplementary groups from this command, which may not set them "
                         "(this needs CAP_SETGID)");
  if (set_ids && (!may(CAP_SETGID) || !may(CAP_SETUID)))
    return dvm_error_set(err, -EPERM,
                         "the process had different user or group IDs from this command, which may not set them "
                         "(this needs CAP_SETUID and CAP_SETGID)");
  if (own.filters != image->process->inherited_filters)
    return dvm_error_set(err, -EPERM,
                         "the process was started under %u seccomp filters, but this command under %u: restart it where it was "
                         "started",
                         image->process->inherited_filters, own.filters);
  note_lost(image);
  return 0;
}
