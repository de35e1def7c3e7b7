#include "test/unit/directive/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct printer {
  struct dvm_text *out;
  const struct dvm_token *tokens;
  size_t ntokens;
};

static void refuse(const char *what) {
  fprintf(stderr, "print_directive: %s lies outside of the directive\n", what);
  abort();
}

static void print_token(struct printer *pr, unsigned at) {
  if (at >= pr->ntokens)
    refuse("a token");
  dvm_text_add_n(pr->out, pr->tokens[at].text, pr->tokens[at].len);
}

/* The tokens with single blanks, in '..' when there are several. */
static void print_range(struct printer *pr, struct dvm_range r) {
  if (r.count == 0) {
    dvm_text_add(pr->out, "()");
    return;
  }
  if (r.first >= pr->ntokens || r.count > pr->ntokens - r.first)
    refuse("a range");
  if (r.count > 1)
    dvm_text_add(pr->out, "'");
  for (unsigned i = 0; i < r.count; i++) {
    if (i)
      dvm_text_add(pr->out, " ");
    print_token(pr, r.first + i);
  }
  if (r.count > 1)
    dvm_text_add(pr->out, "'");
}

static void print_bracket(struct printer *pr, unsigned at) {
  if (at >= pr->ntokens || (pr->tokens[at].text[0] != '[' && pr->tokens[at].text[0] != '<'))
    refuse("a bracket");
}

/* coef*#index:name+add */
static void print_affine(struct printer *pr, const struct dvm_axis *a) {
  if (!a->affine)
    refuse("the mark of an affine axis");
  dvm_text_add(pr->out, a->negative_coef ? "-" : "");
  if (a->coef.count) {
    print_range(pr, a->coef);
    dvm_text_add(pr->out, "*");
  }
  dvm_text_printf(pr->out, "#%u:", a->index);
  print_token(pr, a->index_token);
  if (a->add.count) {
    dvm_text_add(pr->out, a->negative_add ? "-" : "+");
    print_range(pr, a->add);
  }
}

static void print_axis(struct printer *pr, const struct dvm_axis *a) {
  print_bracket(pr, a->bracket);
  dvm_text_add(pr->out, " ");
  switch (a->kind) {
  case DVM_AXIS_EMPTY: dvm_text_add(pr->out, "()"); break;
  case DVM_AXIS_EXPR: print_range(pr, a->expr); break;
  case DVM_AXIS_RANGE:
    dvm_text_add(pr->out, "(range ");
    print_range(pr, a->expr);
    dvm_text_add(pr->out, " ");
    print_range(pr, a->high);
    dvm_text_add(pr->out, ")");
    break;
  case DVM_AXIS_OTHER:
    dvm_text_printf(pr->out, "(%s #%u:", a->affine ? "affine" : "other", a->index);
    print_token(pr, a->index_token);
    dvm_text_add(pr->out, " ");
    print_range(pr, a->expr);
    dvm_text_add(pr->out, ")");
    break;
  case DVM_AXIS_AFFINE: print_affine(pr, a); break;
  }
}

static void print_width(struct printer *pr, const struct dvm_width *w) {
  print_bracket(pr, w->bracket);
  dvm_text_add(pr->out, " ");
  if (!w->given) {
    dvm_text_add(pr->out, "()");
    return;
  }
  print_range(pr, w->low);
  dvm_text_add(pr->out, ":");
  print_range(pr, w->high);
}

/* A name alone, or (name axis.. [corner] [out] [edge "n"]) */
static void print_ref(struct printer *pr, const struct dvm_ref *ref) {
  if (ref->whole.first != ref->name || !ref->whole.count || ref->whole.count > pr->ntokens - ref->name)
    refuse("a reference");
  bool plain = !ref->naxes && !ref->corner && !ref->out && !ref->edge_name.count && ref->whole.count == 1;
  dvm_text_add(pr->out, plain ? "" : "(");
  print_token(pr, ref->name);
  for (unsigned i = 0; ref->axes && i < ref->naxes; i++)
    print_axis(pr, &ref->axes[i]);
  for (unsigned i = 0; ref->widths && i < ref->naxes; i++)
    print_width(pr, &ref->widths[i]);
  dvm_text_add(pr->out, ref->corner ? " corner" : "");
  dvm_text_add(pr->out, ref->out ? " out" : "");
  if (ref->edge_name.count) {
    dvm_text_add(pr->out, " edge ");
    print_range(pr, ref->edge_name);
  }
  if (!ref->naxes && ref->whole.count > 1) {
    dvm_text_add(pr->out, " ");
    print_range(pr, ref->whole);
  }
  dvm_text_add(pr->out, plain ? "" : ")");
}

static void print_dist(struct printer *pr, const struct dvm_dist *dist) {
  print_bracket(pr, dist->bracket);
  dvm_text_printf(pr->out, dist->arg.count ? " (%s" : " %s", dvm_dist_name(dist->kind));
  if (!dist->arg.count)
    return;
  dvm_text_add(pr->out, " ");
  print_range(pr, dist->arg);
  if (dist->arg2.count) {
    dvm_text_add(pr->out, " ");
    print_range(pr, dist->arg2);
  }
  dvm_text_add(pr->out, ")");
}

