/* Calls of code that is not recorded.  What it is given, global variables whose names it may know and large allocations are copied before
 * the call and looked at behind it.  Elements that have changed are recorded, each with its value before; words where nobody knows what
 * they are.  Async-signal-safe but for the first call, which maps the memory for the copies. */
#include "runtime/record/foreign.h"
#include "runtime/record/arrays.h"
#include "runtime/record/emit.h"
#include "runtime/trace/object.h"
#include "runtime/trace/text.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- functions that are recorded --------------------------------------------------------------------------------------------- */

enum { FUNCTIONS = 1 << 17 };
static const void *functions[FUNCTIONS]; /* open addressing */
static unsigned nfunctions;
static uint64_t generation; /* of functions, what lies at an address may have become another one */

static unsigned slot_of(const void *f) {
  unsigned i = (unsigned)((uintptr_t)f * 0x9e3779b97f4a7c15ull >> 47);
  while (functions[i] && functions[i] != f)
    i = (i + 1) % FUNCTIONS;
  return i;
}

void dvmt_foreign_functions(const void *const *first, const void *const *last) {
  for (; first && first < last && nfunctions < FUNCTIONS / 2; first++)
    if (*first && !functions[slot_of(*first)]) {
      functions[slot_of(*first)] = *first;
      nfunctions++;
      generation++;
    }
}

/* Those behind it may stand there because of it. */
static void take_out(unsigned i) {
  functions[i] = NULL;
  for (i = (i + 1) % FUNCTIONS; functions[i]; i = (i + 1) % FUNCTIONS) {
    const void *f = functions[i];
    functions[i] = NULL;
    functions[slot_of(f)] = f;
  }
  nfunctions--;
  generation++;
}

static void take_out_functions(const struct dvmt_object *object) {
  for (unsigned i = 0; i < FUNCTIONS;)
    if (functions[i] && dvmt_object_has(object, functions[i]))
      take_out(i); /* another one may stand here now */
    else
      i++;
}

enum what {
  UNKNOWN,
  RECORDED,
  FOREIGN,
  LIBRARY /* it writes what it is given alone */,
  UNSEEN /* what else it writes is too much to look at */
};

static bool is_c_library(const void *f) {
  static const char *const names[] = {"libc.so", "libm.so", "libc-", "libm-", "libpthread", "librt", "ld-linux", "libmvec"};
  Dl_info info;
  if (!dladdr(f, &info) || !info.dli_fname)
    return false;
  const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (!strncmp(name, names[i], strlen(names[i])))
      return true;
  return false;
}

/* What was called last: 'enum what' with the generation that it was found in. */
enum { KINDS = 8 };

static enum what what_of(const struct dvmt_call *call) { return (enum what)(call->what % KINDS); }

static void set_what(struct dvmt_call *call, enum what what) { call->what = generation * KINDS + what; }

static void look_up(struct dvmt_call *call, const void *callee) {
  call->callee = callee;
  set_what(call, callee == (const void *)(uintptr_t)free || functions[slot_of(callee)] ? RECORDED /* what is freed means nothing */
                 : nfunctions >= FUNCTIONS / 2                                         ? RECORDED
                 : is_c_library(callee)                                                ? LIBRARY
                                                                                       : FOREIGN);
}

/* ---- global variables ---------------------------------------------------------------------------------------------------------- */

enum { VARIABLES = 4096 };
static struct dvmt_site *variables[VARIABLES]; /* a site of each */
static unsigned nvariables;

void dvmt_foreign_variable(struct dvmt_site *site) {
  if (site->kind != DVMT_SITE_ACCESS || !(site->where & DVMT_WHERE_ESCAPES) || !site->base || !site->size || nvariables == VARIABLES)
    return;
  for (unsigned i = 0; i < nvariables; i++)
    if (variables[i]->base == site->base)
      return;
  variables[nvariables++] = site;
}

/* ---- what is looked at --------------------------------------------------------------------------------------------------------- */

