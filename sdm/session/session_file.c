#include "sdm/session/session_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/text.h"

#define FORMAT 1
#define SIZE_MAX_BYTES (64 << 20)

static json_t *to_json(const struct sdm_secret *secret, const struct sdm_table *t, const json_t *program) {
  char hex[2 * SDM_SECRET_BYTES + 1];
  json_t *servers = json_array();
  sdm_secret_print(secret, hex);
  for (size_t i = 0; i < t->n; i++)
    json_array_append_new(servers,
                          json_pack("[I, s, i]", (json_int_t)t->entries[i].id, t->hosts[t->entries[i].host], (int)t->entries[i].port));
  json_t *j = json_pack("{s:i, s:s, s:[i, I], s:[i, i], s:o}", "dvm-session", FORMAT, "secret", hex, "shape", (int)t->shape.kind,
                        (json_int_t)t->shape.k, "ports", (int)t->base_port, (int)t->port_tries, "servers", servers);
  if (program)
    json_object_set_new(j, "program", json_deep_copy(program));
  memset(hex, 0, sizeof(hex));
  return j;
}

int sdm_session_file_write(const char *path, const struct sdm_secret *secret, const struct sdm_table *t, const json_t *program,
                           struct dvm_error *err) {
  struct dvm_text part = DVM_TEXT_INIT;
  if (dvm_path_replaceable(path, err))
    return dvm_error_wrap(err, "cannot write the session file");
  dvm_text_printf(&part, "%s.part", path);
  unlink(dvm_text_str(&part));
  int fd = open(dvm_text_str(&part), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  int rc = fd < 0 ? dvm_error_errno(err, "cannot write the session file '%s'", path) : 0;
  if (!rc) {
    json_t *j = to_json(secret, t, program);
    bool bad = json_dumpfd(j, fd, JSON_COMPACT) || fsync(fd);
    bad |= close(fd) || (!bad && rename(dvm_text_str(&part), path)); /* a full disk may show only here */
    if (bad) {
      rc = dvm_error_errno(err, "cannot write the session file '%s'", path);
      unlink(dvm_text_str(&part));
    }
    json_decref(j);
  }
  dvm_text_fini(&part);
  return rc;
}

/* Its text, if it is a file of ours alone. */
static json_t *load(const char *path, struct dvm_error *err) {
  struct stat st;
  json_t *j = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 || fstat(fd, &st))
    dvm_error_errno(err, "cannot read the session file '%s'", path);
  else if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 077))
    dvm_error_set(err, -EPERM, "the session file '%s' must be a file of yours that nobody else can read (mode 0600)", path);
  else if (st.st_size > SIZE_MAX_BYTES || !(j = json_loadfd(fd, 0, NULL)))
    dvm_error_set(err, -EBADMSG, "'%s' is not a session file", path);
  if (fd >= 0)
    close(fd);
  return j;
}

static bool take_servers(struct sdm_table *t, const json_t *servers) {
  json_t *one;
  size_t i;
  json_array_foreach(servers, i, one) {
    json_int_t id = json_integer_value(json_array_get(one, 0)), port = json_integer_value(json_array_get(one, 2));
    const char *host = json_string_value(json_array_get(one, 1));
    if (!host || !*host || strlen(host) > 255 || id < 0 || id > SDM_ID_MAX || port < 0 || port > 65535)
      return false;
    sdm_table_add(t, (sdm_id)id, host, (uint16_t)port);
  }
  return t->n > 0;
}

static int from_json(const json_t *j, struct sdm_secret *secret, struct sdm_table *t, struct dvm_error *err) {
  const json_t *shape = json_object_get(j, "shape"), *ports = json_object_get(j, "ports");
  const char *hex = json_string_value(json_object_get(j, "secret"));
  json_int_t kind = json_integer_value(json_array_get(shape, 0)), k = json_integer_value(json_array_get(shape, 1));
  if (json_integer_value(json_object_get(j, "dvm-session")) != FORMAT)
    return dvm_error_set(err, -EPROTO, "its version is not %d", FORMAT);
  if (!hex || sdm_secret_parse(secret, hex, err) || kind < SDM_BINOMIAL || kind > SDM_HOSTS || k < 0 || k > 4096)
    return dvm_error_set(err, -EBADMSG, "its secret or its shape is damaged");
  t->shape = (struct sdm_shape){(uint8_t)kind, (uint32_t)k};
  t->base_port = (uint16_t)json_integer_value(json_array_get(ports, 0));
  t->port_tries = (uint16_t)json_integer_value(json_array_get(ports, 1));
  if (!take_servers(t, json_object_get(j, "servers")))
    return dvm_error_set(err, -EBADMSG, "its list of servers is damaged");
  return sdm_table_order(t, err);
}

int sdm_session_file_read(const char *path, struct sdm_secret *secret, struct sdm_table *t, json_t **program, struct dvm_error *err) {
  json_t *j = load(path, err);
  *program = NULL;
  *t = (struct sdm_table){0};
  if (!j)
    return err->code;
  int rc = from_json(j, secret, t, err);
  if (rc) {
    sdm_table_fini(t);
    *t = (struct sdm_table){0};
    dvm_error_wrap(err, "cannot use the session file '%s'", path);
  } else
    *program = json_deep_copy(json_object_get(j, "program"));
  json_decref(j);
  return rc;
}
