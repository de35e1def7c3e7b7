/* Attributes of communicators and datatypes, and info objects. */
#include "mpir/mpi/comm.h"
#include "mpir/mpi/core.h"
#include "mpir/mpi/type.h"
#include <stdlib.h>
#include <string.h>

/* Both kinds of callbacks have one shape: an owner's handle, the key, a state. */
typedef int copy_f(void *, int, void *, void *, void *, int *);
typedef int delete_f(void *, int, void *, void *);
struct keyval { copy_f *copy; delete_f *delete; void *state; enum mpl_attr_kind kind; bool live; };
static struct keyval *keyvals;
static int nkeyvals;
enum { FIRST_KEYVAL = 32 }; /* below: the predefined ones */

static struct keyval *find_keyval(int key) {
  int i = key - FIRST_KEYVAL;
  return i >= 0 && i < nkeyvals ? &keyvals[i] : NULL;
}

int mpl_keyval_new(void *copy, void *delete, void *state, enum mpl_attr_kind kind, int *key) {
  keyvals = realloc(keyvals, (size_t)(nkeyvals + 1) * sizeof(*keyvals));
  keyvals[nkeyvals] = (struct keyval){(copy_f *)(uintptr_t)copy, (delete_f *)(uintptr_t)delete, state, kind, true};
  *key = FIRST_KEYVAL + nkeyvals++;
  return MPI_SUCCESS;
}