enum { REGIONS = 8192, FRAMES = 64, UNKNOWN_BYTES = 1 << 16 };
static const size_t copies_size = (size_t)1 << 30;
struct region {
  const struct dvmt_part *parts;  /* NULL: nobody knows what it is */
  unsigned nparts;
  struct dvmt_site *variable;     /* or: a global variable */
  uint64_t low, bytes, first;     /* first: where an element begins */
  uint64_t root;
  size_t copy;                    /* in 'copies' */
  bool certain;                   /* it is there as long as the call lasts */
};
struct frame {
  struct dvmt_call *call;
  char *frame;
  unsigned first;                 /* of its regions */
  size_t used;                    /* of the copies, before */
};
static struct region regions[REGIONS];
static struct frame frames[FRAMES];
static unsigned nregions, nframes;
static char *copies;
static size_t copies_used;
static uint64_t looked_at;

/* Memory that may be gone in the meantime is read by the kernel. */
static bool fetch(void *to, uint64_t from, size_t n) {
  struct iovec local = {to, n}, remote = {(void *)(uintptr_t)from, n};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)n;
}

/* What is executed there is told, with a text of its own. */
static struct dvmt_site *made_site(const struct dvmt_call *call, const char *what, unsigned words, unsigned bytes, unsigned where) {
  enum { TEXTS = 256 << 10, SITES = 1024 };
  static char texts[TEXTS];
  static struct dvmt_site sites[SITES] __attribute__((aligned(16)));
  static size_t used, n;
  struct dvmt_span file = dvmt_text_line(call->site->text, DVMRT_ANY_FILE), place = dvmt_text_line(call->site->text, DVMRT_ANY_PLACE),
                   function = dvmt_text_line(call->site->text, DVMRT_TRACE_FUNCTION);
  if (n == SITES || TEXTS - used < 2048 + strlen(what))
    return NULL;
  char *text = texts + used;
  int length = snprintf(text, TEXTS - used, "K given\nF %.*s\nP %.*s\n%s\n@ %.*s", (int)file.n, file.s, (int)place.n, place.s, what,
                        (int)function.n, function.s);
  used += (size_t)length + 1;
  sites[n] = (struct dvmt_site){.text = text,
                                .kind = DVMT_SITE_ACCESS,
                                .words = (uint8_t)words,
                                .bytes = (uint8_t)bytes,
                                .where = (uint8_t)where,
                                .level = DVMT_LEVEL_UNSET};
  dvmt_emit_define(&sites[n]);
  return &sites[n++];
}

static struct {
  const struct dvmt_call *call;
  const char *variable;
  unsigned why;
} told[1024];
static unsigned ntold;

/* Each call and variable once. */
static void tell(struct dvmt_call *call, struct dvmt_span variable, unsigned why) {
  char what[600];
  struct dvmt_span name = dvmt_text_line(call->site->text, DVMRT_ACCESS_TEXT);
  for (unsigned i = 0; i < ntold; i++)
    if (told[i].call == call && told[i].variable == variable.s && told[i].why == why)
      return;
  if (ntold == sizeof(told) / sizeof(*told))
    return;
  told[ntold].call = call;
  told[ntold].why = why;
  told[ntold++].variable = variable.s;
  snprintf(what, sizeof(what), "T %.*s\nV %.*s", (int)(name.n < 200 ? name.n : 200), name.s, (int)(variable.n < 200 ? variable.n : 200),
           variable.s);
  struct dvmt_site *site = made_site(call, what, 0, 0, 0);
  dvmt_emit_unrecorded(site ? site : call->site, why);
}

static bool is_covered(unsigned first, uint64_t low, uint64_t bytes) {
  for (unsigned i = first; i < nregions; i++)
    if (regions[i].low <= low && low + bytes <= regions[i].low + regions[i].bytes)
      return true;
  return false;
}

static void look_before(struct frame *f, struct region r, bool certain) {
  if (!r.bytes || nregions == REGIONS || copies_size - copies_used < r.bytes || is_covered(f->first, r.low, r.bytes)) {
    if (r.bytes && !is_covered(f->first, r.low, r.bytes))
      tell(f->call, r.variable ? dvmt_text_line(r.variable->text, DVMRT_ACCESS_VARIABLE) : (struct dvmt_span){"large data", 10},
           DVMT_WHY_UNSEEN);
    return;
  }
  r.copy = copies_used;
  r.certain = certain;
  if (certain)
    memcpy(copies + r.copy, (const void *)(uintptr_t)r.low, r.bytes);
  else if (!fetch(copies + r.copy, r.low, r.bytes))
    return;
  copies_used += (r.bytes + 63) / 64 * 64;
  f->call->looked += r.bytes;
  looked_at += r.bytes;
  regions[nregions++] = r;
}

