/* The recording program's side: entry points of abi.h.  After the start nothing here allocates or takes a lock. */
#include "runtime/trace/abi.h"
#include "runtime/record/arrays.h"
#include "runtime/record/copy.h"
#include "runtime/record/emit.h"
#include "runtime/record/foreign.h"
#include "runtime/record/row_sums.h"
#include "runtime/trace/object.h"
#include "runtime/trace/config.h"
#include "runtime/trace/digest.h"
#include "runtime/trace/inside.h"
#include "runtime/trace/launcher.h"
#include "runtime/trace/reach.h"
#include "runtime/trace/ring.h"
#include "runtime/record/setup.h"
#include "runtime/trace/text.h"
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where a thread that is not recorded writes its first record; the next ones it writes to a place of its own. */
static uint64_t nowhere[DVMT_RECORD_MAX / 8];
static __thread uint64_t own_nowhere[DVMT_RECORD_MAX / 8] __attribute__((tls_model("initial-exec")));
__thread struct dvmt_state __dvmt_state
    __attribute__((tls_model("initial-exec"), visibility("default"))) = {(char *)nowhere, (char *)nowhere, DVMT_ON_WRITE, 0, NULL};

enum { DEPTH_MAX = 256 };

/* Constructs and loops that are being executed, outermost first. */
struct open {
  struct dvmt_site *site;
  char *frame;           /* of the function that holds it: lower addresses are callees */
  uint32_t flags;        /* of the thread while no iteration is left out */
  uint32_t outer;        /* flags to go back to */
  uint8_t level;
  bool silent;           /* in an iteration that is left out: all within is */
  bool told;             /* though its level is none */
  bool has_iteration;    /* before recording starts */
  int64_t iteration[DVMT_NDIMS_MAX];
};
static struct open stack[DEPTH_MAX];
static int depth;
static int unseen;       /* constructs that found the stack full */
static struct dvmt_ring *ring;
static char *chunk;      /* that is being filled */
static bool started, finished;
static __thread bool recording __attribute__((tls_model("initial-exec")));

/* ---- records ------------------------------------------------------------------------------------------------------------- */

static void silence(void) { __dvmt_state = (struct dvmt_state){.next = NULL}; }

static void stop(void) {
  ring = NULL;
  recording = false;
  silence();
}

/* ---- threads that are not recorded ---------------------------------------------------------------------------------------- */

enum { LOOKED_AT = 1 << 20 }; /* records of such a thread: then what it does is known well enough */
static __thread uint32_t looked_at __attribute__((tls_model("initial-exec")));

static unsigned program_level(void);

static void note_unrecorded(struct dvmt_site *site, unsigned why) {
  struct dvmt_ring *to = ring;
  if (to && !__atomic_exchange_n(&site->unrecorded, 1, __ATOMIC_RELAXED))
    dvmt_ring_note_unrecorded(to, (uint64_t)(uintptr_t)site, why);
}

/* Another thread has written a record: only its site counts. */
static void look_at_thread(void) {
  uint64_t first = *(const uint64_t *)(const void *)(__dvmt_state.limit);
  struct dvmt_site *site = (struct dvmt_site *)(uintptr_t)(first & ~15ull);
  unsigned level = ring ? program_level() : DVMT_LEVEL_NONE;
  if (level == DVMT_LEVEL_NONE || level == DVMT_LEVEL_SYSTEM || ++looked_at > LOOKED_AT)
    return silence();
  if (site && !site->unrecorded)
    note_unrecorded(site, DVMT_WHY_THREAD);
  __dvmt_state.next = __dvmt_state.limit = (char *)own_nowhere;
}

static void take_chunk(char *p) {
  chunk = p;
  if (!chunk)
    return stop();
  __dvmt_state.next = chunk;
  __dvmt_state.limit = chunk + DVMT_RING_CHUNK - DVMT_RECORD_MAX;
}

static void fresh_chunk(size_t used) { take_chunk(dvmt_ring_next(ring, used)); }

__attribute__((visibility("default"))) void __dvmt_full(void) {
  if (recording)
    fresh_chunk((size_t)(__dvmt_state.next - chunk));
  else if (__dvmt_state.limit)
    look_at_thread();
}

