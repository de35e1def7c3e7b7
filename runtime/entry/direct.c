#include "runtime/entry/direct.h"
#include "runtime/data/array.h"
#include "runtime/rules/copy.h"
#include "runtime/rules/declared.h"
#include "runtime/rules/group.h"
#include "runtime/rules/named.h"
#include "runtime/rules/region.h"
#include "runtime/rules/region_reach.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/task.h"
#include <string.h>

typedef void direct_f(struct dvmrt_directive *d, const int64_t *args);

static const char *group_of(const struct dvmrt_directive *d) {
  const struct dvmrt_item *i = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_GROUP);
  return i ? i->ref.name : "";
}

static void shadow_start(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_shadow_start(d, group_of(d)); }
static void shadow_wait(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_shadow_wait(d, group_of(d)); }
static void reduction_start(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_reduction_start(d, group_of(d)); }
static void reduction_wait(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_reduction_wait(d, group_of(d)); }
static void consistent_start(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_consistent_start(d, group_of(d)); }
static void consistent_wait(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_group_consistent_wait(d, group_of(d)); }

static void remote_start(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_remote_start(d, group_of(d)); }
static void remote_wait(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_remote_wait(d, group_of(d)); }
static void remote_reset(struct dvmrt_directive *d, const int64_t *args) { (void)args, dvmrt_remote_reset(d, group_of(d)); }

static void declare(struct dvmrt_directive *d, const int64_t *args) {
  dvmrt_declared_here(d, args);
  dvmrt_array_declare(d, args);
  dvmrt_task_place(d, args);
}

static void redistribute(struct dvmrt_directive *d, const int64_t *args) {
  dvmrt_array_redistribute(d, args);
  dvmrt_task_place(d, args);
}

static void copy(struct dvmrt_directive *d, const int64_t *args) {
  dvmrt_region_copies(d, args);
  dvmrt_copy_run(d, args);
}

static const struct {
  const char *kind;
  direct_f *run;
} kinds[] = {
    {"array", declare},
    {"bind", dvmrt_array_declare},
    {"template", declare},
    {"extern", dvmrt_declared_elsewhere},
    {"task", dvmrt_task_declare},
    {"processors", dvmrt_task_processors},
    {"map", dvmrt_task_map},
    {"redistribute", redistribute},
    {"realign", redistribute},
    {"array_copy", copy},
    {"actual", dvmrt_region_actual},
    {"get_actual", dvmrt_region_get_actual},
    {"reached", dvmrt_region_reached},
    {"reaches", dvmrt_region_reached},
    {"shadow_add", dvmrt_named_add},
    {"localize", dvmrt_named_localize},
    {"shadow_group", dvmrt_group_define},
    {"shadow_start", shadow_start},
    {"shadow_wait", shadow_wait},
    {"reduction_start", reduction_start},
    {"reduction_wait", reduction_wait},
    {"consistent_start", consistent_start},
    {"consistent_wait", consistent_wait},
    {"remote_start", remote_start},
    {"remote_wait", remote_wait},
    {"remote_reset", remote_reset},
    {"copy_begin", dvmrt_copy_begin},
    {"copy_to", dvmrt_copy_to},
    {"copy_from", dvmrt_copy_from},
    {"copy_wait", dvmrt_copy_wait},
};

void dvmrt_direct_run(struct dvmrt_directive *d, const int64_t *args) {
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (!strcmp(kinds[i].kind, d->kind))
      kinds[i].run(d, args);
}
