#include "mpir/mpi/comm.h"
#include "mpir/mpi/collective.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/predefined.h"
#include "mpir/mpi/topology.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>
#include <string.h>

/* --- contexts: each rank numbers from a range of its own, so that the first member of a communicator can name one without asking --- */

static uint32_t contexts_named;
enum { FIRST_CONTEXTS = 4 }; /* of MPI_COMM_WORLD and MPI_COMM_SELF */

static uint32_t context_new(void) { return FIRST_CONTEXTS + 2 * (contexts_named++ * mpl.size + mpl.rank); }

uint32_t mpl_context_agree(struct ompi_communicator_t *c) {
  uint32_t context = c->rank == 0 ? context_new() : 0;
  struct mpl_schedule *s = mpl_schedule_new(c, MPL_COLLECTIVE_COMM);
  mpl_build_bcast(s, c, &context, 1, MPI_UINT32_T, 0);
  mpl_schedule_run(s, "a new communicator", MPL_PLACE);
  return context;
}

/* --- life --- */

static void enter_list(struct ompi_communicator_t *c) {
  c->next = mpl.comms;
  c->at = &mpl.comms;
  if (c->next)
    c->next->at = &c->next;
  mpl.comms = c;
}

static void leave_list(struct ompi_communicator_t *c) {
  *c->at = c->next;
  if (c->next)
    c->next->at = c->at;
}

struct ompi_communicator_t *mpl_comm_new(struct ompi_group_t *group, uint32_t context, struct ompi_communicator_t *parent) {
  struct ompi_communicator_t *c = calloc(1, sizeof(*c));
  if (!c)
    mpl_die(1, "no memory for a communicator");
  *c = (struct ompi_communicator_t){.magic = MPL_COMM, .refs = 1, .context = context, .rank = group->rank, .size = group->size, .f_index = -1, .group = group};
  group->refs++;
  c->errhandler = parent ? parent->errhandler : MPI_ERRORS_ARE_FATAL;
  c->errhandler->refs++;
  enter_list(c);
  return c;
}

void mpl_comm_release(struct ompi_communicator_t *c) {
  if (c->predefined || --c->refs)
    return;
  leave_list(c);
  mpl_context_forget(c->context);
  mpl_context_forget(c->context + 1);
  mpl_group_release(c->group);
  mpl_group_release(c->remote);
  if (c->local)
    mpl_comm_release(c->local);
  mpl_topology_free(c->topology);
  if (c->info)
    PMPI_Info_free(&c->info);
  c->magic = MPL_FREED;
  free(c);
}

static void predefined(struct ompi_communicator_t *c, const char *name, uint32_t context, int size, const int *members) {
  struct ompi_group_t *g = mpl_group_new(size);
  for (int i = 0; i < size; i++)
    g->members[i] = members ? members[i] : i;
  g = mpl_group_ready(g);
  *c = (struct ompi_communicator_t){.magic = MPL_COMM, .refs = 1, .context = context, .rank = g->rank, .size = size, .f_index = -1, .predefined = true,
                                    .group = g, .errhandler = MPI_ERRORS_ARE_FATAL};
  strcpy(c->name, name);
  enter_list(c);
}

void mpl_comms_init(void) {
  predefined(MPI_COMM_WORLD, "MPI_COMM_WORLD", 0, (int)mpl.size, NULL);
  predefined(MPI_COMM_SELF, "MPI_COMM_SELF", 2, 1, (int[]){(int)mpl.rank});
  strcpy(((struct ompi_communicator_t *)MPI_COMM_NULL)->name, "MPI_COMM_NULL");
}

static int bad(const struct ompi_communicator_t *c) { return !c || c->magic != MPL_COMM || c == MPI_COMM_NULL ? MPI_ERR_COMM : MPI_SUCCESS; }
#define VALID(c, call) if (bad(c)) return mpl_error(NULL, MPI_ERR_COMM, call)

/* --- questions --- */

