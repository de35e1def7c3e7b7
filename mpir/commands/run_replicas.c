#include "mpir/commands/run_replicas.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>
#include <stdlib.h>
#include <string.h>
#include "base/usage.h"

/* Place of 'word' in the list, whose end is NULL; or -1. */
static int choose(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (!strcmp(word, words[i]))
      return i;
  return -1;
}

static const char *const protocols[] = {"shared", "receiver-forwarding", "sender-forwarding", NULL};
static const char *const modes[] = {"crash", "check", "both", NULL};
static const char *const fulls[] = {"block", "leap", "spool", NULL};
static const char *const placements[] = {"node", "nodes", NULL};
static const char *const switches[] = {"off", "on", NULL};

static int choose_or_refuse(const char *option, const char *word, const char *const *words, int *found) {
  *found = choose(word, words);
  if (*found >= 0)
    return 0;
  return dvm_usage_error("run", "'%s' takes %s, %s%s%s%s%s, not '%s'", option, words[0], words[2] ? "" : "or ", words[1],
                         words[2] ? " or " : "", words[2] ? words[2] : "", "", word);
}

/* "time,random", or "none". */
static int read_determinants(const char *list, uint32_t *bits) {
  static const struct {
    const char *name;
    enum replica_determinant bit;
  } names[] = {{"time", REPLICA_TIME}, {"pid", REPLICA_PID}, {"random", REPLICA_RANDOM}};
  *bits = 0;
  for (const char *s = strcmp(list, "none") ? list : NULL; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
    size_t n = strcspn(s, ","), i = 0;
    while (i < 3 && (strncmp(s, names[i].name, n) != 0 || names[i].name[n]))
      i++;
    if (i == 3)
      return dvm_usage_error("run", "'--determinants' takes none or a list of time, pid and random, not '%s'", list);
    *bits |= names[i].bit;
  }
  return 0;
}

/* Of this process, as the kernel writes it. */
static void read_allowed(char *list, int room) {
  char line[4096];
  FILE *f = fopen("/proc/self/status", "re");
  snprintf(list, (size_t)room, "others");
  while (f && fgets(line, sizeof(line), f))
    if (!strncmp(line, "Cpus_allowed_list:", 18)) {
      snprintf(list, (size_t)room, "%s", line + 18 + strspn(line + 18, " \t"));
      list[strcspn(list, "\n")] = 0;
    }
  if (f)
    fclose(f);
}

/* Without them shadows would run anywhere and not tell. */
static int check_cpus(const char *list, unsigned first, unsigned last) {
  cpu_set_t allowed;
  char text[512];
  if (sched_getaffinity(0, sizeof(allowed), &allowed)) /* more processors than a set has */
    return 0;
  while (first <= last && first < CPU_SETSIZE && CPU_ISSET(first, &allowed))
    first++;
  if (first > last)
    return 0;
  read_allowed(text, sizeof(text));
  if ((long)first >= sysconf(_SC_NPROCESSORS_CONF))
    return dvm_usage_error("run", "'--shadow-cpu %s': there is no processor %u here; this process may use %s", list, first, text);
  return dvm_usage_error("run", "'--shadow-cpu %s': this process may not use processor %u; it may use %s", list, first, text);
}

static bool read_cpu(const char **s, unsigned *n) {
  char *end;
  const unsigned long value = strtoul(*s, &end, 10);
  if (!isdigit((unsigned char)**s) || value > INT_MAX)
    return false;
  *s = end;
  *n = (unsigned)value;
  return true;
}

/* "0,2-3", as roles.c takes it. */
static int read_cpus(const char *list) {
  const char *s = list;
  int rc = 0;
  for (bool more = true; more && !rc;) {
    unsigned first, last;
    bool good = read_cpu(&s, &first);
    last = first;
    if (good && *s == '-')
      s++, good = read_cpu(&s, &last);
    more = *s == ',';
    if (!good || last < first || (*s && !more) || strlen(list) >= sizeof(((struct replica_job *)NULL)->shadow_cpu))
      return dvm_usage_error("run", "'--shadow-cpu' takes idle or a list of processors such as 0,2-3, not '%s'", list);
    rc = check_cpus(list, first, last);
    s += more;
  }
  return rc;
}

