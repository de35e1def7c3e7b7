/* What the run-time library of a checked program knows, at a stop: read out of its memory page by page (facts.h), and
 * stops at diagnostics.  Pages are kept until the program runs on. */
#include <errno.h>

#include "base/facts.h"
#include "sdm/gdb/facts.h"
#include "sdm/gdb/gdb_private.h"

#define PAGE 4096u
#define PAGES_MAX 8192u
#define FRAMES_MAX 63

struct page {
  uint64_t at;
  uint8_t bytes[PAGE];
};

static const char no_element[] = "it is not an element of a distributed array";
static const char no_block[] =
    "the program was not compiled by dvmcc, to be checked or executed in parallel, or its run-time library has not been loaded yet";

struct gdb_facts {
  uint64_t block;      /* address of the program's block; 0: not known yet */
  struct page **pages; /* [npages], owned */
  size_t npages;
  uint64_t wanted;     /* the page that the last reading had to wait for */
};

static struct gdb_facts *facts_of(struct sdm_backend *b) {
  if (!b->facts)
    b->facts = sdm_alloc(sizeof(*b->facts));
  return b->facts;
}

void sdm_gdb_facts_forget(struct sdm_backend *b) {
  b->not_parallel = false;
  if (!b->facts)
    return;
  for (size_t i = 0; i < b->facts->npages; i++)
    free(b->facts->pages[i]);
  free(b->facts->pages);
  free(b->facts);
  b->facts = NULL;
}

static const struct page *find_page(const struct gdb_facts *f, uint64_t at) {
  for (size_t i = 0; i < f->npages; i++)
    if (f->pages[i]->at == at)
      return f->pages[i];
  return NULL;
}

static int read_pages(void *arg, uint64_t at, void *to, size_t n) {
  struct gdb_facts *f = arg;
  uint8_t *out = to;
  while (n) {
    uint64_t start = at / PAGE * PAGE;
    size_t off = at % PAGE, part = PAGE - off < n ? PAGE - off : n;
    const struct page *p = find_page(f, start);
    if (!p) {
      f->wanted = start;
      return f->npages < PAGES_MAX ? -EAGAIN : -EFAULT;
    }
    memcpy(out, p->bytes + off, part);
    out += part;
    at += part;
    n -= part;
  }
  return 0;
}

static int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

/* A reading is for a call, whose 'kept' has the address of an element if that is asked for, or for the event of a stop at a
 * diagnostic: the pending command's 'kept'. */
static void go_on(struct sdm_backend *b, struct sdm_call *call, json_t *event);

static void tell_event(struct sdm_backend *b, json_t *event) { b->host.event(b->host.arg, json_incref(event)); }

static void give_up(struct sdm_backend *b, struct sdm_call *call, json_t *event, const char *why) {
  if (call && json_is_true(json_object_get(event, "evaluate"))) {
    b->not_parallel = strcmp(why, no_element) != 0;
    sdm_gdb_facts_value(b, call, NULL, event);
  } else if (call)
    sdm_call_fail(call, "%s", why);
  else
    tell_event(b, event); /* the stop is told in any case */
}

static void got_page(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const json_t *m = json_array_get(json_object_get(r->results, "memory"), 0);
  const char *hex = sdm_gdb_field(m, "contents");
  struct gdb_facts *f = facts_of(b);
  if (!hex || strlen(hex) != 2 * PAGE) {
    give_up(b, p->call, p->kept, "the program's memory cannot be read");
    return;
  }
  struct page *page = sdm_alloc(sizeof(*page));
  page->at = p->at;
  for (size_t i = 0; i < PAGE; i++)
    page->bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  f->pages = sdm_realloc(f->pages, (f->npages + 1) * sizeof(struct page *));
  f->pages[f->npages++] = page;
  go_on(b, p->call, p->kept);
}

static void got_block(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (!strcmp(r->name, "error")) {
    give_up(b, p->call, p->kept, no_block);
    return;
  }
  const char *value = sdm_gdb_field(r->results, "value");
  uint64_t block = value ? strtoull(value, NULL, 0) : 0;
  facts_of(b)->block = block;
  if (block)
    go_on(b, p->call, p->kept);
  else
    give_up(b, p->call, p->kept, no_block);
}

static void fetch(struct sdm_backend *b, struct sdm_call *call, json_t *event, uint64_t at) {
  struct gdb_pending *p = sdm_gdb_send(b, call, got_page, "-data-read-memory-bytes 0x%llx %u", (unsigned long long)at, PAGE);
  p->at = at;
  p->kept = json_incref(event);
}

static void find_block(struct sdm_backend *b, struct sdm_call *call, json_t *event) {
  struct gdb_pending *p = sdm_gdb_send(b, call, got_block, "-data-evaluate-expression \"(unsigned long)&" DVM_FACTS_SYMBOL "\"");
  p->errors_too = true;
  p->kept = json_incref(event);
}

static void got_finish(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)p;
  if (strcmp(r->name, "error") || !b->returning)
    return; /* the stop follows */
  tell_event(b, b->returning);
  json_decref(b->returning);
  b->returning = NULL;
}

static void got_selection(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  (void)r;
  json_object_del(p->kept, "frame");
  tell_event(b, p->kept);
}

/* What the latest diagnostic says becomes part of the event.  The program then returns to the user's code: there its stack,
 * its variables and the next step are what one wants to see. */
