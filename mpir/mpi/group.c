#include "mpir/mpi/comm.h"
#include "mpir/mpi/core.h"
#include <stdlib.h>
#include <string.h>

struct ompi_group_t *mpl_group_new(int size) {
  struct ompi_group_t *g = calloc(1, sizeof(*g));
  *g = (struct ompi_group_t){.magic = MPL_GROUP, .refs = 1, .size = size, .rank = MPI_UNDEFINED, .f_index = -1};
  g->members = malloc((size_t)(size ? size : 1) * sizeof(int));
  return g;
}

struct ompi_group_t *mpl_group_ready(struct ompi_group_t *g) {
  for (int i = 0; i < g->size; i++)
    if (g->members[i] == (int)mpl.rank)
      g->rank = i;
  if (g->size)
    return g;
  mpl_group_release(g);
  return MPI_GROUP_EMPTY;
}

void mpl_group_release(struct ompi_group_t *g) {
  if (!g || g->predefined || --g->refs)
    return;
  free(g->members);
  free(g);
}

static int bad(const struct ompi_group_t *g) { return !g || g->magic != MPL_GROUP; }
static int find(const struct ompi_group_t *g, int member) {
  for (int i = 0; i < g->size; i++)
    if (g->members[i] == member)
      return i;
  return MPI_UNDEFINED;
}

MPL_API(int, Group_size, MPI_Group g, int *size) {
  if (bad(g))
    return mpl_error(NULL, MPI_ERR_GROUP, "MPI_Group_size");
  *size = g->size;
  return MPI_SUCCESS;
}

MPL_API(int, Group_rank, MPI_Group g, int *rank) {
  if (bad(g))
    return mpl_error(NULL, MPI_ERR_GROUP, "MPI_Group_rank");
  *rank = g->rank;
  return MPI_SUCCESS;
}