/* As inserted code does: there is always room for one, and what is taken is told by the first word, which is written last. */
static inline void put(const void *first, const uint64_t *words, unsigned n) {
  uint64_t *r = (uint64_t *)(void *)__dvmt_state.next;
  if (!(__dvmt_state.flags & (((uintptr_t)first & 15) == DVMT_TAG_READ ? DVMT_ON_READ : DVMT_ON_WRITE)))
    return;
  for (unsigned i = 0; i < n; i++)
    r[1 + i] = words[i];
  __atomic_store_n(&r[0], (uint64_t)(uintptr_t)first, __ATOMIC_RELEASE);
  __dvmt_state.next = (char *)(r + 1 + n);
  if (__dvmt_state.next >= __dvmt_state.limit)
    __dvmt_full();
}

__attribute__((visibility("default"))) void __dvmt_put(const void *first, uint64_t where, uint64_t value) {
  put(first, (const uint64_t[]){where, value}, 2);
}

__attribute__((visibility("default"))) void __dvmt_put_offset(const void *first, uint64_t where, uint64_t offset, uint64_t value) {
  put(first, (const uint64_t[]){where, offset, value}, 3);
}

__attribute__((visibility("default"))) void __dvmt_puts(const struct dvmt_put *puts, uint64_t n, const uint64_t *values) {
  for (const struct dvmt_put *p = puts; p < puts + n; p++) {
    uint64_t words[3];
    unsigned k = 0;
    words[k++] = p->given & DVMT_PUT_WHERE_GIVEN ? *values++ : p->where;
    if (p->given & DVMT_PUT_OFFSET)
      words[k++] = p->given & DVMT_PUT_OFFSET_GIVEN ? *values++ : p->offset;
    words[k++] = *values++;
    put(p->first, words, k);
  }
}

/* Room for 'words' in one chunk, or NULL. */
uint64_t *dvmt_emit_room(size_t words) {
  if (words * 8 + DVMT_RECORD_MAX > DVMT_RING_CHUNK)
    return NULL;
  if ((size_t)(chunk + DVMT_RING_CHUNK - __dvmt_state.next) < words * 8 + DVMT_RECORD_MAX)
    fresh_chunk((size_t)(__dvmt_state.next - chunk));
  return recording ? (uint64_t *)(void *)__dvmt_state.next : NULL;
}

void dvmt_emit_close(uint64_t *r, const struct dvmt_site *site, enum dvmt_tag tag, size_t words) {
  __atomic_store_n(&r[0], (uint64_t)(uintptr_t)site + tag, __ATOMIC_RELEASE);
  __dvmt_state.next = (char *)(r + words);
  if (__dvmt_state.next >= __dvmt_state.limit)
    __dvmt_full();
}

static void emit(const struct dvmt_site *site, enum dvmt_tag tag, const int64_t *words, size_t n) {
  uint64_t *r = dvmt_emit_room(n + 1);
  if (!r)
    return;
  if (n)
    memcpy(r + 1, words, n * 8);
  dvmt_emit_close(r, site, tag, n + 1);
}

/* ---- sites ----------------------------------------------------------------------------------------------------------------- */

bool dvmt_emit_wanted(void) { return recording && (__dvmt_state.flags & DVMT_ON_WRITE); }

void dvmt_emit_unrecorded(struct dvmt_site *site, unsigned why) { note_unrecorded(site, why); }

void dvmt_emit_define(struct dvmt_site *site) {
  size_t n = strlen(site->text), words = 5 + (n + 7) / 8;
  uint64_t *r = dvmt_emit_room(words);
  if (!r)
    return;
  r[1] = (uintptr_t)site->base;
  r[2] = site->size;
  r[3] = site->kind | (uint64_t)site->words << 8 | (uint64_t)site->bytes << 16 | (uint64_t)site->where << 24 | (uint64_t)site->nargs << 32;
  r[4] = n;
  r[words - 1] = n ? 0 : r[words - 1];
  memcpy(r + 5, site->text, n);
  dvmt_emit_close(r, site, DVMT_TAG_DEFINE, words);
}

static void tell_program(void) {
  char text[DVMT_OBJECT_PROGRAM + 1];
  size_t n = dvmt_object_program(text), words = 2 + (n + 8) / 8;
  uint64_t *r = n ? dvmt_emit_room(words) : NULL;
  if (!r)
    return;
  r[1] = n;
  memcpy(r + 2, text, n);
  dvmt_emit_close(r, NULL, DVMT_TAG_PROGRAM, words);
}

/* What the configuration says of it. */
static void configure(struct dvmt_site *site) {
  if (site->kind != DVMT_SITE_CONSTRUCT && site->kind != DVMT_SITE_LOOP)
    return;
  struct dvmt_span file = dvmt_text_line(site->text, DVMRT_ANY_FILE), place = dvmt_text_line(site->text, DVMRT_ANY_PLACE);
  if (!file.s || !place.s)
    return;
  const unsigned line = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0),
                 column = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0);
  const struct dvmt_rule *rule = dvmt_config_rule(&dvmt_setup()->config, file.s, file.n, line, column);
  if (!rule)
    return;
  site->level = (uint8_t)rule->level;
  site->limits = rule->limited ? &rule->limits : NULL;
}

