/* The debug library of the message layer: what a debugger asks for the message queues of a rank.  It knows the layer's structures from their headers, and
   reads the rank's memory through the debugger; nothing in the rank runs. */
#include "mpir/mpi/mqs.h"
#include <stdlib.h>
#include <string.h>
#include "mpir/mpi/core.h"

#define SYMBOL "MPIR_dvm_world"
enum { NOT_READY = MQS_FIRST_USER_CODE, UNREADABLE, MOST_CONTEXTS = 1 << 20, MOST_IN_LIST = 1 << 20 };

struct state { /* of the process that is looked at */
  const struct mqs_process_callbacks *calls;
  struct mqs_process *process;
  struct mpl_world world;
  struct ompi_communicator_t comm; /* where the list of communicators stands */
  int *members;                    /* of its group, or its remote group: ranks of the job; owned */
  int nmembers;
  enum mqs_queue queue;
  mqs_address next;                /* of its operations */
  unsigned looked;                 /* so that a damaged list ends */
};

static const struct mqs_basic_callbacks *basic;
static const struct mqs_image_callbacks *of_image;

int mqs_version_compatibility(void) { return MQS_COMPATIBILITY; }
char *mqs_version_string(void) { return "message queues of the DVM message layer"; }
int mqs_dll_taddr_width(void) { return (int)sizeof(mqs_address); }
void mqs_setup_basic_callbacks(const struct mqs_basic_callbacks *calls) { basic = calls; }

char *mqs_dll_error_string(int code) {
  return code == NOT_READY ? "MPI_Init has not been called" : code == UNREADABLE ? "the rank's memory cannot be read" : "no information";
}

int mqs_setup_image(struct mqs_image *image, const struct mqs_image_callbacks *calls) {
  of_image = calls;
  basic->put_image_info(image, NULL);
  return MQS_OK;
}

int mqs_image_has_queues(struct mqs_image *image, char **message) {
  mqs_address at;
  *message = NULL;
  return of_image->find_symbol(image, SYMBOL, &at) == MQS_OK ? MQS_OK : MQS_NO_INFORMATION;
}

void mqs_destroy_image_info(void *info) { (void)info; }

int mqs_setup_process(struct mqs_process *process, const struct mqs_process_callbacks *calls) {
  struct state *s = calloc(1, sizeof(*s));
  if (!s)
    return MQS_NO_INFORMATION;
  s->calls = calls;
  s->process = process;
  basic->put_process_info(process, s);
  return MQS_OK;
}

void mqs_destroy_process_info(void *info) {
  struct state *s = info;
  if (s)
    free(s->members);
  free(s);
}

static struct state *state_of(struct mqs_process *process) { return basic->process_info(process); }

static bool fetch(const struct state *s, const void *at, void *to, size_t bytes) {
  return at && s->calls->fetch(s->process, (mqs_address)at, (int)bytes, to) == MQS_OK;
}

int mqs_update_communicator_list(struct mqs_process *process) {
  struct state *s = state_of(process);
  mqs_address symbol;
  const struct mpl_world *at;
  if (of_image->find_symbol(s->calls->image(process), SYMBOL, &symbol) != MQS_OK)
    return MQS_NO_INFORMATION;
  if (!fetch(s, (void *)symbol, &at, sizeof(at)) || !fetch(s, at, &s->world, sizeof(s->world)))
    return UNREADABLE;
  return s->world.initialized ? MQS_OK : NOT_READY;
}

int mqs_process_has_queues(struct mqs_process *process, char **message) {
  *message = NULL;
  return mqs_update_communicator_list(process);
}

/* ---- communicators ---- */

static int read_group(struct state *s, const struct ompi_group_t *at) {
  struct ompi_group_t group;
  free(s->members);
  s->members = NULL;
  s->nmembers = 0;
  if (!fetch(s, at, &group, sizeof(group)) || group.magic != MPL_GROUP || group.size < 0 || group.size > MPL_RANKS_MAX)
    return UNREADABLE;
  s->members = calloc((size_t)group.size + 1, sizeof(*s->members));
  if (!s->members || (group.size && !fetch(s, group.members, s->members, (size_t)group.size * sizeof(*s->members))))
    return UNREADABLE;
  s->nmembers = group.size;
  return MQS_OK;
}

static int go_to(struct state *s, const struct ompi_communicator_t *at) {
  if (!at || s->looked++ > MOST_IN_LIST)
    return MQS_END_OF_LIST;
  if (!fetch(s, at, &s->comm, sizeof(s->comm)) || s->comm.magic != MPL_COMM)
    return UNREADABLE;
  return read_group(s, s->comm.inter ? s->comm.remote : s->comm.group);
}

int mqs_setup_communicator_iterator(struct mqs_process *process) {
  struct state *s = state_of(process);
  s->looked = 0;
  return go_to(s, s->world.comms);
}