MPL_API(int, Comm_rank, MPI_Comm c, int *rank) {
  VALID(c, "MPI_Comm_rank");
  *rank = c->rank;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_size, MPI_Comm c, int *size) {
  VALID(c, "MPI_Comm_size");
  *size = c->size;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_remote_size, MPI_Comm c, int *size) {
  VALID(c, "MPI_Comm_remote_size");
  if (!c->inter)
    return mpl_error(c, MPI_ERR_COMM, "MPI_Comm_remote_size");
  *size = c->remote_size;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_test_inter, MPI_Comm c, int *flag) {
  VALID(c, "MPI_Comm_test_inter");
  *flag = c->inter;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_group, MPI_Comm c, MPI_Group *group) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_group");
  *group = c->group;
  c->group->refs++;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_remote_group, MPI_Comm c, MPI_Group *group) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_remote_group");
  if (!c->inter)
    return mpl_error(c, MPI_ERR_COMM, "MPI_Comm_remote_group");
  *group = c->remote;
  c->remote->refs++;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_compare, MPI_Comm a, MPI_Comm b, int *result) {
  VALID(a, "MPI_Comm_compare");
  VALID(b, "MPI_Comm_compare");
  *result = MPI_IDENT;
  if (a == b)
    return MPI_SUCCESS;
  *result = MPI_UNEQUAL;
  if (a->inter != b->inter)
    return MPI_SUCCESS;
  PMPI_Group_compare(a->group, b->group, result);
  if (a->inter && *result != MPI_UNEQUAL) {
    int remote;
    PMPI_Group_compare(a->remote, b->remote, &remote);
    *result = remote == MPI_UNEQUAL ? MPI_UNEQUAL : remote == MPI_SIMILAR ? MPI_SIMILAR : *result;
  }
  if (*result == MPI_IDENT)
    *result = MPI_CONGRUENT;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_set_name, MPI_Comm c, const char *name) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_set_name");
  strncpy(c->name, name, sizeof(c->name) - 1);
  return MPI_SUCCESS;
}

MPL_API(int, Comm_get_name, MPI_Comm c, char *name, int *length) {
  MPL_ENTER;
  if (!c || (c->magic != MPL_COMM && c != MPI_COMM_NULL))
    return mpl_error(NULL, MPI_ERR_COMM, "MPI_Comm_get_name");
  strcpy(name, c->name);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}

MPL_API(int, Comm_get_parent, MPI_Comm *parent) {
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_set_info, MPI_Comm c, MPI_Info info) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_set_info");
  if (c->info)
    PMPI_Info_free(&c->info);
  return info == MPI_INFO_NULL ? MPI_SUCCESS : PMPI_Info_dup(info, &c->info);
}

MPL_API(int, Comm_get_info, MPI_Comm c, MPI_Info *info) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_get_info");
  return c->info ? PMPI_Info_dup(c->info, info) : PMPI_Info_create(info);
}

/* --- making them --- */

static struct ompi_communicator_t *like(struct ompi_communicator_t *c, uint32_t context) {
  struct ompi_communicator_t *n = mpl_comm_new(c->group, context, c);
  if (c->inter) {
    n->inter = true;
    n->remote = c->remote;
    n->remote->refs++;
    n->remote_size = c->remote_size;
  }
  n->topology = mpl_topology_copy(c->topology);
  return n;
}

/* Contexts for an inter-communicator and for its local group: the first ranks exchange what they propose; what counts is the proposal of the group
   whose first rank is lower in the job, and each first rank tells it to the other group, with that group's own local context. */
struct agreed { uint32_t mine[2], theirs[2], relayed[2], told[2]; bool lower; };

static int relay(void *arg, struct ompi_communicator_t *c) {
  struct agreed *a = arg;
  (void)c;
  a->relayed[0] = a->lower ? a->mine[0] : a->theirs[0];
  a->relayed[1] = a->theirs[1];
  return MPI_SUCCESS;
}

static void build_agreed(struct mpl_schedule *s, struct ompi_communicator_t *c, struct agreed *a) {
  *a = (struct agreed){.lower = c->group->members[0] < c->remote->members[0]};
  if (c->rank == 0) {
    a->mine[0] = context_new();
    a->mine[1] = context_new();
    mpl_add_recv(s, a->theirs, 2, MPI_UINT32_T, 0);
    mpl_add_send(s, a->mine, 2, MPI_UINT32_T, 0);
    mpl_add_work(s, relay, a);
  }
  mpl_next_round(s);
  for (int i = 0; c->rank == 0 && i < c->remote_size; i++)
    mpl_add_send(s, a->relayed, 2, MPI_UINT32_T, i);
  mpl_add_recv(s, a->told, 2, MPI_UINT32_T, 0);
  mpl_next_round(s);
}