static void in_child(void) { stop(); }

/* From here on objects go because the program ends: what leads into them stays. */
static bool ending;
static void note_end(void) { ending = true; }

/* ---- the recorder inside this process --------------------------------------------------------------------------------------- */

#pragma weak dlopen /* static programs are not to be linked with it, and warned of, for this */

static __typeof__(&dvmt_inside_finish) inside_finish;
static pid_t inside_pid;

/* The library with the recorder, beside this one; NULL: it is told why not. */
static void *inside_library(void) {
  char path[4096];
  Dl_info info;
  const char *lib = dladdr((void *)(uintptr_t)inside_library, &info) ? info.dli_fname : "", *slash = strrchr(lib, '/');
  snprintf(path, sizeof(path), "%.*s/" DVMT_INSIDE_LIBRARY, slash ? (int)(slash - lib) : 1, slash ? lib : ".");
  void *handle = strstr(lib, "libdvmtrace.so") ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  const char *why =
      strstr(lib, "libdvmtrace.so") ? handle ? NULL : dlerror() : "the program is linked with libdvmtrace.a, not with libdvmtrace.so";
  if (why)
    fprintf(stderr, "dvm: error: cannot load the recorder: %s\n", why);
  return handle;
}

static struct dvmt_ring *inside_start(void) {
  const struct dvmt_setup *s = dvmt_setup();
  __typeof__(&dvmt_inside_start) start = NULL;
  if (s->inside.pid != getpid()) /* a child has the environment too */
    return NULL;
  void *handle = inside_library();
  if (handle) {
    *(void **)&start = dlsym(handle, DVMT_INSIDE_START);
    *(void **)&inside_finish = dlsym(handle, DVMT_INSIDE_FINISH);
  }
  struct dvmt_ring *r = start && inside_finish ? start(s->inside.file, s->inside.codec, s->inside.verbose) : NULL;
  if (!r)
    _exit(1);
  inside_pid = getpid();
  return r;
}

/* This process is a rank of a job: it has a stream of its own.  What it starts is not recorded. */
static struct dvmt_ring *rank_start(int rank, int size) {
  const struct dvmt_setup *s = dvmt_setup();
  __typeof__(&dvmt_inside_start_rank) start = NULL;
  const struct dvmt_inside_rank of = {s->inside.file, s->job, "processes", NULL, rank, size};
  if (dvmt_launcher_taken(getpid()))
    return NULL;
  void *handle = inside_library();
  if (handle) {
    *(void **)&start = dlsym(handle, DVMT_INSIDE_START_RANK);
    *(void **)&inside_finish = dlsym(handle, DVMT_INSIDE_FINISH);
  }
  struct dvmt_ring *r = start && inside_finish ? start(&of) : NULL;
  if (!r)
    _exit(1);
  inside_pid = getpid();
  return r;
}

static struct dvmt_ring *find_ring(void) {
  const struct dvmt_setup *s = dvmt_setup();
  int rank, size;
  if (s->job && dvmt_launcher_rank(&rank, &size))
    return rank_start(rank, size);
  return s->inside.pid ? inside_start() : s->ring_fd < 0 ? NULL : dvmt_ring_attach(s->ring_fd);
}

static bool inside_failed(void) {
  if (!inside_pid || getpid() != inside_pid)
    return false;
  inside_pid = 0;
  stop();
  return inside_finish();
}

static void inside_end(void) {
  if (inside_failed()) /* as 'dvm record' ends */
    for (;;)
      syscall(SYS_exit_group, 1);
}

/* Behind the program's own destructors, which are still recorded; and the ways out that run none. */
__attribute__((destructor)) static void at_end(void) {
  if (!inside_failed())
    return;
  fflush(NULL); /* the C library would do it after us */
  for (;;)
    syscall(SYS_exit_group, 1);
}
__attribute__((visibility("default"))) void __dvmt_exit(void) { inside_end(); }

static bool is_point(const struct dvmt_point *p, const struct dvmt_site *site) {
  if (!p->place.file || site->count != p->count)
    return false;
  struct dvmt_span file = dvmt_text_line(site->text, DVMRT_ANY_FILE), place = dvmt_text_line(site->text, DVMRT_ANY_PLACE);
  const unsigned line = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0),
                 column = (unsigned)dvmt_span_number(dvmt_text_field(&place), 0);
  return file.s && place.s && dvmt_place_is(&p->place, file.s, file.n, line, column);
}