/* Calls that never came back: left by longjmp. */
static void drop_dead(const char *frame) {
  while (nframes && frames[nframes - 1].frame < frame) {
    nregions = frames[--nframes].first;
    copies_used = frames[nframes].used;
  }
}

/* A call that is made over and over and changes nothing of much data costs more than it can tell. */
static bool is_too_much(const struct dvmt_call *call) {
  return call->looked > (64ull << 20) + 4096 * call->changed && looked_at > 8ull << 30;
}

__attribute__((visibility("default"))) int __dvmt_call(struct dvmt_call *call, const void *callee, void *frame) {
  if (!dvmt_emit_wanted())
    return 0;
  if (call->callee != callee || call->what / KINDS != generation)
    look_up(call, callee);
  if (what_of(call) == RECORDED || what_of(call) == UNSEEN)
    return 0;
  drop_dead(frame);
  if (!copies) {
    copies = mmap(NULL, copies_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copies == MAP_FAILED)
      copies = NULL;
    else
      madvise(copies, copies_size, MADV_DONTDUMP);
  }
  if (is_too_much(call) || !copies || nframes == FRAMES) {
    tell(call, (struct dvmt_span){"", 0}, DVMT_WHY_UNSEEN);
    set_what(call, UNSEEN);
    return 0;
  }
  frames[nframes++] = (struct frame){call, frame, nregions, copies_used};
  return 1;
}

extern void *__libc_stack_end __attribute__((weak)); /* of the dynamic linker */

/* Given what lies in the stack of a caller whose variable is not known: the rest of the stack may be it. */
static uint64_t stack_behind(uint64_t p) {
  uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0);
  uint64_t end = &__libc_stack_end ? (uint64_t)(uintptr_t)__libc_stack_end : 0; /* of the first thread */
  return p > here && p < end ? (end - p < UNKNOWN_BYTES ? end - p : UNKNOWN_BYTES) : 0;
}

__attribute__((visibility("default"))) void __dvmt_give(const struct dvmt_part *parts, uint32_t nparts, const void *p, const void *root,
                                                        uint64_t size) {
  uint64_t at = (uint64_t)(uintptr_t)p, base, whole;
  struct frame *f = nframes ? &frames[nframes - 1] : NULL;
  struct region r = {.parts = parts, .nparts = nparts, .root = (uint64_t)(uintptr_t)root};
  if (!at || !f)
    return;
  if (size && at - r.root < size) {
    r.low = r.root;
    r.bytes = size;
  } else if (dvmt_arrays_block(at, &base, &whole)) {
    r.low = base;
    r.bytes = whole;
  } else {
    for (unsigned i = 0; i < nvariables; i++)
      if (at - (uint64_t)(uintptr_t)variables[i]->base < variables[i]->size) {
        r.low = (uint64_t)(uintptr_t)variables[i]->base;
        r.bytes = variables[i]->size;
      }
    if (!r.bytes && (r.bytes = stack_behind(at)))
      r.low = at;
  }
  if (!nparts)
    r.parts = NULL;
  else { /* elements in step with the one that is pointed to */
    uint64_t before = (at - r.low) % parts->stride;
    r.first = r.low + before;
  }
  look_before(f, r, size != 0);
}

__attribute__((visibility("default"))) void __dvmt_around(struct dvmt_call *call) {
  struct frame *f = nframes ? &frames[nframes - 1] : NULL;
  uint64_t size, at;
  if (!f || what_of(call) != FOREIGN)
    return;
  for (unsigned i = 0; i < nvariables; i++)
    look_before(f, (struct region){.variable = variables[i], .low = (uint64_t)(uintptr_t)variables[i]->base, .bytes = variables[i]->size},
                true);
  for (unsigned i = 0; (at = dvmt_arrays_large(i, &size)); i++)
    look_before(f, (struct region){.low = at, .bytes = size}, false);
}

/* ---- values -------------------------------------------------------------------------------------------------------------------- */

/* Of a word that may be anything an address is but that. */
static uint64_t word_at(const char *p, size_t bytes) {
  uint64_t v = 0;
  memcpy(&v, p, bytes < 8 ? bytes : 8);
  return v >= 1ull << 46 && v < 1ull << 47 ? 1 : v;
}