static void print_reduction(struct printer *pr, const struct dvm_reduction *red) {
  print_token(pr, red->op_token);
  dvm_text_printf(pr->out, "=%s ", dvm_reduction_name(red->op));
  print_range(pr, red->var);
  if (red->loc.count) {
    dvm_text_add(pr->out, " ");
    print_range(pr, red->loc);
  }
  if (red->len.count) {
    dvm_text_add(pr->out, " ");
    print_range(pr, red->len);
  }
}

static void print_clause(struct printer *pr, const struct dvm_clause *c) {
  if (c->word == 0 || c->word >= pr->ntokens)
    refuse("the word of a clause");
  dvm_text_printf(pr->out, "(%s", dvm_clause_name(c->kind));
  if (c->group) {
    dvm_text_add(pr->out, " group ");
    print_token(pr, c->group);
  }
  for (unsigned i = 0; i < c->nrefs; i++) {
    dvm_text_add(pr->out, " ");
    print_ref(pr, &c->refs[i]);
  }
  for (unsigned i = 0; i < c->nreductions; i++) {
    dvm_text_add(pr->out, " (");
    print_reduction(pr, &c->reductions[i]);
    dvm_text_add(pr->out, ")");
  }
  for (unsigned i = 0; i < c->nexprs; i++) {
    dvm_text_add(pr->out, " ");
    print_range(pr, c->exprs[i]);
  }
  dvm_text_add(pr->out, ")");
}

static void open_part(struct printer *pr, const char *name) { dvm_text_printf(pr->out, " (%s", name); }
static void close_part(struct printer *pr) { dvm_text_add(pr->out, ")"); }

static void print_layout(struct printer *pr, const struct dvm_directive *d) {
  if (d->nsizes) {
    open_part(pr, "sizes");
    for (unsigned i = 0; i < d->nsizes; i++) {
      dvm_text_add(pr->out, " ");
      print_range(pr, d->sizes[i]);
    }
    close_part(pr);
  }
  if (d->has_distribute) {
    open_part(pr, "distribute");
    for (unsigned i = 0; i < d->ndists; i++)
      print_dist(pr, &d->dists[i]);
    close_part(pr);
  }
  if (d->has_shadow) {
    open_part(pr, "shadow");
    for (unsigned i = 0; i < d->nwidths; i++)
      print_width(pr, &d->widths[i]);
    close_part(pr);
  }
}

static void print_onto(struct printer *pr, const struct dvm_directive *d) {
  if (!d->has_onto)
    return;
  open_part(pr, "onto ");
  print_ref(pr, &d->onto);
  close_part(pr);
}

static void print_mapping(struct printer *pr, const struct dvm_directive *d) {
  if (d->nnames) {
    open_part(pr, "names");
    for (unsigned i = 0; i < d->nnames; i++) {
      dvm_text_add(pr->out, " ");
      if (d->names[i] == (unsigned)-1)
        dvm_text_add(pr->out, "()");
      else
        print_token(pr, d->names[i]);
    }
    close_part(pr);
  }
  if (d->has_target) {
    open_part(pr, d->has_align ? "with " : "on ");
    print_ref(pr, &d->target);
    close_part(pr);
  }
  if (d->count.count) {
    open_part(pr, "count ");
    print_range(pr, d->count);
    close_part(pr);
  }
}

void print_directive(struct dvm_text *out, const struct dvm_directive *d, const struct dvm_token *tokens, size_t ntokens) {
  struct printer pr = {out, tokens, ntokens};
  if (d->word != 0 || d->last != ntokens - 1)
    refuse("the first or last token");
  dvm_text_printf(out, "(%s", dvm_directive_name(d->kind));
  if (d->subject) {
    dvm_text_add(out, " ");
    print_token(&pr, d->subject);
  }
  if (d->group) {
    dvm_text_add(out, " group ");
    print_token(&pr, d->group);
  }
  dvm_text_add(out, d->kind == DVM_DIR_TRACE ? d->on ? " on" : " off" : "");
  print_layout(&pr, d);
  print_onto(&pr, d);
  print_mapping(&pr, d);
  dvm_text_add(out, d->dynamic ? " dynamic" : "");
  dvm_text_add(out, d->new_value ? " new_value" : "");
  for (unsigned i = 0; i < d->nrefs; i++) {
    dvm_text_add(out, " ");
    print_ref(&pr, &d->refs[i]);
  }
  for (unsigned i = 0; i < d->nexprs; i++) {
    dvm_text_add(out, " ");
    print_range(&pr, d->exprs[i]);
  }
  for (unsigned i = 0; i < d->nclauses; i++) {
    dvm_text_add(out, " ");
    print_clause(&pr, &d->clauses[i]);
  }
  dvm_text_add(out, ")");
}