static uint32_t agree_inter(struct ompi_communicator_t *c, uint32_t *local) {
  struct mpl_schedule *s = mpl_schedule_new(c, MPL_COLLECTIVE_COMM_INTER);
  struct agreed a;
  build_agreed(s, c, &a);
  mpl_schedule_run(s, "a new communicator", MPL_PLACE);
  *local = a.told[1];
  return a.told[0];
}

static int dup(struct ompi_communicator_t *c, struct ompi_info_t *info, struct ompi_communicator_t **result) {
  uint32_t local = 0, context = c->inter ? agree_inter(c, &local) : mpl_context_agree(c);
  struct ompi_communicator_t *n = like(c, context);
  if (c->inter)
    n->local = mpl_comm_new(c->group, local, c);
  n->attrs_at = &n->attrs;
  int rc = mpl_attrs_copy(c, c->attrs, &n->attrs);
  if (rc) {
    mpl_comm_release(n);
    *result = MPI_COMM_NULL;
    return rc;
  }
  if (info && info != MPI_INFO_NULL)
    PMPI_Info_dup(info, &n->info);
  *result = n;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_dup, MPI_Comm c, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_dup");
  int rc = dup(c, c->info, result);
  return rc ? mpl_error(c, rc, "MPI_Comm_dup") : MPI_SUCCESS;
}

MPL_API(int, Comm_dup_with_info, MPI_Comm c, MPI_Info info, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_dup_with_info");
  int rc = dup(c, info, result);
  return rc ? mpl_error(c, rc, "MPI_Comm_dup_with_info") : MPI_SUCCESS;
}

struct later { struct agreed agreed; struct ompi_communicator_t **result; };

static int finish_dup(void *arg, struct ompi_communicator_t *c) {
  struct later *l = arg;
  struct ompi_communicator_t *n = like(c, l->agreed.told[0]);
  if (c->inter)
    n->local = mpl_comm_new(c->group, l->agreed.told[1], c);
  *l->result = n;
  n->attrs_at = &n->attrs;
  return mpl_attrs_copy(c, c->attrs, &n->attrs);
}

MPL_API(int, Comm_idup, MPI_Comm c, MPI_Comm *result, MPI_Request *request) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_idup");
  struct mpl_schedule *s = mpl_schedule_new(c, c->inter ? MPL_COLLECTIVE_COMM_INTER : MPL_COLLECTIVE_COMM);
  struct later *l = mpl_schedule_memory(s, sizeof(*l));
  l->result = result;
  if (c->inter) {
    build_agreed(s, c, &l->agreed);
  } else {
    l->agreed.told[0] = c->rank == 0 ? context_new() : 0;
    mpl_build_bcast(s, c, l->agreed.told, 1, MPI_UINT32_T, 0);
    mpl_next_round(s);
  }
  mpl_add_work(s, finish_dup, l);
  *request = mpl_schedule_start(s, "MPI_Comm_idup", MPL_PLACE);
  return MPI_SUCCESS;
}