int mpir_run_replica_option(struct mpir_replicas_options *o, bool *replicate, int c, const char *argument) {
  unsigned long value;
  int found, rc = 0;
  o->given |= 1u << (c - RUN_REPLICATE);
  switch (c) {
  case RUN_REPLICATE: *replicate = true; break;
  case RUN_PROTOCOL:
    rc = choose_or_refuse("--protocol", argument, protocols, &found);
    o->protocol = (enum replica_protocol)found;
    break;
  case RUN_MODE:
    rc = choose_or_refuse("--mode", argument, modes, &found);
    o->mode = (enum replica_mode)(found + 1);
    break;
  case RUN_CHECK: o->mode = REPLICA_BOTH; break;
  case RUN_REFRESH:
    rc = choose_or_refuse("--refresh", argument, switches, &found);
    o->refresh = found == 1;
    break;
  case RUN_WHEN_FULL:
    rc = choose_or_refuse("--when-full", argument, fulls, &found);
    o->when_full = (enum replica_when_full)found;
    break;
  case RUN_LAG:
    if (!dvm_usage_number(argument, 1 << 18, 1 << 30, &value) || (value & (value - 1)))
      return dvm_usage_error("run", "'--lag-bytes' takes a power of two from 262144 to 1073741824, not '%s'", argument);
    o->lag_bytes = value;
    break;
  case RUN_HEARTBEAT:
    if (!dvm_usage_number(argument, 1, 86400, &value))
      return dvm_usage_error("run", "'--heartbeat' takes a number of seconds from 1 to 86400, not '%s'", argument);
    o->heartbeat_ms = (unsigned)value * 1000;
    break;
  case RUN_REPORT: o->report = argument; break;
  case RUN_SUMMARY: o->summary = true; break;
  case RUN_SHADOW_CPU:
    rc = strcmp(argument, "idle") ? read_cpus(argument) : 0;
    o->shadow_cpu = argument;
    break;
  case RUN_DETERMINANTS: rc = read_determinants(argument, &o->determinants); break;
  case RUN_PLACEMENT:
    rc = choose_or_refuse("--placement", argument, placements, &found);
    o->nodes = found == 1;
    break;
  default: break;
  }
  return rc;
}

/* Shadows on other hosts have a way of their own to follow. */
static int check_nodes(const struct mpir_replicas_options *o) {
  static const struct {
    int option;
    const char *name;
    const char *why;
  } not_there[] = {{RUN_PROTOCOL, "protocol", "between hosts the log alone is sent, and shadows send to each other"},
                   {RUN_WHEN_FULL, "when-full", "a main waits when its shadow is 65536 entries behind"},
                   {RUN_LAG, "lag-bytes", "a main waits when its shadow is 65536 entries behind"},
                   {RUN_SHADOW_CPU, "shadow-cpu", "shadows have hosts of their own"}};
  for (size_t i = 0; i < sizeof(not_there) / sizeof(*not_there); i++)
    if (o->given & 1u << (not_there[i].option - RUN_REPLICATE))
      return dvm_usage_error("run", "'--%s' cannot be used with '--placement nodes': %s; omit it", not_there[i].name, not_there[i].why);
  return 0;
}

/* Not after hours. */
static int check_report(const char *file) {
  const int fd = file ? open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
  if (file && fd < 0)
    return dvm_usage_error("run", "'--report': cannot write the file '%s': %s", file, strerror(errno));
  if (fd >= 0)
    close(fd);
  return 0;
}

int mpir_run_replica_check(const struct mpir_replicas_options *o, bool replicate, bool any) {
  if (any && !replicate)
    return dvm_usage_error("run",
                           "'--protocol', '--mode', '--check', '--refresh', '--when-full', '--lag-bytes', '--heartbeat', '--shadow-cpu', "
                           "'--determinants', '--placement', '--report' and '--summary' need '--replicate'");
  if (replicate && o->when_full == REPLICA_SPOOL && (o->protocol != REPLICA_SHARED || o->mode & REPLICA_CHECK))
    return dvm_usage_error("run", "'--when-full spool' can be used only with '--protocol shared' and '--mode crash'");
  const int wrong = o->nodes ? check_nodes(o) : 0;
  return wrong ? wrong : check_report(o->report);
}