int mqs_next_communicator(struct mqs_process *process) {
  struct state *s = state_of(process);
  return go_to(s, s->comm.next);
}

int mqs_get_communicator(struct mqs_process *process, struct mqs_communicator *to) {
  const struct state *s = state_of(process);
  *to = (struct mqs_communicator){.unique_id = s->comm.context, .local_rank = s->comm.rank, .size = s->nmembers};
  memcpy(to->name, s->comm.name, sizeof(to->name) - 1);
  return MQS_OK;
}

int mqs_get_comm_group(struct mqs_process *process, int *to) {
  const struct state *s = state_of(process);
  memcpy(to, s->members, (size_t)s->nmembers * sizeof(*to));
  return MQS_OK;
}

/* ---- operations ---- */

static bool read_context(const struct state *s, uint32_t id, struct mpl_context *to) {
  const struct mpl_context *at = NULL;
  return id < s->world.ncontexts && id < MOST_CONTEXTS && fetch(s, s->world.contexts + id, &at, sizeof(at)) && fetch(s, at, to, sizeof(*to));
}

int mqs_setup_operation_iterator(struct mqs_process *process, int queue) {
  struct state *s = state_of(process);
  struct mpl_context context = {0};
  s->looked = 0;
  s->queue = (enum mqs_queue)queue;
  read_context(s, s->comm.context, &context);
  s->next = queue == MQS_SENDS      ? (mqs_address)s->world.sends.posted
            : queue == MQS_RECEIVES ? (mqs_address)context.posted
                                    : (mqs_address)context.unexpected;
  return queue < MQS_SENDS || queue > MQS_UNEXPECTED ? MQS_NO_INFORMATION : s->next ? MQS_OK : MQS_END_OF_LIST;
}

static mqs_word job_rank(const struct state *s, mqs_word rank) { return rank >= 0 && rank < s->nmembers ? s->members[rank] : -1; }

static void put_peer(const struct state *s, struct mqs_operation *to, mqs_word peer, int tag, uint64_t bytes) {
  to->local_rank = to->actual_local_rank = peer < 0 ? -1 : peer;
  to->global_rank = to->actual_global_rank = job_rank(s, peer);
  to->any_tag = tag == MPI_ANY_TAG;
  to->tag = to->actual_tag = tag;
  to->bytes = to->actual_bytes = (mqs_word)bytes;
}

static bool take_unexpected(struct state *s, struct mqs_operation *to) {
  struct mpl_unexpected u;
  if (!fetch(s, (void *)s->next, &u, sizeof(u)))
    return false;
  s->next = (mqs_address)u.next;
  put_peer(s, to, u.source, u.tag, u.bytes);
  to->system_buffer = u.kind != MPL_RTS;
  return true;
}

/* All sends stand in one list. */
static bool take_request(struct state *s, struct mqs_operation *to, bool *is_ours) {
  struct ompi_request_t q;
  if (!fetch(s, (void *)s->next, &q, sizeof(q)) || q.magic != MPL_REQUEST)
    return false;
  s->next = (mqs_address)q.next;
  *is_ours = q.context == s->comm.context;
  put_peer(s, to, q.peer, q.tag, s->queue == MQS_SENDS ? q.size : q.capacity);
  to->status = q.matched ? MQS_MATCHED : MQS_PENDING;
  to->buffer = (mqs_address)q.buf;
  return true;
}

int mqs_next_operation(struct mqs_process *process, struct mqs_operation *to) {
  struct state *s = state_of(process);
  bool is_ours = false;
  while (s->next && !is_ours && s->looked++ < MOST_IN_LIST) {
    memset(to, 0, sizeof(*to));
    is_ours = s->queue == MQS_UNEXPECTED;
    if (!(is_ours ? take_unexpected(s, to) : take_request(s, to, &is_ours)))
      return UNREADABLE;
  }
  return is_ours ? MQS_OK : MQS_END_OF_LIST;
}

/* ---- beyond the standard ---- */

long dvm_mqs_begun(struct mqs_process *process) { return state_of(process)->comm.collectives; }

/* Their messages have the number as tag. */
long dvm_mqs_under_way(struct mqs_process *process) {
  const struct state *s = state_of(process);
  struct mpl_context hidden = {0};
  struct ompi_request_t q;
  long first = 0;
  read_context(s, s->comm.context + 1, &hidden);
  const struct ompi_request_t *lists[] = {hidden.posted, s->world.sends.posted};
  for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
    unsigned n = 0;
    for (const struct ompi_request_t *at = lists[i]; at && n++ < MOST_IN_LIST && fetch(s, at, &q, sizeof(q)); at = q.next)
      if (q.context == s->comm.context + 1 && (!first || q.tag + 1 < first))
        first = q.tag + 1;
  }
  return first;
}