static int keyval_free(int *key, const char *call) {
  struct keyval *k = find_keyval(*key);
  if (!k)
    return mpl_error(NULL, MPI_ERR_KEYVAL, call);
  k->live = false; /* its functions are called until the last attribute is gone */
  *key = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

static struct mpl_attr **find(struct mpl_attr **list, int key) {
  while (*list && (*list)->keyval != key)
    list = &(*list)->next;
  return list;
}

/* A datatype, or a communicator: both begin with their mark. */
static MPI_Fint handle_of(void *owner) {
  return *(uint32_t *)owner == MPL_TYPE ? PMPI_Type_c2f(owner) : PMPI_Comm_c2f(owner);
}

/* Integers of Fortran's, of 4 bytes or of 8, are passed by their addresses; they lie in the low bytes of the pointers that we keep. */
static int call_delete(const struct keyval *k, void *owner, int key, void *value) {
  if (!k || !k->delete)
    return MPI_SUCCESS;
  if (k->kind == MPL_ATTR_C)
    return k->delete(owner, key, value, k->state);
  MPI_Fint handle = handle_of(owner), rc = MPI_SUCCESS;
  void *state = k->state;
  ((void (*)(MPI_Fint *, int *, void *, void *, MPI_Fint *))(uintptr_t)k->delete)(&handle, &key, &value, &state, &rc);
  return rc;
}

static int call_copy(const struct keyval *k, void *owner, const struct mpl_attr *a, void **value, int *flag) {
  *flag = 0;
  if (!k || !k->copy)
    return MPI_SUCCESS;
  if (k->kind == MPL_ATTR_C)
    return k->copy(owner, a->keyval, k->state, a->value, value, flag);
  MPI_Fint handle = handle_of(owner), rc = MPI_SUCCESS;
  void *state = k->state, *from = a->value;
  int key = a->keyval;
  ((void (*)(MPI_Fint *, int *, void *, void *, void *, int *, MPI_Fint *))(uintptr_t)k->copy)(&handle, &key, &state, &from, value, flag, &rc);
  if (k->kind == MPL_ATTR_FINT)
    *value = (void *)(intptr_t)(MPI_Fint)(intptr_t)*value;
  return rc;
}

static int remove_attr(void *owner, struct mpl_attr **at) {
  struct mpl_attr *a = *at;
  struct keyval *k = find_keyval(a->keyval);
  int rc = call_delete(k, owner, a->keyval, a->value);
  if (rc)
    return rc;
  for (; *at != a; at = &(*at)->next) /* the function may have changed the list */
    if (!*at)
      return MPI_SUCCESS;
  *at = a->next;
  free(a);
  return MPI_SUCCESS;
}

int mpl_attrs_delete(void *owner, struct mpl_attr **attrs) {
  while (*attrs) {
    int rc = remove_attr(owner, attrs);
    if (rc)
      return rc;
  }
  return MPI_SUCCESS;
}

void mpl_attrs_delete_all(struct ompi_communicator_t *c) { mpl_attrs_delete(c, &c->attrs); }

static int copy_one(void *owner, const struct mpl_attr *a, struct mpl_attr **to) {
  struct keyval *k = find_keyval(a->keyval);
  void *value = NULL;
  int flag, rc = call_copy(k, owner, a, &value, &flag);
  if (rc || !flag)
    return rc;
  struct mpl_attr *n = malloc(sizeof(*n));
  *n = (struct mpl_attr){*to, a->keyval, a->integer, value};
  *to = n;
  return MPI_SUCCESS;
}

int mpl_attrs_copy(void *owner, struct mpl_attr *from, struct mpl_attr **to) {
  if (!from)
    return MPI_SUCCESS;
  int rc = mpl_attrs_copy(owner, from->next, to); /* so that the order stays */
  return rc ? rc : copy_one(owner, from, to);
}

int mpl_attr_set(void *owner, struct mpl_attr **list, int key, void *value, bool integer) {
  struct keyval *k = find_keyval(key);
  if (!k || !k->live)
    return MPI_ERR_KEYVAL;
  struct mpl_attr *a = *find(list, key);
  if (a) {
    int rc = call_delete(k, owner, key, a->value);
    if (!rc)
      *a = (struct mpl_attr){a->next, key, integer, value};
    return rc;
  }
  a = malloc(sizeof(*a));
  *a = (struct mpl_attr){*list, key, integer, value};
  *list = a;
  return MPI_SUCCESS;
}

static int predefined(int key, void *value, int *flag) {
  static int tag_ub = MPL_TAG_UB, host = MPI_PROC_NULL, io = MPI_ANY_SOURCE, global = 1, appnum, universe, last;
  last = mpl_last_code();
  universe = (int)(mpl.job ? mpl.job->universe : 1);
  int *const values[] = {[MPI_TAG_UB] = &tag_ub, [MPI_HOST] = &host, [MPI_IO] = &io, [MPI_WTIME_IS_GLOBAL] = &global,
                         [MPI_APPNUM] = &appnum, [MPI_LASTUSEDCODE] = &last, [MPI_UNIVERSE_SIZE] = &universe};
  *flag = key >= 0 && key < (int)(sizeof(values) / sizeof(*values)) && values[key];
  if (*flag)
    *(int **)value = values[key];
  return MPI_SUCCESS;
}

bool mpl_attr_get_integer(struct mpl_attr *const *list, int key, MPI_Aint *value, int *flag) {
  int *number = NULL;
  if (key >= 0 && key < FIRST_KEYVAL) {
    predefined(key, &number, flag);
    *value = *flag ? *number : 0;
    return true;
  }
  const struct mpl_attr *a = list ? *list : NULL;
  while (a && a->keyval != key)
    a = a->next;
  *flag = a != NULL;
  if (a)
    *value = (MPI_Aint)a->value;
  return find_keyval(key) != NULL;
}

static int get(struct mpl_attr **list, int key, void *value, int *flag) {
  if (!find_keyval(key))
    return MPI_ERR_KEYVAL;
  struct mpl_attr *a = *find(list, key);
  *flag = a != NULL;
  if (a)
    *(void **)value = a->integer ? &a->value : a->value;
  return MPI_SUCCESS;
}

/* --- communicators --- */

static int bad(const struct ompi_communicator_t *c) { return !c || c->magic != MPL_COMM || c == MPI_COMM_NULL; }

MPL_API(int, Comm_create_keyval, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *key, void *state) {
  MPL_ENTER;
  return mpl_keyval_new((void *)(uintptr_t)copy, (void *)(uintptr_t)delete, state, MPL_ATTR_C, key);
}
MPL_API(int, Comm_free_keyval, int *key) { return keyval_free(key, "MPI_Comm_free_keyval"); }
MPL_API(int, Keyval_create, MPI_Copy_function *copy, MPI_Delete_function *delete, int *key, void *state) {
  MPL_ENTER;
  return mpl_keyval_new((void *)(uintptr_t)copy, (void *)(uintptr_t)delete, state, MPL_ATTR_C, key);
}
MPL_API(int, Keyval_free, int *key) { return keyval_free(key, "MPI_Keyval_free"); }

static int comm_set(struct ompi_communicator_t *c, int key, void *value, const char *call) {
  int rc = bad(c) ? MPI_ERR_COMM : mpl_attr_set(c, c->attrs_at = &c->attrs, key, value, false);
  return rc ? mpl_error(c, rc, call) : MPI_SUCCESS;
}
static int comm_get(struct ompi_communicator_t *c, int key, void *value, int *flag, const char *call) {
  int rc = bad(c) ? MPI_ERR_COMM : key < FIRST_KEYVAL && key >= 0 ? predefined(key, value, flag) : get(&c->attrs, key, value, flag);
  return rc ? mpl_error(c, rc, call) : MPI_SUCCESS;
}
static int comm_delete(struct ompi_communicator_t *c, int key, const char *call) {
  struct mpl_attr **at = bad(c) ? NULL : find(&c->attrs, key);
  int rc = !at ? MPI_ERR_COMM : !*at ? MPI_ERR_KEYVAL : remove_attr(c, at);
  return rc ? mpl_error(c, rc, call) : MPI_SUCCESS;
}
MPL_API(int, Comm_set_attr, MPI_Comm c, int key, void *value) { return comm_set(c, key, value, "MPI_Comm_set_attr"); }
MPL_API(int, Attr_put, MPI_Comm c, int key, void *value) { return comm_set(c, key, value, "MPI_Attr_put"); }
MPL_API(int, Comm_get_attr, MPI_Comm c, int key, void *value, int *flag) { return comm_get(c, key, value, flag, "MPI_Comm_get_attr"); }
MPL_API(int, Attr_get, MPI_Comm c, int key, void *value, int *flag) { return comm_get(c, key, value, flag, "MPI_Attr_get"); }
MPL_API(int, Comm_delete_attr, MPI_Comm c, int key) { return comm_delete(c, key, "MPI_Comm_delete_attr"); }
MPL_API(int, Attr_delete, MPI_Comm c, int key) { return comm_delete(c, key, "MPI_Attr_delete"); }

/* --- datatypes --- */

MPL_API(int, Type_create_keyval, MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *delete, int *key, void *state) {
  MPL_ENTER;
  return mpl_keyval_new((void *)(uintptr_t)copy, (void *)(uintptr_t)delete, state, MPL_ATTR_C, key);
}
MPL_API(int, Type_free_keyval, int *key) { return keyval_free(key, "MPI_Type_free_keyval"); }
MPL_API(int, Type_set_attr, MPI_Datatype t, int key, void *value) {
  MPL_ENTER;
  int rc = mpl_attr_set(t, t->attrs_at = &t->attrs, key, value, false);
  return rc ? mpl_error(NULL, rc, "MPI_Type_set_attr") : MPI_SUCCESS;
}
MPL_API(int, Type_get_attr, MPI_Datatype t, int key, void *value, int *flag) {
  MPL_ENTER;
  int rc = get(&t->attrs, key, value, flag);
  return rc ? mpl_error(NULL, rc, "MPI_Type_get_attr") : MPI_SUCCESS;
}
MPL_API(int, Type_delete_attr, MPI_Datatype t, int key) {
  MPL_ENTER;
  struct mpl_attr **at = find(&t->attrs, key);
  int rc = *at ? remove_attr(t, at) : MPI_ERR_KEYVAL;
  return rc ? mpl_error(NULL, rc, "MPI_Type_delete_attr") : MPI_SUCCESS;
}

/* --- predefined callbacks, under both of their names --- */

#define CALLBACK(name, arguments, ...) \
  int OMPI_C_MPI_##name arguments __VA_ARGS__
CALLBACK(TYPE_NULL_DELETE_FN, (MPI_Datatype t, int key, void *value, void *state), { (void)t, (void)key, (void)value, (void)state; return 0; })
CALLBACK(COMM_NULL_DELETE_FN, (MPI_Comm c, int key, void *value, void *state), { (void)c, (void)key, (void)value, (void)state; return 0; })
CALLBACK(WIN_NULL_DELETE_FN, (MPI_Win w, int key, void *value, void *state), { (void)w, (void)key, (void)value, (void)state; return 0; })
CALLBACK(NULL_DELETE_FN, (MPI_Comm c, int key, void *value, void *state), { (void)c, (void)key, (void)value, (void)state; return 0; })
#define COPIES(kind, type)                                                                                                      \
  CALLBACK(kind##NULL_COPY_FN, (type o, int key, void *state, void *in, void *out, int *flag),                                  \
           { (void)o, (void)key, (void)state, (void)in, (void)out; *flag = 0; return 0; })                                      \
  CALLBACK(kind##DUP_FN, (type o, int key, void *state, void *in, void *out, int *flag),                                        \
           { (void)o, (void)key, (void)state; *flag = 1; *(void **)out = in; return 0; })
COPIES(TYPE_, MPI_Datatype)
COPIES(COMM_, MPI_Comm)
COPIES(WIN_, MPI_Win)
COPIES(, MPI_Comm)

/* --- info --- */

static int bad_info(const struct ompi_info_t *i) { return !i || i->magic != MPL_INFO; }
static struct mpl_pair **find_pair(struct ompi_info_t *i, const char *key) {
  struct mpl_pair **at = &i->pairs;
  while (*at && strcmp((*at)->key, key))
    at = &(*at)->next;
  return at;
}

MPL_API(int, Info_create, MPI_Info *info) {
  MPL_ENTER;
  *info = calloc(1, sizeof(**info));
  **info = (struct ompi_info_t){MPL_INFO, 1, -1, NULL};
  return MPI_SUCCESS;
}

MPL_API(int, Info_set, MPI_Info info, const char *key, const char *value) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_set");
  if (!key || !*key || strlen(key) >= MPI_MAX_INFO_KEY)
    return mpl_error(NULL, MPI_ERR_INFO_KEY, "MPI_Info_set");
  if (!value || !*value || strlen(value) >= MPI_MAX_INFO_VAL)
    return mpl_error(NULL, MPI_ERR_INFO_VALUE, "MPI_Info_set");
  struct mpl_pair **at = find_pair(info, key);
  if (!*at) {
    *at = calloc(1, sizeof(**at));
    (*at)->key = strdup(key);
  }
  free((*at)->value);
  (*at)->value = strdup(value);
  return MPI_SUCCESS;
}