/* As the program's own code would write it: no byte that is none of the value's. */
static void load(uint64_t words[4], const struct dvmt_part *part, const char *p) {
  unsigned bytes = part->site->bytes;
  memset(words, 0, 32);
  if (part->kind == 'w') {
    words[0] = word_at(p, 8);
    return;
  }
  if (part->width) {
    memcpy(words, p, (part->bit + part->width + 7) / 8);
    words[0] = words[0] >> part->bit & (part->width < 64 ? ((uint64_t)1 << part->width) - 1 : ~0ull);
    if (part->kind == 'i' && part->width < 64 && words[0] >> (part->width - 1) & 1)
      words[0] |= bytes < 8 ? (((uint64_t)1 << 8 * bytes) - 1) & ~(((uint64_t)1 << part->width) - 1) : ~(((uint64_t)1 << part->width) - 1);
  } else if (part->kind == 'f' && bytes == 16) {
    memcpy(words, p, 10);
  } else if (part->kind == 'c' && bytes == 32) {
    memcpy(words, p, 10);
    memcpy(words + 2, p + 16, 10);
  } else {
    memcpy(words, p, bytes <= 32 ? bytes : 32);
  }
}

static void write_value(const struct dvmt_part *part, uint64_t address, uint64_t root, const uint64_t *now, const uint64_t *before) {
  unsigned words = (part->site->bytes + 7u) / 8, n = 1;
  uint64_t *r = dvmt_emit_room(3 + part->site->words);
  if (!r)
    return;
  if (part->site->where & DVMT_WHERE_ADDRESS)
    r[n++] = address;
  if (!(part->site->where & DVMT_WHERE_ADDRESS) || (part->site->where & DVMT_WHERE_POINTER))
    r[n++] = address - root;
  memcpy(r + n, now, words * 8);
  n += words;
  if (part->site->words == 2 * words) {
    memcpy(r + n, before, words * 8);
    n += words;
  }
  dvmt_emit_close(r, part->site, DVMT_TAG_WRITE, n);
}

/* Calls 'value' for each scalar of the part in the element at 'p'. */
static void each(const struct dvmt_part *part, uint64_t p, void *arg, void (*value)(void *arg, const struct dvmt_part *part, uint64_t at)) {
  uint32_t n[3] = {1, 1, 1};
  for (unsigned d = 0; d < part->nrepeat; d++)
    n[d] = part->repeat[d][0];
  for (uint32_t i = 0; i < n[0]; i++)
    for (uint32_t j = 0; j < n[1]; j++)
      for (uint32_t k = 0; k < n[2]; k++)
        value(arg, part,
              p + part->offset + (uint64_t)i * part->repeat[0][1] + (uint64_t)j * part->repeat[1][1] + (uint64_t)k * part->repeat[2][1]);
}

static void write_plain(void *arg, const struct dvmt_part *part, uint64_t at) {
  uint64_t now[4];
  load(now, part, (const char *)(uintptr_t)at);
  write_value(part, at, *(const uint64_t *)arg, now, now);
}

/* An element that is one number. */
static bool is_number(const struct dvmt_part *part) {
  return part->kind != 'w' && part->stride <= 16 && part->stride == part->site->bytes && !part->nrepeat && !part->width;
}

__attribute__((visibility("default"))) void __dvmt_token(struct dvmt_site *site, const char *token) {
  const struct dvmt_part part = {.site = site, .stride = 1, .kind = 'i'};
  const uint64_t end = 0;
  if (token && dvmt_emit_wanted())
    write_value(&part, (uint64_t)(uintptr_t)token + strlen(token), (uint64_t)(uintptr_t)token, &end, &end);
}

__attribute__((visibility("default"))) void __dvmt_vector(struct dvmt_site *site, const void *iov, int64_t n, int64_t got) {
  const struct dvmt_part part = {.site = site, .stride = 8, .kind = 'w'};
  const struct iovec *v = iov;
  for (int64_t i = 0; i < n && got > 0; i++) {
    uint64_t bytes = v[i].iov_len < (uint64_t)got ? v[i].iov_len : (uint64_t)got;
    __dvmt_range(&part, 1, v[i].iov_base, v[i].iov_base, bytes);
    got -= (int64_t)bytes;
  }
}

__attribute__((visibility("default"))) void __dvmt_message(struct dvmt_site *site, const void *message, int64_t got) {
  const struct msghdr *m = message;
  if (m && got > 0)
    __dvmt_vector(site, m->msg_iov, (int64_t)m->msg_iovlen, got);
}

