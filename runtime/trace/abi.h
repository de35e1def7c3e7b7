/* The one header between code that records (compiled with -fdvm=trace) and libdvmtrace: sites, the state of the thread, entry
 * points, and the raw records that inserted code writes.  Any change of layout or meaning changes DVMT_ABI. */
#ifndef DVMT_ABI_H
#define DVMT_ABI_H
#include "base/limits.h"
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DVMT_ABI 4
#define DVMT_NDIMS_MAX DVM_NDIMS_MAX

/* ---- Sites -------------------------------------------------------------------------------------------------------------
 * One for each access, construct, loop and directive, in section "dvmt_sites" of the object that holds it, aligned to 16.
 * 'text' is a site text (runtime/site_text.h) with the keys of scope TRACE; a sequential loop has K 'loop <number>' and NAMES
 * with no name or one. */
enum {
  DVMT_SITE_ACCESS,
  DVMT_SITE_CONSTRUCT /* has iterations */,
  DVMT_SITE_SCOPE /* region, .. */,
  DVMT_SITE_LOOP,
  DVMT_SITE_DIRECT,
  DVMT_SITE_FUNCTION /* K function: one that calls others */
};
enum {
  DVMT_WHERE_ADDRESS = 1, /* 'where' of its records is an address; else an offset in bytes from the start of the variable */
  DVMT_WHERE_ESCAPES = 4, /* a global variable that code which is not recorded may write without being given it */
  DVMT_WHERE_POINTER = 2  /* a second word follows: the offset from the pointer that the access went through */
};

struct dvmt_site {
  const char *text;
  const void *base;       /* of a global variable, or NULL */
  uint64_t size;          /* of the variable at the root in bytes, 0 if not known */
  uint8_t kind;           /* DVMT_SITE_* */
  uint8_t words;          /* of the value; index variables of iterations; arguments of the others */
  uint8_t bytes;          /* of the value */
  uint8_t where;          /* DVMT_WHERE_* */
  uint8_t nargs;          /* signs '#' and '&' of the text */
  /* the runtime's: */
  uint8_t level;          /* enum dvmt_level, or DVMT_LEVEL_UNSET */
  uint8_t unrecorded;     /* it is known to be executed where nothing is recorded */
  uint8_t numbered;       /* the number of an execution has been told */
  const void *limits;     /* struct dvmt_limits: iterations that are recorded, NULL: all */
  uint64_t count;         /* executions so far */
};

/* ---- State of the thread -----------------------------------------------------------------------------------------------
 * Only the thread that runs the first constructor records.  The others begin with a place for one record that is never taken, so that the
 * runtime learns of what they write.  Inserted code, in all places:
 *   if (state.flags & NEEDED) { write a record at state.next; state.next += its size; if (state.next >= state.limit) full(); }
 * Records never exceed DVMT_RECORD_MAX bytes here, and there is always room for one. */
enum { DVMT_RECORD_MAX = 512 };
enum {
  DVMT_ON_WRITE = 1,
  DVMT_ON_READ = 2,
  DVMT_ON_ITER = 4,   /* iterations are recorded inline if the thread is in that construct: state.top == site */
  DVMT_ON_SLOW = 8,   /* iterations must be told to the runtime */
  DVMT_ON_SHAPE = 16, /* sequential loops and directives are told to the runtime */
  DVMT_ON_CALLS = 32, /* functions too */
  DVMT_ON_ROWS = 64   /* no records: rows of stores are told, while they are in the cache */
};
struct dvmt_state {
  char *next, *limit;
  uint32_t flags;
  uint32_t pad;
  const struct dvmt_site *top; /* innermost construct or loop that is recorded */
};
extern __thread struct dvmt_state __dvmt_state __attribute__((tls_model("initial-exec")));

/* ---- Raw records -------------------------------------------------------------------------------------------------------
 * 64-bit words.  The first is the address of the site with a tag in its low four bits, and is written last: memory behind
 * the last record is zero, so that the records of a program that was killed end where they end. */
