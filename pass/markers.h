/* What the clang side leaves in the IR for the pass to lower: calls of functions that never exist at run time.  They carry
 * all that the pass must know, so that both may run in different processes (-save-temps, .bc and .ll input).
 * The pass removes every one of them; a marker that reaches the linker is a bug (the names do not resolve).
 *
 *   void *__dvmm_access(void *p, long id, const char *site)
 *       Returns p.  The load or store (both for a compound assignment, ++ and --) of the marked lvalue uses the result and
 *       follows at once.  'site' is an access site text (runtime/site_text.h), 'id' is unique in the function.
 *   long __dvmm_index(long value, long id, long dim)
 *       Returns value.  Subscript of dimension 'dim' (from 0, the leftmost) of the access 'id'; it dominates that access.
 *       Subscripts that are integer constants have no marker: their value is in the site text ('X c<value>').
 *       With dim >= DVMM_EXTENT: the extent of dimension dim - DVMM_EXTENT of a variable-length array ('B #').
 *   void *__dvmm_range(void *p, const char *site)
 *       Returns p.  An argument of a function that reads or writes so many bytes from there on (pass/Ranges.h); the call uses the
 *       result and follows.  'site' is an access site text without subscripts; empty: there is
 *       nothing to judge, the mark says that the function is the library's.
 *   void __dvmm_section(void *p, const char *site, long bytes, long flags, ...)
 *       Whole arrays and sections, which a statement of Fortran is about to read or write: elements of 'bytes', DVMRT_READ ..
 *       of runtime/abi.h, then pairs of an extent and a distance in bytes, the dimension that changes fastest first.  'site' as range's.
 *   int __dvmm_enter(const char *site, ...)
 *       Condition of 'while (__dvmm_enter(..)) { statement; __dvmm_leave(cid); }' around the statement of a parallel loop,
 *       region, task ..  True once, then false.  'site' is a directive site text; the arguments (pointers or long) are what
 *       its '&' and '#' stand for, in order.
 *   void __dvmm_leave(long cid)
 *   void __dvmm_row(long cid)
 *       In a nest of two loops or more: before the innermost loop starts.
 *   void __dvmm_iter(long cid, long n, ...)
 *       First statement of the innermost body of a nest, or of a task's block (n = 0 or 1): n pairs (address of the index variable, outermost first;
 *       its size in bytes as long, negative when signed).
 *   void __dvmm_direct(const char *site, ...)
 *       A stand-alone directive, or the declaration of an array or template: as enter, returns nothing.
 *   void *__dvmm_kept(void *p)
 *       Returns p: what is stored there is no assignment of the program, and what is known of the datum stays.
 *   void *__dvmm_bind(void *value, const char *site, ...)
 *       Returns value.  A pointer variable with an array directive is about to get this value.  Arguments as direct's; the
 *       array's own '&' is the value.
 *   void *__dvmm_given(void *value, const char *site, ...)
 *       Returns value.  Where values are recorded: a pointer that a call gets and may write through; 'site' and what follows are
 *       texts (K given), one for each scalar of what it points to.  Or (K call) the function that is called.
 *
 * With -fdvm=parallel there are no access, index, row and iter markers, but these (runtime/parallel/abi.h):
 *   long __dvmm_first(long cid, long index, long start, long step, long bound, long kind)
 *       The first value of an index variable on this rank: 'start', or the next one that is its own.  'kind' is how it is compared with
 *       its bound: 0 <, 1 <=, 2 >, 3 >=; -1: the bound is not known here;
 *       DVMM_FIRST_BY_STEP: <= or >=, as the step is.  With
 *       DVMM_FIRST_WHOLE added: each rank executes all of the loop, and there is no __dvmm_last.
 *   long __dvmm_last(long cid, long index, long bound, long kind, long step)
 *       The bound, drawn in to what is this rank's.
 *   void *__dvmm_read(void *p, long size, const char *site)
 *       Returns p: an element of a distributed array that is read in the sequential part.
 *   void *__dvmm_change(void *p, long size, const char *site)
 *       The place of an element that is changed in the sequential part by an expression whose value is used: p on its owner.
 *   void *__dvmm_part(void *p, long size, const char *site)
 *       Returns p: what may be an element of a distributed array is read or written.  With DVM_OPTIONS=poison=1 it is checked first.
 *   void *__dvmm_range(void *p, const char *site)
 *   void __dvmm_section(void *p, const char *site, long bytes, long flags, ...)
 *       As above; with DVMM_SECTION_IN_PARTS among the flags it is looked at with DVM_OPTIONS=poison=1 alone.
 *   void __dvmm_met(long cid, long number, ...)
 *       The extreme of maxloc or minloc 'number' is about to be assigned; then the values of the index variables.
 */
#ifndef DVM_PASS_MARKERS_H
#define DVM_PASS_MARKERS_H
#define DVMM_ACCESS "__dvmm_access"
#define DVMM_INDEX "__dvmm_index"
#define DVMM_EXTENT 16
#define DVMM_RANGE "__dvmm_range"
#define DVMM_SECTION "__dvmm_section"
#define DVMM_SECTION_IN_PARTS 0x10000
#define DVMM_ENTER "__dvmm_enter"
#define DVMM_LEAVE "__dvmm_leave"
#define DVMM_ROW "__dvmm_row"
#define DVMM_ITER "__dvmm_iter"
#define DVMM_DIRECT "__dvmm_direct"
#define DVMM_KEPT "__dvmm_kept"
#define DVMM_BIND "__dvmm_bind"
#define DVMM_GIVEN "__dvmm_given"
#define DVMM_LIBRARY "dvm_library" /* an assumption: a function of a header of the system, which is not recorded */
#define DVMM_FIRST "__dvmm_first"
#define DVMM_FIRST_WHOLE 4
#define DVMM_FIRST_BY_STEP 8
#define DVMM_LAST "__dvmm_last"
#define DVMM_READ "__dvmm_read"
#define DVMM_CHANGE "__dvmm_change"
#define DVMM_MET "__dvmm_met"
#define DVMM_PART "__dvmm_part"
#endif
