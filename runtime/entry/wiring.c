#include "runtime/entry/wiring.h"
#include "runtime/entry/host.h"
#include "runtime/report/diag.h"
#include "runtime/report/explain.h"
#include "runtime/report/stats.h"
#include "runtime/rules/across.h"
#include "runtime/rules/outdated.h"
#include "runtime/rules/recall.h"
#include "runtime/rules/reduce.h"
#include "runtime/rules/replicas.h"
#include "runtime/rules/region.h"
#include "runtime/rules/remote.h"
#include "runtime/rules/task.h"

/* In this order: what a rule reports when a nest is over counts for those that keep what the execution gave. */
static const struct dvmrt_subscriber subscribers[] = {
    {.before = dvmrt_check_before},
    {.before = dvmrt_task_before, .over = dvmrt_task_over},
    {.before = dvmrt_region_before, .over = dvmrt_region_over},
    {.before = dvmrt_remote_before, .over = dvmrt_remote_over},
    {.before = dvmrt_outdated_before, .over = dvmrt_outdated_over},
    {.over = dvmrt_reduce_over},
    {.over = dvmrt_replicas_over},
    {.over = dvmrt_stats_over, .judged = dvmrt_stats_judged},
    {.over = dvmrt_across_over},
    {.over = dvmrt_recall_over},
    {.over = dvmrt_group_over, .left = dvmrt_group_left},
    {0},
};

void dvmrt_wiring_init(void) {
  dvmrt_verdict_listener = dvmrt_explain;
  dvmrt_diag_listener = dvmrt_host_diagnostic;
  dvmrt_construct_subscribe(subscribers);
}
