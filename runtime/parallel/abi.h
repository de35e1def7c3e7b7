/* The one header between inserted code and libdvmpar: what '-fdvm=parallel' makes of the marks (pass/markers.h).  Site texts are those
 * of runtime/site_text.h. */
#ifndef DVMP_ABI_H
#define DVMP_ABI_H
#include "runtime/abi.h"

/* Before the first statement of main; whoever comes first. */
void __dvmp_begin(void);
/* Constructs.  'while (enter(..)) { statement; leave(..) }': true once a turn.  Of each index variable 'clamps' gets
 * [0] and [1]: its lowest and highest value on this rank in this turn (1 and 0: none), [2] and [3]: on all ranks together.
 * 'at': values of the index variables when the extreme of a maxloc or minloc was met, rank of the nest for each of them, or NULL. */
int __dvmp_enter(struct dvmrt_site *site, const void *frame, const int64_t *args, int64_t *clamps, int64_t *at);
void __dvmp_leave(struct dvmrt_site *site, const void *frame);
/* While [0] is DVMP_ASKS: a loop begins, from 'start' to 'end', which it may not reach, upwards (1), downwards (-1), or (0) until what is not
 * known.  1: it is to have no iterations. */
int __dvmp_loop(struct dvmrt_site *site, const void *frame, uint32_t index, int64_t start, int64_t end, int64_t way);
#define DVMP_ASKS INT64_MIN
/* Before leave, in programs that are compiled to be recorded too: iterations of this turn, and a sum over them (IterationCount.h). */
void __dvmp_executed(struct dvmrt_site *site, const void *frame, uint64_t count, uint64_t sum);
/* In second bodies (below): an iteration begins, whose index variables are these. */
void __dvmp_iteration(struct dvmrt_site *site, const void *frame, const int64_t *indices);
/* An index variable, from 0, takes a value that lies outside of what 'on' names. */
void __dvmp_outside(struct dvmrt_site *site, uint32_t index, int64_t value);
void __dvmp_direct(struct dvmrt_site *site, const int64_t *args);
/* A variable of the stack ceases to be. */
void __dvmp_gone(const void *p);

/* The sequential part.  1: this rank is to execute the assignment to the element. */
int __dvmp_own(const void *p);
/* Where to store what is assigned to the element: in it, or - it is another rank's - nowhere. */
void *__dvmp_store(void *p, uint64_t size);
/* An element is read: fails if this rank does not have it. */
const void *__dvmp_read(const void *p, uint64_t size, struct dvmrt_site *site);
/* An element that is changed by an expression whose value all ranks use: the place where this one changes it. */
void *__dvmp_change(void *p, uint64_t size, struct dvmrt_site *site);
/* An element is printed: its value, of the rank that has it. */
const void *__dvmp_fetch(const void *p, uint64_t size);

/* Bytes: as the functions of the library, of an array's elements each rank those that are its own. */
void *__dvmp_memset(void *p, int byte, uint64_t n, struct dvmrt_site *site);
void *__dvmp_memcpy(void *to, const void *from, uint64_t n, struct dvmrt_site *written, struct dvmrt_site *read);
/* A function of the library is about to read so many bytes; UINT64_MAX: a string. */
void __dvmp_range(const void *p, uint64_t n, struct dvmrt_site *site);

/* DVM_OPTIONS=poison=1, and where a construct is told element by element.  Second bodies of functions check what they access and tell
 * iterations, and are executed while the object's flag is not 0: a constructor
 * says where it is. */
void __dvmp_checked(int32_t *flag);
/* An access, which goes to the address that is returned. */
void *__dvmp_check(void *p, uint64_t size, struct dvmrt_site *site);

/* While this is not 0, what a construct stores is told, as __dvmt_row has it (runtime/trace/abi.h). */
extern uint32_t __dvmp_rows_wanted;
void __dvmp_row(const void *first, const void *behind, uint64_t bytes);
/* memmove of a row that is told next. */
void __dvmp_row_copy(void *to, const void *from, uint64_t bytes);

/* Tables of what the functions of an object assign (runtime/trace/reach.h), by a constructor. */
struct dvmt_reach;
void __dvmp_reach(const struct dvmt_reach *rows, uint64_t n);
void __dvmp_reach_gone(const struct dvmt_reach *rows);

/* The rules of 'derived' and 'shadow_add' count, on each level, through what this rank has of a dimension of the array, or template, whose
 * variable lies there, and in the edges of it that are named, and give elements, from 'low' to 'high'.  The end's result stands in the text of
 * the directive, or the address of a function that returns it. */
void __dvmp_rule_begin(void);
void __dvmp_rule_over(int level, const volatile void *variable, int dim);
void __dvmp_rule_edge(int level, const char *name);
int __dvmp_rule_next(int level, long *index);
void __dvmp_rule_give(long low, long high);
long __dvmp_rule_end(void);

/* Called by a constructor of each object; the name carries the ABI, and is what a linker complains of that was not told '-fdvm=parallel'. */
void __dvmp_link_with_fdvm_parallel_1(void);
/* By a destructor: the object with this address is about to be unmapped, or the program ends. */
void __dvmp_module_gone(const void *in);
#define DVMP_MODULE_SYMBOL "__dvmp_link_with_fdvm_parallel_1"
#endif