enum dvmt_tag {
  DVMT_TAG_READ = 1,   /* where [offset] value.. */
  DVMT_TAG_WRITE,      /* the same */
  DVMT_TAG_ITER,       /* index variables, outermost first */
  DVMT_TAG_ENTER, /* level (and number << 8 of the execution, where it is not that of the record), arguments of the site's '#' and '&' */
  DVMT_TAG_LEAVE, /* - */
  DVMT_TAG_RESULT, /* number of the R line (and << 32 that of the element, of an array), bytes, value in 4 words: a reduction variable when
                    * the construct ends */
  DVMT_TAG_DIRECT, /* arguments */
  DVMT_TAG_DIGEST, /* address, elements, digest: contents of an array when the construct ends; at an access site: of the part that
                        * one rank has, and the number of the part; address 0: of the variable of the site, by bytes (part 0), or iterations: their number and
                        * sum (part: 0, or of this rank alone) */
  DVMT_TAG_DEFINE, /* base, size, kind|words<<8|bytes<<16|where<<24, bytes of the text, text padded with zeros */
  DVMT_TAG_PAD, /* nothing more in this chunk; no site */
  DVMT_TAG_CALL = 12, /* a function begins: - */
  DVMT_TAG_RETURN, /* and ends: - */
  DVMT_TAG_HEAP, /* no site; address, bytes: an allocation begins, or (0) ends */
  DVMT_TAG_LOCAL, /* address, frame, bytes (0: as the site says): the variable of this site is entered */
  DVMT_TAG_PROGRAM = 11 /* no site; bytes of a text, the text padded with zeros: build id of the program in hexadecimal digits */
};

/* Allocations up to so many bytes are cleared in a program that is recorded; larger ones are pages that the system has cleared
 * (M_MMAP_THRESHOLD). */
enum { DVMT_CLEARED = 1 << 20 };

/* Arrays of results up to so many elements are recorded. */
enum { DVMT_RESULT_ELEMENTS = 4096 };

enum dvmt_level {
  DVMT_LEVEL_NONE,
  DVMT_LEVEL_MINIMAL,
  DVMT_LEVEL_MODIFY,
  DVMT_LEVEL_FULL,
  DVMT_LEVEL_CHECKSUM,
  DVMT_LEVEL_SYSTEM,
  DVMT_NLEVELS,
  DVMT_LEVEL_UNSET = 255
};

/* Why something that was executed is not recorded. */
enum dvmt_why {
  DVMT_WHY_THREAD, /* by another thread */
  DVMT_WHY_FOREIGN, /* a call of code that is not recorded wrote there */
  DVMT_WHY_OPENMP, /* an OpenMP construct, or an array_copy */
  DVMT_WHY_UNSEEN /* calls of code that is not recorded: more than can be looked at */
};

/* ---- Entry points: cold ------------------------------------------------------------------------------------------------ */
/* The name carries DVMT_ABI, so that an object of another version does not link, and the linker's message says what to do. */
#define DVMT_MODULE_NAME_(abi) __dvmt_module_##abi##_compile_this_file_again_with_the_present_dvmcc
#define DVMT_MODULE_NAME(abi) DVMT_MODULE_NAME_(abi)
#define DVMT_MODULE DVMT_MODULE_NAME(DVMT_ABI)
#define DVMT_MODULE_TEXT_(name) #name
#define DVMT_MODULE_TEXT(name) DVMT_MODULE_TEXT_(name)
#define DVMT_MODULE_SYMBOL DVMT_MODULE_TEXT(DVMT_MODULE)
/* 'functions': addresses of the functions that this object records. */
void DVMT_MODULE(struct dvmt_site *first, struct dvmt_site *last, const void *const *functions, const void *const *functions_end);
/* By a destructor: the object is about to be unmapped, or the program ends. */
void __dvmt_module_gone(struct dvmt_site *first, struct dvmt_site *last);
void __dvmt_full(void);
/* The record of an access to a value of a word, if it is wanted, where the inserted code does not write it itself: its first word (the
 * tag says what it is), the words 'where', the value. */