MPL_API(int, Group_free, MPI_Group *g) {
  MPL_ENTER;
  if (bad(*g))
    return mpl_error(NULL, MPI_ERR_GROUP, "MPI_Group_free");
  mpl_group_release(*g);
  *g = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

MPL_API(int, Group_translate_ranks, MPI_Group a, int n, const int from[], MPI_Group b, int to[]) {
  if (bad(a) || bad(b))
    return mpl_error(NULL, MPI_ERR_GROUP, "MPI_Group_translate_ranks");
  for (int i = 0; i < n; i++) {
    if (from[i] != MPI_PROC_NULL && (from[i] < 0 || from[i] >= a->size))
      return mpl_error(NULL, MPI_ERR_RANK, "MPI_Group_translate_ranks");
    to[i] = from[i] == MPI_PROC_NULL ? MPI_PROC_NULL : find(b, a->members[from[i]]);
  }
  return MPI_SUCCESS;
}

MPL_API(int, Group_compare, MPI_Group a, MPI_Group b, int *result) {
  if (bad(a) || bad(b))
    return mpl_error(NULL, MPI_ERR_GROUP, "MPI_Group_compare");
  *result = a->size == b->size ? MPI_IDENT : MPI_UNEQUAL;
  for (int i = 0; i < a->size && *result != MPI_UNEQUAL; i++)
    if (find(b, a->members[i]) == MPI_UNDEFINED)
      *result = MPI_UNEQUAL;
    else if (a->members[i] != b->members[i])
      *result = MPI_SIMILAR;
  return MPI_SUCCESS;
}

/* Those of 'a' that are (or are not) in 'b', then those of 'more' that are not in 'a'. */
static struct ompi_group_t *select_members(const struct ompi_group_t *a, const struct ompi_group_t *b, bool in, const struct ompi_group_t *more) {
  struct ompi_group_t *g = mpl_group_new(a->size + (more ? more->size : 0));
  g->size = 0;
  for (int i = 0; i < a->size; i++)
    if (!b || (find(b, a->members[i]) != MPI_UNDEFINED) == in)
      g->members[g->size++] = a->members[i];
  for (int i = 0; more && i < more->size; i++)
    if (find(a, more->members[i]) == MPI_UNDEFINED)
      g->members[g->size++] = more->members[i];
  return mpl_group_ready(g);
}

#define SETS(name, expression)                                               \
  MPL_API(int, name, MPI_Group a, MPI_Group b, MPI_Group *result) {          \
    MPL_ENTER; \
    if (bad(a) || bad(b))                                                    \
      return mpl_error(NULL, MPI_ERR_GROUP, "MPI_" #name);                   \
    *result = expression;                                                    \
    return MPI_SUCCESS;                                                      \
  }
SETS(Group_union, select_members(a, NULL, true, b))
SETS(Group_intersection, select_members(a, b, true, NULL))
SETS(Group_difference, select_members(a, b, false, NULL))

static int mark(const struct ompi_group_t *g, int rank, bool *chosen) {
  if (rank < 0 || rank >= g->size || chosen[rank])
    return MPI_ERR_RANK;
  chosen[rank] = true;
  return MPI_SUCCESS;
}

static struct ompi_group_t *without(const struct ompi_group_t *g, const bool *chosen) {
  struct ompi_group_t *r = mpl_group_new(g->size);
  r->size = 0;
  for (int i = 0; i < g->size; i++)
    if (!chosen[i])
      r->members[r->size++] = g->members[i];
  return mpl_group_ready(r);
}

/* 'ranks' in order: the group with them, or what is left without them. */
static int choose(struct ompi_group_t *g, int n, const int *ranks, bool include, MPI_Group *result) {
  bool *chosen = calloc((size_t)g->size + 1, 1);
  int rc = MPI_SUCCESS;
  for (int i = 0; i < n && !rc; i++)
    rc = mark(g, ranks[i], chosen);
  if (!rc && include) {
    struct ompi_group_t *r = mpl_group_new(n);
    for (int i = 0; i < n; i++)
      r->members[i] = g->members[ranks[i]];
    *result = mpl_group_ready(r);
  } else if (!rc) {
    *result = without(g, chosen);
  }
  free(chosen);
  return rc;
}

#define LISTS(name, include)                                                          \
  MPL_API(int, name, MPI_Group g, int n, const int ranks[], MPI_Group *result) {      \
    MPL_ENTER; \
    int rc = bad(g) ? MPI_ERR_GROUP : choose(g, n, ranks, include, result);           \
    return rc ? mpl_error(NULL, rc, "MPI_" #name) : MPI_SUCCESS;                      \
  }
LISTS(Group_incl, true)
LISTS(Group_excl, false)

static int choose_ranges(struct ompi_group_t *g, int n, int ranges[][3], bool include, MPI_Group *result) {
  int *ranks = malloc(((size_t)g->size + 1) * sizeof(int)), count = 0, rc = MPI_SUCCESS;
  for (int i = 0; i < n && !rc; i++) {
    int first = ranges[i][0], last = ranges[i][1], step = ranges[i][2];
    if (!step)
      rc = MPI_ERR_ARG;
    for (int r = first; !rc && (step > 0 ? r <= last : r >= last); r += step)
      if (count >= g->size)
        rc = MPI_ERR_RANK;
      else
        ranks[count++] = r;
  }
  if (!rc)
    rc = choose(g, count, ranks, include, result);
  free(ranks);
  return rc;
}

#define RANGES(name, include)                                                         \
  MPL_API(int, name, MPI_Group g, int n, int ranges[][3], MPI_Group *result) {        \
    MPL_ENTER; \
    int rc = bad(g) ? MPI_ERR_GROUP : choose_ranges(g, n, ranges, include, result);   \
    return rc ? mpl_error(NULL, rc, "MPI_" #name) : MPI_SUCCESS;                      \
  }
RANGES(Group_range_incl, true)
RANGES(Group_range_excl, false)