/* Flags of code that runs at a level. */
static uint32_t flags_of(unsigned level, bool limited) {
  uint32_t shape = DVMT_ON_SHAPE, iter = limited ? DVMT_ON_SLOW : DVMT_ON_ITER;
  switch (level) {
  case DVMT_LEVEL_MINIMAL: return shape | iter;
  case DVMT_LEVEL_MODIFY: return shape | iter | DVMT_ON_WRITE | DVMT_ON_CALLS;
  case DVMT_LEVEL_FULL: return shape | iter | DVMT_ON_WRITE | DVMT_ON_READ | DVMT_ON_CALLS;
  case DVMT_LEVEL_CHECKSUM: return shape | DVMT_ON_WRITE; /* the collector sums */
  default: return dvmt_setup()->config.nrules || dvmt_setup()->config.start.place.file ? DVMT_ON_SHAPE : 0;
  }
}

/* Of a resource: so much that a program will hardly miss 'bytes'. */
static bool has_plenty(__rlimit_resource_t what, uintptr_t bytes) {
  struct rlimit limit;
  return !getrlimit(what, &limit) && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur / 64 >= bytes);
}

/* The heap begins where it does in other builds of the program, whose code and data are not as large: what is made of addresses is the same.
 * What is left out counts as used. */
static void place_heap(void) {
  const uintptr_t step = (uintptr_t)1 << 26, now = (uintptr_t)sbrk(0);
  if (now != UINTPTR_MAX && now % step && has_plenty(RLIMIT_DATA, step) && has_plenty(RLIMIT_AS, step))
    sbrk((intptr_t)(step - now % step));
}

static unsigned program_level(void) { return started && !finished ? dvmt_setup()->config.level : DVMT_LEVEL_NONE; }

/* Outside constructs there are no iterations to record. */
static uint32_t program_flags(void) { return flags_of(program_level(), false) & ~(uint32_t)DVMT_ON_ITER; }

__attribute__((visibility("default"))) void DVMT_MODULE(struct dvmt_site *first, struct dvmt_site *last, const void *const *functions,
                                                        const void *const *functions_end) {
  static bool ready;
  if (!ready) {
    ready = true;
    ring = find_ring();
    silence();
    if (!ring)
      return;
    pthread_atfork(NULL, NULL, in_child);
    atexit(note_end);
    if (inside_pid)
      at_quick_exit(inside_end);
    recording = true;
    place_heap();
    mallopt(M_MMAP_THRESHOLD, DVMT_CLEARED);
    chunk = ring->chunk[0];
    __dvmt_state.next = chunk;
    __dvmt_state.limit = chunk + DVMT_RING_CHUNK - DVMT_RECORD_MAX;
    tell_program();
    started = !dvmt_setup()->config.start.place.file;
    __dvmt_state.flags = program_flags();
  }
  dvmt_foreign_functions(functions, functions_end);
  for (struct dvmt_site *s = first; recording && s < last; s++) {
    configure(s);
    dvmt_emit_define(s);
    dvmt_foreign_variable(s);
  }
}

static void close_gone(const struct dvmt_object *object);

__attribute__((visibility("default"))) void __dvmt_module_gone(struct dvmt_site *first, struct dvmt_site *last) {
  struct dvmt_object object;
  if (ending || first == last || !dvmt_object_of(&object, first))
    return;
  if (recording)
    close_gone(&object);
  dvmt_foreign_gone(&object);
  dvmt_arrays_gone(&object);
}

/* ---- constructs and loops ---------------------------------------------------------------------------------------------- */

static unsigned level_now(void) { return depth ? stack[depth - 1].level : program_level(); }
static bool silent_now(void) { return depth && stack[depth - 1].silent; }

/* Between 'trace off' and 'trace on'. */
static bool muted;

static void set_flags(uint32_t flags) { __dvmt_state.flags = muted ? 0 : flags; }

/* The directive 'trace on' or 'trace off'; false: it is another one. */
static bool mute(const struct dvmt_site *site) {
  struct dvmt_span line = dvmt_text_line(site->text, DVMRT_ANY_KIND), kind = dvmt_text_field(&line);
  bool off = dvmt_span_is(kind, "trace_off");
  if (!off && !dvmt_span_is(kind, "trace_on"))
    return false;
  muted = off;
  set_flags(finished ? 0 : depth ? stack[depth - 1].flags : program_flags());
  return true;
}