static void complete(struct sdm_backend *b, json_t *event, const json_t *last) {
  const json_t *d = json_object_get(last, "diagnostic");
  json_t *frame = json_object_get(event, "frame");
  if (json_is_object(d)) {
    json_object_set(event, "id", json_object_get(d, "id"));
    json_object_set(event, "diagnostic", json_object_get(d, "message"));
    if (!sdm_gdb_field(event, "file") && sdm_gdb_field(d, "file")) { /* a body that the pass has made has no lines */
      json_object_set(event, "file", json_object_get(d, "file"));
      json_object_set(event, "line", json_object_get(d, "line"));
    }
  }
  if (!frame) {
    tell_event(b, event);
    return;
  }
  if (json_is_true(json_object_get(last, "ends"))) { /* the program would not come back */
    sdm_gdb_send(b, NULL, got_selection, "-stack-select-frame %lld", (long long)json_integer_value(frame))->kept = json_incref(event);
    return;
  }
  b->returning = json_incref(event);
  sdm_gdb_send(b, NULL, got_finish, "-exec-finish --thread %d --frame %lld", b->thread ? b->thread : 1,
               (long long)json_integer_value(frame) - 1);
}

bool sdm_gdb_facts_returned(struct sdm_backend *b, const json_t *stop) {
  json_t *event = b->returning;
  const char *reason = sdm_gdb_field(stop, "reason");
  bool all = !reason || !strcmp(reason, "function-finished"); /* none: of a library without debug information */
  b->returning = NULL;
  if (all) {
    json_object_del(event, "frame");
    sdm_gdb_put_place(event, json_object_get(stop, "frame"));
  }
  tell_event(b, event);
  json_decref(event);
  return all;
}

static void go_on(struct sdm_backend *b, struct sdm_call *call, json_t *event) {
  struct gdb_facts *f = facts_of(b);
  struct sdm_facts_source source = {read_pages, f};
  struct dvm_error err = DVM_ERROR_INIT;
  if (!f->block) {
    find_block(b, call, event);
    return;
  }
  const json_t *address = call ? json_object_get(event, "address") : NULL;
  const char *what = address ? "element" : call ? sdm_call_text(call, "what", "construct") : "last";
  json_t *found = sdm_facts_read(&source, f->block, what, (uint64_t)json_integer_value(address), &err);
  if (!found && err.code == -EAGAIN)
    fetch(b, call, event, f->wanted);
  else if (!found)
    give_up(b, call, event, err.code == -ENOENT && address ? no_element : err.text);
  else if (call && json_is_true(json_object_get(event, "evaluate"))) {
    sdm_gdb_facts_value(b, call, found, event);
    json_decref(found);
  } else if (call)
    sdm_call_done(call, found, NULL);
  else {
    complete(b, event, found);
    json_decref(found);
  }
}

void sdm_gdb_facts_read(struct sdm_backend *b, struct sdm_call *c, json_t *kept) { go_on(b, c, kept); }

void sdm_gdb_dvm(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_ready(b, c))
    return;
  if (!strcmp(sdm_call_text(c, "what", ""), "owner"))
    sdm_gdb_facts_owner(b, c);
  else if (!strcmp(sdm_call_text(c, "what", ""), "elsewhere"))
    sdm_gdb_facts_elsewhere(b, c);
  else
    go_on(b, c, NULL);
}

/* ---- stops at diagnostics ---- */

bool sdm_gdb_facts_stop(const struct sdm_backend *b, const char *number) {
  long long id = sdm_gdb_break_id(b, number);
  for (size_t i = 0; id && i < b->nbreaks; i++)
    if (b->breaks[i].id == id && b->breaks[i].diagnostic)
      return true;
  return false;
}

/* How much of the path of the file that it stopped in is the folder of the library's sources; 0: it is not known. */
static size_t library_folder(const char *path) {
  const char *at = path ? strstr(path, "/runtime/") : NULL;
  return at ? (size_t)(at - path) + strlen("/runtime/") : 0;
}

/* Whether the function is of the library in which 'first' stands: functions that are entered may have jumped to others, and have no frame then. */
static bool is_library(const json_t *frame, const json_t *first) {
  const char *func = sdm_gdb_field(frame, "func"), *from = sdm_gdb_field(frame, "from"), *path = sdm_gdb_field(frame, "fullname");
  const char *library = sdm_gdb_field(first, "from"), *source = sdm_gdb_field(first, "fullname");
  const size_t folder = library_folder(source);
  return frame == first ||
         (func && (!strncmp(func, "__dvmrt_", 8) || !strncmp(func, "__dvmp_", 7) || !strcmp(func, "<signal handler called>"))) ||
         (from && library && !strcmp(from, library)) || (path && folder && !strncmp(path, source, folder));
}

/* The frame that called the run-time library is the user's: the event is told of that one. */
static void got_frames(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const json_t *stack = json_object_get(r->results, "stack"), *first = json_array_get(stack, 0);
  json_t *event = p->kept;
  const size_t n = json_array_size(stack);
  size_t i = 0;
  while (i < n && is_library(json_array_get(stack, i), first))
    i++;
  if (i > 0 && i < n) {
    for (const char *const *key = (const char *const[]){"func", "file", "path", "line", "lib", NULL}; *key; key++)
      json_object_del(event, *key);
    sdm_gdb_put_place(event, json_array_get(stack, i));
    json_object_set_new(event, "frame", json_integer((json_int_t)i));
  }
  go_on(b, NULL, event);
}

void sdm_gdb_facts_stopped(struct sdm_backend *b, json_t *event) {
  json_object_set_new(event, "reason", json_string("diagnostic"));
  sdm_gdb_send(b, NULL, got_frames, "-stack-list-frames 0 %d", FRAMES_MAX)->kept = event;
}
