/* Stops in the functions that MPI comes to when it has found an error: which call it is of, and which error. */
#include "sdm/gdb/gdb_private.h"

/* python/errors.py knows where each has the error's number. */
static const char *const ends[] = {"ompi_errhandler_invoke", "ompi_mpi_abort"};

bool sdm_gdb_mpi_stop(const json_t *event) {
  const char *func = sdm_gdb_field(event, "func");
  for (size_t i = 0; func && json_object_get(event, "bp") && i < sizeof(ends) / sizeof(*ends); i++)
    if (!strcmp(func, ends[i]))
      return true;
  return false;
}

static void got_error(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct dvm_text why = DVM_TEXT_INIT;
  json_t *answer = sdm_gdb_python_answer(p, &why), *event = json_incref(p->kept);
  const char *said = sdm_gdb_field(answer, "error");
  (void)r;
  if (said && *said)
    json_object_set_new(event, "error", json_string(said));
  json_decref(answer);
  dvm_text_fini(&why);
  sdm_gdb_checkpoint_stands(b, true);
  b->host.event(b->host.arg, event);
}

void sdm_gdb_mpi_stopped(struct sdm_backend *b, json_t *event) {
  struct gdb_pending *p = sdm_gdb_python(b, NULL, NULL, "mpi_error", got_error);
  p->kept = event;
  p->errors_too = true;
}