static void set_top(void) { __dvmt_state.top = depth ? stack[depth - 1].site : NULL; }

static void close_top(void) {
  struct open *o = &stack[--depth];
  if (o->level != DVMT_LEVEL_NONE || o->told)
    emit(o->site, DVMT_TAG_LEAVE, NULL, 0);
  set_flags(o->outer);
  set_top();
  if (is_point(&dvmt_setup()->config.finish, o->site)) {
    finished = true;
    __dvmt_state.flags = 0;
    for (int d = 0; d < depth; d++)
      stack[d].flags = stack[d].outer = 0;
  }
}

/* Left by return, goto or longjmp: those of functions that have ended. */
static void close_dead(const char *frame) {
  while (depth && stack[depth - 1].frame < frame)
    close_top();
}

/* Those inside 'site' too, and itself if 'itself'; nothing if it is not open. */
static bool close_to(const struct dvmt_site *site, const char *frame, bool itself) {
  int d = depth;
  while (d && !(stack[d - 1].site == site && stack[d - 1].frame == frame))
    d--;
  if (!d)
    return false;
  while (depth > d - itself)
    close_top();
  return true;
}

/* Arguments of the construct whose arrays will be digested; such constructs do not nest. */
static int64_t digest_args[256];

enum { SUMMED_DEPTH = 3 }; /* loops within that many others have sums of their own */

/* Whether a construct writes what no directive declares. */
static bool is_ordinary(const struct dvmt_site *site) {
  return site->kind == DVMT_SITE_CONSTRUCT && dvmt_text_line(site->text, DVMRT_DIRECTIVE_ORDINARY).s;
}

/* An execution of a construct or loop that follows ones that are not told has its number. */
static void emit_enter(struct dvmt_site *site, unsigned level, const int64_t *args) {
  int64_t words[257];
  words[0] = level;
  if (site->count > 1 && !site->numbered)
    words[0] |= (int64_t)(site->count << 8);
  site->numbered = 1;
  if (site->nargs)
    memcpy(words + 1, args, site->nargs * 8u);
  emit(site, DVMT_TAG_ENTER, words, 1u + site->nargs);
}

/* The loops that are open, outermost first, up to a construct whose iterations have no order. */
static void tell_nest(void) {
  static const int64_t none[256];
  for (int d = 0; d < depth && stack[d].site->kind != DVMT_SITE_CONSTRUCT; d++) {
    struct open *o = &stack[d];
    if (o->site->kind != DVMT_SITE_LOOP)
      continue;
    o->told = true;
    emit_enter(o->site, DVMT_LEVEL_NONE, none);
    if (o->has_iteration)
      emit(o->site, DVMT_TAG_ITER, o->iteration, o->site->words);
  }
}

/* Recording begins within constructs that are open. */
static void start_recording(void) {
  started = true;
  if (dvmt_setup()->nest)
    tell_nest();
  set_flags(program_flags());
  for (int d = 0; d < depth; d++)
    if (stack[d].level == DVMT_LEVEL_NONE && stack[d].site->level == DVMT_LEVEL_UNSET)
      stack[d].flags = stack[d].outer = program_flags();
}

static void open_site(struct dvmt_site *site, char *frame, const int64_t *args) {
  site->count++;
  if (is_point(&dvmt_setup()->config.start, site))
    start_recording();
  bool silent = silent_now() || muted;
  unsigned level = silent || !started || finished                       ? DVMT_LEVEL_NONE
                   : site->level != DVMT_LEVEL_UNSET                    ? site->level
                   : depth && stack[depth - 1].level != DVMT_LEVEL_NONE ? stack[depth - 1].level
                                                                        : program_level();
  if (!silent && depth && stack[depth - 1].level == DVMT_LEVEL_NONE && stack[depth - 1].site->level == DVMT_LEVEL_NONE &&
      site->level == DVMT_LEVEL_UNSET)
    level = DVMT_LEVEL_NONE; /* inside what the configuration leaves out */
  bool summed = level == DVMT_LEVEL_CHECKSUM && (site->kind == DVMT_SITE_LOOP || is_ordinary(site));
  bool deep = site->kind == DVMT_SITE_LOOP && level == DVMT_LEVEL_CHECKSUM && depth >= SUMMED_DEPTH; /* a part of what is around it */
  if (deep || (site->kind == DVMT_SITE_LOOP && level == DVMT_LEVEL_SYSTEM))
    level = DVMT_LEVEL_NONE;
  if (level == DVMT_LEVEL_CHECKSUM && site->nargs)
    memcpy(digest_args, args, site->nargs * 8u);
  site->numbered &= level != DVMT_LEVEL_NONE;
  if (level != DVMT_LEVEL_NONE)
    emit_enter(site, level, args);
  uint32_t outer = muted && depth ? stack[depth - 1].flags : muted ? program_flags() : __dvmt_state.flags;
  uint32_t flags = site->kind == DVMT_SITE_SCOPE || deep ? outer : silent ? 0 : flags_of(level, site->limits);
  if (level == DVMT_LEVEL_CHECKSUM && site->kind == DVMT_SITE_CONSTRUCT)
    flags = summed ? DVMT_ON_WRITE : dvmt_setup()->whole ? 0 : DVMT_ON_ROWS;
  if (flags & DVMT_ON_ROWS)
    dvmt_row_sums_begin(site, digest_args);
  if (!started && dvmt_setup()->nest && site->kind == DVMT_SITE_LOOP && site->words)
    flags |= DVMT_ON_SLOW;
  struct open *o = &stack[depth++];
  *o = (struct open){.site = site, .frame = frame, .flags = flags, .outer = outer, .level = (uint8_t)level};
  o->silent = site->kind == DVMT_SITE_SCOPE ? depth > 1 && o[-1].silent : silent;
  set_top();
  set_flags(flags);
}