MPL_API(int, Comm_free, MPI_Comm *c) {
  MPL_ENTER;
  VALID(*c, "MPI_Comm_free");
  if ((*c)->predefined)
    return mpl_error(*c, MPI_ERR_COMM, "MPI_Comm_free");
  int rc = mpl_attrs_delete(*c, &(*c)->attrs);
  if (rc)
    return mpl_error(*c, rc, "MPI_Comm_free");
  mpl_comm_release(*c);
  *c = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

MPL_API(int, Comm_disconnect, MPI_Comm *c) {
  MPL_ENTER;
  VALID(*c, "MPI_Comm_disconnect");
  PMPI_Barrier(*c);
  return PMPI_Comm_free(c);
}

struct part { int color, key, rank, member; };

static int by_key(const void *a, const void *b) {
  const struct part *p = a, *q = b;
  return p->key != q->key ? (p->key < q->key ? -1 : 1) : p->rank < q->rank ? -1 : p->rank > q->rank;
}

/* Those of one color, by key and rank. */
static struct ompi_group_t *group_of(struct part *parts, int n, int color) {
  qsort(parts, (size_t)n, sizeof(*parts), by_key);
  struct ompi_group_t *g = mpl_group_new(n);
  g->size = 0;
  for (int i = 0; i < n; i++)
    if (parts[i].color == color)
      g->members[g->size++] = parts[i].member;
  return mpl_group_ready(g);
}

static struct ompi_communicator_t *inter_new(struct ompi_group_t *local, struct ompi_group_t *remote, uint32_t context, uint32_t local_context,
                                             struct ompi_communicator_t *parent) {
  struct ompi_communicator_t *n = mpl_comm_new(local, context, parent);
  n->inter = true;
  n->remote = remote;
  remote->refs++;
  n->remote_size = remote->size;
  n->local = mpl_comm_new(local, local_context, parent);
  return n;
}

static int split(struct ompi_communicator_t *c, int color, int key, struct ompi_communicator_t **result) {
  struct part mine = {color, key, c->rank, (int)mpl.rank}, *local = malloc((size_t)c->size * sizeof(mine)), *remote = NULL;
  uint32_t context, local_context = 0;
  *result = MPI_COMM_NULL;
  PMPI_Allgather(&mine, sizeof(mine), MPI_BYTE, local, sizeof(mine), MPI_BYTE, c->inter ? c->local : c);
  if (c->inter) {
    remote = malloc((size_t)c->remote_size * sizeof(mine));
    PMPI_Allgather(&mine, sizeof(mine), MPI_BYTE, remote, sizeof(mine), MPI_BYTE, c);
    context = agree_inter(c, &local_context);
  } else {
    context = mpl_context_agree(c);
  }
  if (color != MPI_UNDEFINED) {
    struct ompi_group_t *g = group_of(local, c->size, color), *r = remote ? group_of(remote, c->remote_size, color) : NULL;
    if (!remote)
      *result = mpl_comm_new(g, context, c);
    else if (r->size)
      *result = inter_new(g, r, context, local_context, c);
    mpl_group_release(g);
    mpl_group_release(r);
  }
  free(local);
  free(remote);
  return MPI_SUCCESS;
}

MPL_API(int, Comm_split, MPI_Comm c, int color, int key, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_split");
  if (color < 0 && color != MPI_UNDEFINED)
    return mpl_error(c, MPI_ERR_ARG, "MPI_Comm_split");
  return split(c, color, key, result);
}

MPL_API(int, Comm_split_type, MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm *result) {
  MPL_ENTER;
  (void)info;
  VALID(c, "MPI_Comm_split_type");
  if (type != MPI_UNDEFINED && (type < 0 || type > OMPI_COMM_TYPE_CLUSTER))
    return mpl_error(c, MPI_ERR_ARG, "MPI_Comm_split_type");
  return split(c, type == MPI_UNDEFINED ? MPI_UNDEFINED : type == OMPI_COMM_TYPE_CLUSTER || type == OMPI_COMM_TYPE_CU ? 0 : (int)mpl.job->node, key, result);
}

MPL_API(int, Comm_create, MPI_Comm c, MPI_Group group, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_create");
  if (!group || group->magic != MPL_GROUP)
    return mpl_error(c, MPI_ERR_GROUP, "MPI_Comm_create");
  if (c->inter) { /* each group is named by its own members */
    int key = group->rank == MPI_UNDEFINED ? 0 : group->rank;
    return split(c, group->rank == MPI_UNDEFINED ? MPI_UNDEFINED : 0, key, result);
  }
  uint32_t context = mpl_context_agree(c);
  *result = group->rank == MPI_UNDEFINED ? MPI_COMM_NULL : mpl_comm_new(group, context, c);
  return MPI_SUCCESS;
}

static int rank_in(const struct ompi_communicator_t *c, int member) {
  for (int i = 0; i < c->size; i++)
    if (c->group->members[i] == member)
      return i;
  return MPI_PROC_NULL;
}

/* One message on the hidden context, apart from those of collectives by its tag. */
static void whisper(struct ompi_communicator_t *c, enum mpl_request_kind kind, void *buf, int count, int peer, int tag) {
  struct ompi_request_t *q = mpl_request_new(kind, c);
  q->buf = buf;
  q->count = count;
  q->type = MPI_INT;
  q->peer = peer;
  q->tag = tag | 0x40000000;
  if (kind == MPL_SEND)
    mpl_send_start(q, true);
  else
    mpl_recv_start(q, true);
  mpl_wait_for(q, "a new communicator", MPL_PLACE);
  mpl_request_free(q);
}

MPL_API(int, Comm_create_group, MPI_Comm c, MPI_Group group, int tag, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Comm_create_group");
  *result = MPI_COMM_NULL;
  if (!group || group->magic != MPL_GROUP)
    return mpl_error(c, MPI_ERR_GROUP, "MPI_Comm_create_group");
  if (group->rank == MPI_UNDEFINED)
    return MPI_SUCCESS;
  uint32_t context = group->rank == 0 ? context_new() : 0;
  for (int i = 1; group->rank == 0 && i < group->size; i++)
    whisper(c, MPL_SEND, &context, 1, rank_in(c, group->members[i]), tag);
  if (group->rank)
    whisper(c, MPL_RECV, &context, 1, rank_in(c, group->members[0]), tag);
  *result = mpl_comm_new(group, context, c);
  return MPI_SUCCESS;
}

/* The leaders exchange their groups and the contexts that they propose; each tells its own group. */
MPL_API(int, Intercomm_create, MPI_Comm c, int leader, MPI_Comm bridge, int remote_leader, int tag, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Intercomm_create");
  if (c->inter || leader < 0 || leader >= c->size)
    return mpl_error(c, c->inter ? MPI_ERR_COMM : MPI_ERR_RANK, "MPI_Intercomm_create");
  int head[3] = {c->size, 0, 0}, theirs[3] = {0, 0, 0}, told[2];
  head[1] = (int)context_new();
  head[2] = c->group->members[0];
  struct ompi_group_t *remote = NULL;
  if (c->rank == leader) {
    PMPI_Sendrecv(head, 3, MPI_INT, remote_leader, tag, theirs, 3, MPI_INT, remote_leader, tag, bridge, MPI_STATUS_IGNORE);
    remote = mpl_group_new(theirs[0]);
    PMPI_Sendrecv(c->group->members, c->size, MPI_INT, remote_leader, tag, remote->members, theirs[0], MPI_INT, remote_leader, tag, bridge,
                  MPI_STATUS_IGNORE);
    told[0] = theirs[0];
    told[1] = head[2] < theirs[2] ? head[1] : theirs[1];
  }
  PMPI_Bcast(told, 2, MPI_INT, leader, c);
  if (!remote)
    remote = mpl_group_new(told[0]);
  PMPI_Bcast(remote->members, told[0], MPI_INT, leader, c);
  remote = mpl_group_ready(remote);
  *result = inter_new(c->group, remote, (uint32_t)told[1], mpl_context_agree(c), c);
  mpl_group_release(remote);
  return MPI_SUCCESS;
}

MPL_API(int, Intercomm_merge, MPI_Comm c, int high, MPI_Comm *result) {
  MPL_ENTER;
  VALID(c, "MPI_Intercomm_merge");
  if (!c->inter)
    return mpl_error(c, MPI_ERR_COMM, "MPI_Intercomm_merge");
  uint32_t local, context = agree_inter(c, &local);
  int mine[2] = {high != 0, c->group->members[0]}, *all = malloc((size_t)c->remote_size * sizeof(mine));
  PMPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, c);
  bool first = mine[0] != all[0] ? mine[0] < all[0] : mine[1] < all[1];
  free(all);
  const struct ompi_group_t *a = first ? c->group : c->remote, *b = first ? c->remote : c->group;
  struct ompi_group_t *g = mpl_group_new(a->size + b->size);
  memcpy(g->members, a->members, (size_t)a->size * sizeof(int));
  memcpy(g->members + a->size, b->members, (size_t)b->size * sizeof(int));
  g = mpl_group_ready(g);
  *result = mpl_comm_new(g, context, c);
  mpl_group_release(g);
  return MPI_SUCCESS;
}