__attribute__((visibility("default"))) void __dvmt_range(const struct dvmt_part *parts, uint32_t nparts, const void *p, const void *root,
                                                         uint64_t bytes) {
  uint64_t from = (uint64_t)(uintptr_t)root;
  uint64_t at = 0;
  if (nparts == 1 && is_number(parts)) { /* a part of it is an element that has changed */
    uint64_t before = ((uint64_t)(uintptr_t)p - from) % parts->stride;
    p = (const char *)p - before;
    bytes = (bytes + before + (bytes ? parts->stride - 1 : 0)) / parts->stride * parts->stride;
  }
  for (; nparts && p && dvmt_emit_wanted() && at + parts->stride <= bytes; at += parts->stride)
    for (uint32_t i = 0; i < nparts; i++)
      each(&parts[i], (uint64_t)(uintptr_t)p + at, &from, write_plain);
  if (nparts && parts->kind == 'w' && p && at < bytes && dvmt_emit_wanted()) {
    uint64_t rest = word_at((const char *)p + at, bytes - at);
    write_value(parts, (uint64_t)(uintptr_t)p + at, from, &rest, &rest);
  }
}

__attribute__((visibility("default"))) void __dvmt_section(const struct dvmt_part *part, const void *p, const void *root, uint32_t ndims,
                                                           const int64_t *dims) {
  int64_t at[DVMT_NDIMS_MAX] = {0}, offset = 0;
  uint64_t from = (uint64_t)(uintptr_t)root, left = ndims <= DVMT_NDIMS_MAX;
  for (uint32_t d = 0; d < ndims; d++)
    left *= dims[2 * d] > 0 ? (uint64_t)dims[2 * d] : 0;
  for (; left && p && dvmt_emit_wanted(); left--) {
    write_plain(&from, part, (uint64_t)(uintptr_t)p + (uint64_t)offset);
    for (uint32_t d = 0; d < ndims; d++) {
      offset += dims[2 * d + 1];
      if (++at[d] < dims[2 * d])
        break;
      offset -= at[d] * dims[2 * d + 1];
      at[d] = 0;
    }
  }
}

struct changed {
  const struct region *r;
  bool found;
};

static void write_changed(void *arg, const struct dvmt_part *part, uint64_t at) {
  const struct region *r = ((struct changed *)arg)->r;
  uint64_t now[4], before[4];
  load(now, part, (const char *)(uintptr_t)at);
  load(before, part, copies + r->copy + (at - r->low));
  if (memcmp(now, before, 32))
    write_value(part, at, r->root, now, before);
}

static void record_changes(const struct region *r, uint64_t from, uint64_t to) {
  struct changed c = {r, false};
  uint64_t stride = r->parts->stride, at = from <= r->first ? r->first : r->first + (from - r->first) / stride * stride;
  for (; at < to && at + stride <= r->low + r->bytes; at += stride)
    for (unsigned i = 0; i < r->nparts; i++)
      each(&r->parts[i], at, &c, write_changed);
  if (r->parts->kind == 'w' && at < to && at < r->low + r->bytes) {
    uint64_t rest = r->low + r->bytes - at, now = word_at((const char *)(uintptr_t)at, rest),
             before = word_at(copies + r->copy + (at - r->low), rest);
    if (now != before)
      write_value(r->parts, at, r->root, &now, &before);
  }
}

enum { KEPT = 512 };
static struct {
  const struct dvmt_call *call;
  const void *what;
  struct dvmt_part part;
} kept[KEPT];
static unsigned nkept;