__attribute__((visibility("default"))) int __dvmt_enter(struct dvmt_site *site, void *frame, const int64_t *args) {
  if (!recording) {
    if (ring && program_level() != DVMT_LEVEL_NONE && __dvmt_state.limit)
      note_unrecorded(site, DVMT_WHY_THREAD);
    return 2;
  }
  close_dead(frame);
  if (depth == DEPTH_MAX) {
    unseen++;
    return 2;
  }
  open_site(site, frame, args);
  return stack[depth - 1].flags & (DVMT_ON_WRITE | DVMT_ON_READ | DVMT_ON_ITER | DVMT_ON_SLOW) ? 1 : 2;
}

/* Digests of the arrays that the construct may have written. */
struct digesting {
  const struct dvmt_site *site;
  const int64_t *args;
  size_t next;
  const struct dvmt_array *told[64];
  size_t ntold;
};

static void digest_array(struct digesting *d, const struct dvmt_array *a) {
  for (size_t i = 0; i < d->ntold; i++)
    if (d->told[i] == a)
      return;
  uint64_t sum, n = a->bytes / a->element_bytes;
  if (!dvmt_row_sums_of(d->site, a, &sum))
    sum = dvmt_digest_holed((const void *)(uintptr_t)a->address, a->element_bytes, 0, n, a->holes);
  const int64_t words[3] = {(int64_t)a->address, (int64_t)n, (int64_t)sum};
  emit(d->site, DVMT_TAG_DIGEST, words, 3);
  if (d->ntold < sizeof(d->told) / sizeof(*d->told))
    d->told[d->ntold++] = a;
}

/* A variable at an access site of its own, by bytes. */
static void digest_variable(const struct dvmt_site *site, const void *value, uint64_t bytes) {
  emit(site, DVMT_TAG_DIGEST, (const int64_t[]){0, (int64_t)bytes, (int64_t)dvmt_digest_array(value, bytes, 1), 0}, 4);
}

/* What functions of other files assign. */
static void digest_reached(struct digesting *d, const struct dvmt_reach *nest) {
  size_t n;
  struct dvmt_span file = dvmt_text_line(d->site->text, DVMRT_ANY_FILE), place = dvmt_text_line(d->site->text, DVMRT_ANY_PLACE);
  struct dvmt_reached *rows = dvmt_reach_of(nest, &n);
  for (size_t i = 0; i < n; i++) {
    uint64_t at = (uintptr_t)rows[i].address;
    const struct dvmt_array *a = dvmt_arrays_find(rows[i].flags & DVMT_REACH_POINTER ? *(const uint64_t *)at : at);
    if (a) {
      digest_array(d, a);
    } else if (rows[i].bytes && (rows[i].flags & DVMT_REACH_EXPOSED)) {
      if (!rows[i].use && (rows[i].use = dvmt_reach_site(file, place, &rows[i])))
        dvmt_emit_define(rows[i].use);
      if (rows[i].use)
        digest_variable(rows[i].use, rows[i].address, rows[i].bytes);
    }
  }
}