static void free_pair(struct mpl_pair **at) {
  struct mpl_pair *p = *at;
  *at = p->next;
  free(p->key);
  free(p->value);
  free(p);
}

MPL_API(int, Info_delete, MPI_Info info, const char *key) {
  MPL_ENTER;
  struct mpl_pair **at = bad_info(info) ? NULL : find_pair(info, key);
  if (!at || !*at)
    return mpl_error(NULL, at ? MPI_ERR_INFO_NOKEY : MPI_ERR_INFO, "MPI_Info_delete");
  free_pair(at);
  return MPI_SUCCESS;
}

MPL_API(int, Info_get, MPI_Info info, const char *key, int length, char *value, int *flag) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_get");
  struct mpl_pair *p = *find_pair(info, key);
  *flag = p != NULL;
  if (p) {
    strncpy(value, p->value, (size_t)length);
    value[length] = 0;
  }
  return MPI_SUCCESS;
}

MPL_API(int, Info_get_valuelen, MPI_Info info, const char *key, int *length, int *flag) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_get_valuelen");
  struct mpl_pair *p = *find_pair(info, key);
  *flag = p != NULL;
  if (p)
    *length = (int)strlen(p->value);
  return MPI_SUCCESS;
}

MPL_API(int, Info_get_nkeys, MPI_Info info, int *n) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_get_nkeys");
  *n = 0;
  for (struct mpl_pair *p = info->pairs; p; p = p->next)
    ++*n;
  return MPI_SUCCESS;
}

MPL_API(int, Info_get_nthkey, MPI_Info info, int n, char *key) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_get_nthkey");
  struct mpl_pair *p = info->pairs;
  for (; p && n > 0; n--)
    p = p->next;
  if (!p || n < 0)
    return mpl_error(NULL, MPI_ERR_ARG, "MPI_Info_get_nthkey");
  strcpy(key, p->key);
  return MPI_SUCCESS;
}

MPL_API(int, Info_dup, MPI_Info info, MPI_Info *copy) {
  MPL_ENTER;
  if (bad_info(info))
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_dup");
  PMPI_Info_create(copy);
  for (struct mpl_pair *p = info->pairs; p; p = p->next)
    PMPI_Info_set(*copy, p->key, p->value);
  return MPI_SUCCESS;
}

MPL_API(int, Info_free, MPI_Info *info) {
  MPL_ENTER;
  if (bad_info(*info) || *info == MPI_INFO_ENV)
    return mpl_error(NULL, MPI_ERR_INFO, "MPI_Info_free");
  while ((*info)->pairs)
    free_pair(&(*info)->pairs);
  free(*info);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