/* What a region of the call is: a global variable that is a scalar or an array of them; any other is told by words. */
static bool parts_of(struct dvmt_call *call, struct region *r) {
  const void *of = r->variable ? (const void *)r->variable : (const void *)kept;
  const char *text = r->variable ? r->variable->text : "";
  struct dvmt_span type = dvmt_text_line(text, DVMRT_TRACE_VALUE), name = dvmt_text_line(text, DVMRT_ACCESS_VARIABLE);
  char what[1024];
  for (unsigned i = 0; i < nkept; i++)
    if (kept[i].call == call && kept[i].what == of) {
      r->parts = &kept[i].part;
      r->nparts = 1;
      return true;
    }
  bool plain = type.s && name.s && !dvmt_text_line(text, DVMRT_TRACE_BEHIND).s && !dvmt_text_line(text, DVMRT_TRACE_BITS).s &&
               !dvmt_text_line(text, DVMRT_ACCESS_INNER_SUBSCRIPT).s && r->variable->bytes && r->variable->bytes <= 16 &&
               r->bytes % r->variable->bytes == 0;
  unsigned bytes = plain ? r->variable->bytes : 8;
  size_t n = (size_t)snprintf(what, sizeof(what), "T %.*s\nS %u\ny %.*s", (int)(name.s ? name.n : 16), name.s ? name.s : "allocated memory",
                              bytes, (int)(plain ? type.n : 2), plain ? type.s : "w8");
  if (!plain)
    n += (size_t)snprintf(what + n, sizeof(what) - n, "\nV %.*s\nB *\nE 8", (int)(name.s ? name.n : 16),
                          name.s ? name.s : "allocated memory");
  for (const char *line = text; plain && line && n < sizeof(what) - 300; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (*line && strchr("VQGBED", *line) && line[1] == ' ')
      n += (size_t)snprintf(what + n, sizeof(what) - n, "\n%.*s", (int)(strcspn(line, "\n") < 250 ? strcspn(line, "\n") : 250), line);
  struct dvmt_site *site = nkept < KEPT ? made_site(call, what, 2 * ((bytes + 7u) / 8), bytes, plain ? DVMT_WHERE_ADDRESS : 0) : NULL;
  if (!site)
    return false;
  kept[nkept].call = call;
  kept[nkept].what = of;
  kept[nkept].part = (struct dvmt_part){.site = site, .stride = bytes, .kind = plain ? (uint32_t)(unsigned char)type.s[0] : 'w'};
  r->parts = &kept[nkept++].part;
  r->nparts = 1;
  return true;
}

/* ---- behind the call ------------------------------------------------------------------------------------------------------------ */

enum { STEP = 16 << 10 };

static uint64_t look_behind(struct dvmt_call *call, struct region *r) {
  static char now[STEP];
  uint64_t changed = 0;
  for (uint64_t at = 0, n; at < r->bytes; at += n) {
    n = r->bytes - at < STEP ? r->bytes - at : STEP;
    const char *is = (const char *)(uintptr_t)(r->low + at);
    if (!r->certain) {
      if (!fetch(now, r->low + at, n))
        return changed; /* it has been given back */
      is = now;
    }
    if (!memcmp(copies + r->copy + at, is, n))
      continue;
    changed += n;
    if (!r->parts && !parts_of(call, r)) {
      tell(call, r->variable ? dvmt_text_line(r->variable->text, DVMRT_ACCESS_VARIABLE) : (struct dvmt_span){"allocated memory", 16},
           DVMT_WHY_FOREIGN);
      return changed;
    }
    if (!r->first)
      r->first = r->root = r->low;
    record_changes(r, r->low + at, r->low + at + n);
  }
  return changed;
}

__attribute__((visibility("default"))) void __dvmt_called(struct dvmt_call *call) {
  while (nframes && frames[nframes - 1].call != call) {
    nregions = frames[--nframes].first;
    copies_used = frames[nframes].used;
  }
  if (!nframes)
    return;
  struct frame *f = &frames[--nframes];
  for (unsigned i = f->first; i < nregions && dvmt_emit_wanted(); i++)
    call->changed += look_behind(call, &regions[i]);
  nregions = f->first;
  copies_used = f->used;
}

/* ---- objects that go ------------------------------------------------------------------------------------------------------------ */

static void take_out_variables(const struct dvmt_object *object) {
  unsigned n = 0;
  for (unsigned i = 0; i < nvariables; i++)
    if (!dvmt_object_has(object, variables[i]))
      variables[n++] = variables[i];
  nvariables = n;
}

void dvmt_foreign_gone(const struct dvmt_object *object) {
  take_out_functions(object);
  take_out_variables(object);
  for (unsigned i = 0; i < nregions; i++) /* the call that it goes in is not back yet */
    if (dvmt_object_has(object, (const void *)(uintptr_t)regions[i].low))
      regions[i].bytes = 0;
  for (unsigned i = 0; i < nkept; i++)
    if (dvmt_object_has(object, kept[i].call) || dvmt_object_has(object, kept[i].what))
      kept[i].call = NULL;
  for (unsigned i = 0; i < ntold; i++)
    if (dvmt_object_has(object, told[i].call) || dvmt_object_has(object, told[i].variable))
      told[i].call = NULL;
}