static bool digest_use(void *arg, char key, struct dvmt_span rest) {
  struct digesting *d = arg;
  size_t first = d->next;
  d->next += dvmt_text_signs(key, rest);
  if (d->next == first)
    return true;
  if (key == DVMRT_DIRECTIVE_REACHED)
    digest_reached(d, (const void *)(uintptr_t)d->args[first]);
  const struct dvmt_array *a = key == DVMRT_DIRECTIVE_USE && rest.s[rest.n - 1] != 'r' ? dvmt_arrays_find((uint64_t)d->args[first]) : NULL;
  if (a)
    digest_array(d, a);
  return true;
}

__attribute__((visibility("default"))) void __dvmt_leave(struct dvmt_site *site, void *frame) {
  if (!recording)
    return;
  if (unseen) {
    unseen--;
    return;
  }
  close_dead(frame);
  close_to(site, frame, false);
  if (depth && stack[depth - 1].site == site) {
    if (stack[depth - 1].level == DVMT_LEVEL_CHECKSUM) {
      struct digesting d = {.site = site, .args = digest_args};
      dvmt_text_lines(site->text, digest_use, &d);
      dvmt_row_sums_begin(NULL, NULL);
    }
    close_top();
    if (dvmt_setup()->live && site->kind == DVMT_SITE_CONSTRUCT && recording)
      take_chunk(dvmt_ring_push(ring, (size_t)(__dvmt_state.next - chunk), dvmt_setup()->step));
  }
}

__attribute__((visibility("default"))) void __dvmt_loop(struct dvmt_site *site, void *frame) {
  if (!recording)
    return;
  close_dead(frame);
  close_to(site, frame, true);
  if (depth < DEPTH_MAX)
    open_site(site, frame, NULL);
}

__attribute__((visibility("default"))) void __dvmt_loop_end(struct dvmt_site *site, void *frame) {
  if (!recording)
    return;
  close_dead(frame);
  close_to(site, frame, true);
}

/* ---- functions that call others: for the chain of calls that a difference is told with --------------------------------------- */

enum { CALLS_MAX = 1024 };
static struct {
  const struct dvmt_site *site;
  char *frame;
} calls[CALLS_MAX];
static int ncalls;

static void leave_call(void) {
  ncalls--;
  emit(calls[ncalls].site, DVMT_TAG_RETURN, NULL, 0);
}

__attribute__((visibility("default"))) void __dvmt_function(struct dvmt_site *site, void *frame) {
  if (!recording)
    return;
  while (ncalls && calls[ncalls - 1].frame < (char *)frame) /* left by longjmp; of one that is expanded inline it is its caller's */
    leave_call();
  if (ncalls == CALLS_MAX)
    return;
  calls[ncalls].site = site;
  calls[ncalls++].frame = frame;
  emit(site, DVMT_TAG_CALL, NULL, 0);
}

__attribute__((visibility("default"))) void __dvmt_function_end(struct dvmt_site *site, void *frame) {
  int n = recording ? ncalls : 0;
  while (n && !(calls[n - 1].site == site && calls[n - 1].frame == frame))
    n--;
  while (n && ncalls >= n)
    leave_call();
}

/* What was left by longjmp and had not been noticed yet. */
static void close_gone(const struct dvmt_object *object) {
  int d = 0, n = 0;
  while (d < depth && !dvmt_object_has(object, stack[d].site))
    d++;
  while (depth > d)
    close_top();
  while (n < ncalls && !dvmt_object_has(object, calls[n].site))
    n++;
  while (ncalls > n)
    leave_call();
}

static bool is_wanted(const struct dvmt_limits *l, const int64_t *iv, unsigned n) {
  for (unsigned d = 0; d < n; d++) {
    const struct dvmt_range *r = &l->dim[d];
    if (l->set[d] && (iv[d] < r->low || iv[d] > r->high || (r->step > 1 && (iv[d] - r->low) % r->step)))
      return false;
  }
  return true;
}

__attribute__((visibility("default"))) void __dvmt_iter(struct dvmt_site *site, void *frame, const int64_t *iv) {
  if (!recording)
    return;
  close_dead(frame);
  if (!close_to(site, frame, false))
    return;
  struct open *o = &stack[depth - 1];
  if (o->silent && depth > 1 && stack[depth - 2].silent)
    return;
  if (!started) {
    o->has_iteration = true;
    memcpy(o->iteration, iv, site->words * 8u);
    set_flags(o->flags);
    return;
  }
  o->silent = site->limits && !is_wanted(site->limits, iv, site->words);
  set_flags(o->silent ? DVMT_ON_SLOW : o->flags);
  if (!o->silent && !muted && (o->flags & (DVMT_ON_ITER | DVMT_ON_SLOW)))
    emit(site, DVMT_TAG_ITER, iv, site->words);
}