void __dvmt_put(const void *first, uint64_t where, uint64_t value);
void __dvmt_put_offset(const void *first, uint64_t where, uint64_t offset, uint64_t value);
/* Several of them at once: 'values' holds, for each, what of its places is given there, and its value. */
enum { DVMT_PUT_OFFSET = 1 /* there is an offset */, DVMT_PUT_WHERE_GIVEN = 2, DVMT_PUT_OFFSET_GIVEN = 4 };
struct dvmt_put {
  const void *first;
  uint64_t where, offset, given;
};
void __dvmt_puts(const struct dvmt_put *puts, uint64_t n, const uint64_t *values);
/* Returns 1: run the recording body; 2: run the plain one. */
int __dvmt_enter(struct dvmt_site *site, void *frame, const int64_t *args);
void __dvmt_leave(struct dvmt_site *site, void *frame);
void __dvmt_iter(struct dvmt_site *site, void *frame, const int64_t *iv);
void __dvmt_loop(struct dvmt_site *site, void *frame);
void __dvmt_loop_end(struct dvmt_site *site, void *frame);
void __dvmt_direct(struct dvmt_site *site, const int64_t *args);
void __dvmt_function(struct dvmt_site *site, void *frame);
void __dvmt_function_end(struct dvmt_site *site, void *frame);
/* Value of a reduction variable, just before leave; 'number' counts R lines from 0. */
void __dvmt_result(struct dvmt_site *construct, uint32_t number, const void *value, uint32_t bytes);
/* The same of an array: elements of 'bytes', one behind the other; of more than DVMT_RESULT_ELEMENTS nothing. */
void __dvmt_results(struct dvmt_site *construct, uint32_t number, const void *values, uint32_t bytes, int64_t count);
/* What a variable that the construct assigns and that no clause names holds, just before leave: an access site of it. */
void __dvmt_shared(const struct dvmt_site *variable, const void *value, uint64_t bytes);
/* How many iterations of the construct have been executed, and a sum of what their index variables were, just before leave: an access site. */
void __dvmt_executed(const struct dvmt_site *iterations, uint64_t count, uint64_t sum);
/* Values of 'bytes' have been stored from 'first' on, in even steps, up to one step before 'behind', which may lie lower; all that the
 * construct writes and that may be an element of an array is told so, each time behind its last store, or nothing of it. */
void __dvmt_row(const void *first, const void *behind, uint64_t bytes);
/* memmove of a row that is told next. */
void __dvmt_row_copy(void *to, const void *from, uint64_t bytes);
/* An allocation of 'size' bytes begins at p, or (0) ends; p may be NULL. */
void __dvmt_heap(const void *p, uint64_t size);
/* A local variable whose address goes somewhere is entered: an access site of it, where it lies; 'bytes' 0: as the site says. */
void __dvmt_local(const struct dvmt_site *site, const void *p, void *frame, uint64_t bytes);
/* The same; what nobody has assigned differs from run to run: it begins as zeros. */
void __dvmt_heap_new(void *p, uint64_t size);
/* What stands here is not recorded: an OpenMP construct. */
void __dvmt_unrecorded(struct dvmt_site *site);

/* ---- Calls of code that may not be recorded -------------------------------------------------------------------------------
 * One scalar of what a pointer leads to, over and over: at p + n * stride + offset (+ i * distance ..) */
struct dvmt_part {
  struct dvmt_site *site;
  uint32_t stride, offset, bit, width;
  uint32_t nrepeat, repeat[3][2]; /* count, distance; outermost first */
  uint32_t kind; /* of the value, as in the line y */
};
/* A place where something is called. */
struct dvmt_call {
  struct dvmt_site *site;
  const void *callee; /* that was called last */
  uint64_t looked, changed; /* bytes */
  uint64_t what; /* of the callee: the runtime's */
};
/* What a known function has written is recorded: the elements in 'bytes' from p.  'root' is the pointer or variable that p comes from. */
void __dvmt_range(const struct dvmt_part *parts, uint32_t nparts, const void *p, const void *root, uint64_t bytes);
/* A section has been assigned: 'dims' has the extent and the distance in bytes of each of its dimensions, the first moves fastest.  The
 * part says all but how far apart its elements are. */
void __dvmt_section(const struct dvmt_part *part, const void *p, const void *root, uint32_t ndims, const int64_t *dims);
/* What functions write where none of their arguments points, at sites of one word: the end of a token (NULL: there was none); 'got' bytes
 * in the buffers of a vector (struct iovec) or of a message (struct msghdr). */
void __dvmt_token(struct dvmt_site *site, const char *token);
void __dvmt_vector(struct dvmt_site *site, const void *iov, int64_t n, int64_t got);
void __dvmt_message(struct dvmt_site *site, const void *message, int64_t got);
/* Before a call.  1: the callee is not recorded; then what it is given follows, and when it is back __dvmt_called. */
int __dvmt_call(struct dvmt_call *call, const void *callee, void *frame);
/* 'size': of the variable at the root, 0: not known.  No parts: nobody knows what it is. */
void __dvmt_give(const struct dvmt_part *parts, uint32_t nparts, const void *p, const void *root, uint64_t size);
/* Behind what it is given: it may know global variables and allocations besides. */
void __dvmt_around(struct dvmt_call *call);
void __dvmt_called(struct dvmt_call *call);
/* Tables of what the functions of an object assign (reach.h), by a constructor. */
struct dvmt_reach;
void __dvmt_reach(const struct dvmt_reach *rows, uint64_t n);
void __dvmt_reach_gone(const struct dvmt_reach *rows);
/* The program is about to call _exit or _Exit. */
void __dvmt_exit(void);

#ifdef __cplusplus
}
#endif
#endif
