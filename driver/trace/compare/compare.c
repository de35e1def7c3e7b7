/* The comparison as a sink of records; its beginning and end. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int on_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  size_t n = c->b.sites.n;
  struct dvmt_site_def *rows = realloc(c->b_sites, (n + 1) * sizeof(*rows));
  if (rows)
    c->b_sites = rows;
  struct dvmt_type *types = realloc(c->b_types, (n + 1) * sizeof(*types));
  if (types)
    c->b_types = types;
  struct dvmt_where *places = realloc(c->b_places, (n + 1) * sizeof(*places));
  if (places)
    c->b_places = places;
  char *text = strdup(def->text);
  if (!rows || !types || !places || !text || !dvmt_cmp_add_member(&c->b.members, def->text) ||
      !dvmt_cmp_add_key(&c->b.sites, dvmt_cmp_site_key(c, def->text, false))) {
    free(text);
    return c->rc = -ENOMEM;
  }
  rows[n] = *def;
  rows[n].text = text;
  types[n] = dvmt_type_of(text);
  places[n] = dvmt_site_where(text);
  return c->rc;
}

static int on_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  size_t n = c->b.objects.n;
  struct dvmt_object_def *rows = realloc(c->b_objects, (n + 1) * sizeof(*rows));
  if (rows)
    c->b_objects = rows;
  char *name = strdup(def->name);
  if (!rows || !name || !dvmt_cmp_add_key(&c->b.objects, dvmt_cmp_intern(c, def->name))) {
    free(name);
    return c->rc = -ENOMEM;
  }
  rows[n] = *def;
  rows[n].name = name;
  return c->rc;
}

void dvmt_cmp_record(struct dvmt_compare *c, const struct dvmt_record *r) {
  struct item it;
  c->totals.records++;
  c->last_site = r->kind == DVMT_UNRECORDED ? c->last_site : r->site;
  if (r->kind == DVMT_UNRECORDED) {
    dvmt_cmp_unrecorded(c, c->b_sites[r->site].text, r->words[0], false);
    return;
  }
  if (dvmt_is_call(r->kind)) {
    c->totals.calls++;
    dvmt_cmp_follow_call(c, r);
    return;
  }
  if (c->over || dvmt_cmp_skip_damaged(&c->b_skip, r->kind)) {
    c->totals.left_out += c->options.limited && !c->over;
    return;
  }
  if (c->b_levels && !dvmt_levels_keep(c->b_levels, r, &c->b_sites[r->site])) {
    c->totals.left_out++;
    c->totals.shared += r->kind == DVMT_DIGEST && r->nwords > 2 && !(c->b_objects[r->object].flags & DVMT_OBJECT_ARRAY) &&
                        strcmp(c->b_objects[r->object].name, DVMT_EXECUTED) != 0;
    return;
  }
  dvmt_cmp_to_item(c, false, r, &it);
  if (c->masks && dvmt_cmp_is_masked(c, &c->b.masks, &it, c->b_sites[r->site].text)) {
    c->totals.masked++;
    return;
  }
  dvmt_cmp_note_partly(c, &it);
  if (c->in_parallel)
    dvmt_cmp_in_parallel(c, &it);
  else
    dvmt_cmp_in_order(c, &it);
}

/* Whether nothing of either side waits for what comes now. */
static bool may_join(struct dvmt_compare *c, const struct dvmt_record *r) {
  if (!c->in_parallel)
    return !c->b_items.n;
  if (r->kind != DVMT_ITER || c->parallel_depth || c->b.sites.key[r->site] != c->parallel_key)
    return false;
  c->totals.records++; /* what ends it */
  dvmt_cmp_end_iteration(c);
  c->totals.records--;
  return !c->unpaired && !c->overflow && !c->nwaiting;
}

static int on_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct dvmt_compare *c = (struct dvmt_compare *)sink;
  if (!c->matched) {
    c->matched = true;
    dvmt_cmp_match_places(c);
  }
  if (!c->alike.on && may_join(c, r))
    dvmt_cmp_join(c, r);
  if (!c->alike.on || !dvmt_cmp_alike(c, r))
    dvmt_cmp_record(c, r);
  return c->rc;
}

struct dvmt_compare *dvmt_compare_create(struct dvmt_reader *reference, const struct dvmt_compare_options *options) {
  struct dvmt_compare *c = calloc(1, sizeof(*c));
  if (!c)
    return NULL;
  c->sink = (struct dvmt_sink){on_site, on_object, on_record, NULL, 0};
  c->reference = reference;
  c->a_status = c->b_status = -1;
  c->masks = options->ignore && options->ignore->n;
  dvmt_reader_go_ahead(reference);
  c->options = *options;
  c->seen = calloc(SEEN_MAX, sizeof(*c->seen));
  if (options->reference_recorded && options->run_recorded) {
    c->a_levels = dvmt_levels_create(options->run_recorded);
    c->b_levels = dvmt_levels_create(options->reference_recorded);
  }
  if (c->seen && !options->run_recorded == !c->a_levels && !c->a_levels == !c->b_levels)
    return c;
  dvmt_levels_destroy(c->a_levels);
  dvmt_levels_destroy(c->b_levels);
  free(c->seen);
  free(c);
  return NULL;
}

struct dvmt_sink *dvmt_compare_sink(struct dvmt_compare *c) { return &c->sink; }

void dvmt_compare_destroy(struct dvmt_compare *c) {
  if (!c)
    return;
  dvmt_cmp_clear_window(c);
  for (size_t i = 0; i < c->nfindings; i++)
    dvmt_cmp_finding_free(c->findings[i]);
  for (size_t i = 0; i < c->nnames; i++)
    free(c->names[i]);
  for (size_t i = 0; i < c->b.sites.n; i++)
    free((char *)c->b_sites[i].text);
  for (size_t i = 0; i < c->b.objects.n; i++)
    free((char *)c->b_objects[i].name);
  free(c->findings);
  free(c->names);
  free(c->name_slots);
  free(c->b_sites);
  free(c->b_types);
  free(c->b_objects);
  free(c->a.sites.key);
  free(c->a.objects.key);
  free(c->b.sites.key);
  free(c->b.objects.key);
  free(c->a_items.row);
  free(c->b_items.row);
  free(c->b_tail.row);
  free(c->a_counts.count);
  free(c->b_counts.count);
  free(c->a_totals.count);
  free(c->a_sums.sum);
  free(c->b_sums.sum);
  free(c->partners);
  dvmt_cmp_clear_scales(c);
  dvmt_levels_destroy(c->a_levels);
  dvmt_levels_destroy(c->b_levels);
  dvmt_reader_close(c->paging);
  free(c->packing.p);
  free(c->accepted);
  free(c->leads);
  free(c->partly.key);
  free(c->touched.key);
  free(c->digits);
  dvmt_cmp_clear_calls(c);
  free(c->a_types);
  free(c->b_places);
  free(c->a.masks.row);
  free(c->b.masks.row);
  free(c->a.members.row);
  free(c->b.members.row);
  free(c->alike.sites.row);
  free(c->alike.objects.row);
  free(c->seen);
  free(c);
}

const struct dvmt_compare_totals *dvmt_compare_totals(const struct dvmt_compare *c) { return &c->totals; }

size_t dvmt_compare_nfindings(const struct dvmt_compare *c) { return c->nfindings; }

const struct dvmt_finding *dvmt_compare_finding(const struct dvmt_compare *c, size_t n) { return c->findings[n]; }