__attribute__((visibility("default"))) void __dvmt_unrecorded(struct dvmt_site *site) { note_unrecorded(site, DVMT_WHY_OPENMP); }

__attribute__((visibility("default"))) void __dvmt_result(struct dvmt_site *site, uint32_t number, const void *value, uint32_t bytes) {
  __dvmt_results(site, number, value, bytes, 1);
}

__attribute__((visibility("default"))) void __dvmt_results(struct dvmt_site *site, uint32_t number, const void *values, uint32_t bytes,
                                                           int64_t count) {
  if (!recording || bytes > 32 || count > DVMT_RESULT_ELEMENTS || level_now() == DVMT_LEVEL_NONE || silent_now())
    return;
  for (int64_t i = 0; i < count; i++) {
    int64_t words[6] = {number | i << 32, bytes};
    memcpy(words + 2, (const char *)values + i * bytes, bytes);
    emit(site, DVMT_TAG_RESULT, words, 6);
  }
}

__attribute__((visibility("default"))) void __dvmt_shared(const struct dvmt_site *site, const void *value, uint64_t bytes) {
  if (!recording || level_now() != DVMT_LEVEL_CHECKSUM || silent_now())
    return;
  digest_variable(site, value, bytes);
}

__attribute__((visibility("default"))) void __dvmt_reach(const struct dvmt_reach *rows, uint64_t n) { dvmt_reach_add(rows, n); }

__attribute__((visibility("default"))) void __dvmt_reach_gone(const struct dvmt_reach *rows) { dvmt_reach_gone(rows); }

__attribute__((visibility("default"))) void __dvmt_executed(const struct dvmt_site *site, uint64_t count, uint64_t sum) {
  if (!recording || level_now() != DVMT_LEVEL_CHECKSUM || silent_now())
    return;
  emit(site, DVMT_TAG_DIGEST, (const int64_t[]){0, (int64_t)count, (int64_t)sum, 0}, 4);
}

/* A local array: what nobody assigns is the same in every run. */
static void clear_local(const struct dvmt_site *site, const int64_t *args) {
  struct dvmt_array_ref ref;
  struct dvmt_span kind = dvmt_text_line(site->text, DVMRT_ANY_KIND);
  if (!dvmt_span_is(dvmt_text_field(&kind), "array") || dvmt_text_line(site->text, DVMRT_DIRECTIVE_POINTER).s ||
      !dvmt_text_array(site->text, args, site->nargs, &ref) || (uintptr_t)ref.address < (uintptr_t)__builtin_frame_address(0))
    return;
  uint64_t bytes = ref.element_bytes;
  for (int d = 0; d < ref.ndims; d++)
    bytes *= (uint64_t)ref.extent[d];
  memset((void *)(uintptr_t)ref.address, 0, bytes);
}

__attribute__((visibility("default"))) void __dvmt_direct(struct dvmt_site *site, const int64_t *args) {
  bool copied = dvmt_copy_run(site->text, args, site->nargs);
  if (!recording || mute(site))
    return;
  if (copied && dvmt_emit_wanted())
    note_unrecorded(site, DVMT_WHY_OPENMP);
  clear_local(site, args);
  dvmt_arrays_note(site->text, args, site->nargs);
  site->count++;
  emit(site, DVMT_TAG_DIRECT, args, site->nargs);
}

__attribute__((visibility("default"))) void __dvmt_heap_new(void *p, uint64_t size) {
  if (recording && p && size <= DVMT_CLEARED)
    memset(p, 0, size);
  __dvmt_heap(p, size);
}

__attribute__((visibility("default"))) void __dvmt_heap(const void *p, uint64_t size) {
  const int64_t words[2] = {(int64_t)(uintptr_t)p, (int64_t)size};
  if (!recording || !p)
    return;
  dvmt_arrays_heap((uint64_t)(uintptr_t)p, size);
  emit(NULL, DVMT_TAG_HEAP, words, 2);
}

__attribute__((visibility("default"))) void __dvmt_local(const struct dvmt_site *site, const void *p, void *frame, uint64_t bytes) {
  if (!recording || !(__dvmt_state.flags & ~(uint32_t)DVMT_ON_ROWS))
    return;
  uint64_t *r = (uint64_t *)(void *)__dvmt_state.next;
  r[1] = (uintptr_t)p;
  r[2] = (uintptr_t)frame;
  r[3] = bytes;
  dvmt_emit_close(r, site, DVMT_TAG_LOCAL, 4);
}
