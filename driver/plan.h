/* What a compiler call asks for: which languages it compiles, whether it links and how, and our own options.  Only what
 * dvmcc must know is read out of clang's options; all others are passed on unread. */
#ifndef DVM_DRIVER_PLAN_H
#define DVM_DRIVER_PLAN_H
#include "base/error.h"
#include "driver/list.h"

enum cc_language { CC_C, CC_IR, CC_ASSEMBLER, CC_OBJECT /* also libraries and linker scripts */, CC_OTHER, CC_NLANGUAGES };

enum cc_action { CC_RUN, CC_HELP, CC_VERSION, CC_PRINT_CLANG, CC_PRINT_PLUGIN, CC_PRINT_RUNTIME };

enum dvm_mode { DVM_MODE_CHECK, DVM_MODE_TRACE, DVM_MODE_PARALLEL, DVM_MODE_OFF };

struct cc_plan {
  enum cc_action action;
  enum dvm_mode mode;
  bool counts;                  /* with DVM_MODE_PARALLEL: iterations are counted for comparisons */
  unsigned inputs[CC_NLANGUAGES];
  struct dvm_list objects;      /* inputs that end in .o */
  const char *other_input;      /* first input of CC_OTHER, or NULL; borrowed, as the next one */
  const char *foreign_target;   /* the option that asks for another machine than this one, or NULL */
  const char *no_libraries;     /* the option that leaves out all libraries, ours too, or NULL; borrowed */
  bool header_only;             /* every input is a header: clang makes a precompiled header and does not link */
  bool links;                   /* the call ends in a link */
  bool shared, is_static, relocatable;
  bool warn_unchecked;          /* say that an input is compiled without checks (-Wno-dvm-unchecked) */
  const char *remarks;          /* regular expression of -Rdvm=, or "" or NULL: none; borrowed */
  struct dvm_list plugin_args;  /* for -fplugin-arg-dvm- */
  bool *own;                    /* own[n]: the argument is ours, not clang's */
  bool *unnamed;                /* unnamed[n]: an input in C whose name does not tell clang so */
  size_t last_input;            /* index of the last one */
  size_t terminator;            /* index of '--', after which all are inputs; n when there is none */
};

/* args[n]: the call without the program's name, response files expanded.  Returns 0, -EINVAL for a wrong use of our own
 * options, -ENOMEM; then nothing is held. */
int cc_plan_make(struct cc_plan *plan, char *const *args, size_t n, struct dvm_error *err);
void cc_plan_fini(struct cc_plan *plan);

/* The language of a file by its name, as clang sees it; '.cdv' is C-DVM, which clang must be told. */
enum cc_language cc_language_of_file(const char *name);
bool cc_is_cdv(const char *name);
/* Is it, by its name, Fortran?  '.fdv' is Fortran-DVM in fixed form, which flang must be told. */
bool cc_is_fortran(const char *name);
bool cc_is_fdv(const char *name);
/* Number of following arguments that belong to the option 'arg' as its values: 0 for most. */
unsigned cc_option_nvalues(const char *arg);
#endif
