/* What a debugger may learn about a checked program: one block in its memory, exported by the run-time library.
 *
 * The block says where the library's lists begin and, for each field of its records that a reader needs, the field's offset
 * and size.  So nothing is kept twice, a program that nobody debugs pays nothing for it, and a reader of this version
 * understands every library of this version, however its records are laid out.  It is read at a stop of a debugger, from a core
 * file, or by a thread of the program itself; docs/debug-facts.md tells how, and what a reader must refuse.
 *
 * Numbers are in the program's byte order, addresses have 8 bytes.  New fields come at the end of the list and need no new
 * version; a field that ceases to be gets 0 bytes. */
#ifndef DVM_BASE_FACTS_H
#define DVM_BASE_FACTS_H
#include <stdint.h>

#define DVM_FACTS_SYMBOL "__dvm_facts"
/* A function that is called after each diagnostic has been shown for the first time: a place for a breakpoint. */
#define DVM_FACTS_STOP "__dvm_diagnostic"
#define DVM_FACTS_MAGIC "DVMFACTS"
#define DVM_FACTS_VERSION 1
#define DVM_FACTS_NDIMS_MAX 7

enum dvm_facts_id {
  /* A construct that is being executed.  'frame' of the block is the innermost one. */
  DVM_FACTS_FRAME_OUTER,      /* address of the construct around it */
  DVM_FACTS_FRAME_DIRECTIVE,  /* address */
  DVM_FACTS_FRAME_LEFT,       /* 1: it has ended and must be skipped */
  DVM_FACTS_FRAME_NEST,       /* 1: a parallel loop that is being checked */
  DVM_FACTS_FRAME_PROVED,     /* 1: judged as a whole when it was entered; its iterations are not followed */
  /* A directive. */
  DVM_FACTS_DIRECTIVE_KIND,   /* text: "parallel", "region", .. */
  DVM_FACTS_DIRECTIVE_FILE,   /* text */
  DVM_FACTS_DIRECTIVE_LINE,
  DVM_FACTS_DIRECTIVE_RANK,   /* number of index variables */
  DVM_FACTS_DIRECTIVE_NAMES,  /* [NDIMS_MAX], texts */
  /* The thread that is checked.  'now' of the block. */
  DVM_FACTS_NOW_WRITE,        /* word of the present iteration, */
  DVM_FACTS_NOW_BASE,         /* of the first one of the loop: this is number (write + 1 - base) / 2; 0: none has begun */
  DVM_FACTS_NOW_INDEX,        /* [NDIMS_MAX or more], signed: the index variables, outermost first */
  /* A distributed array or template.  'arrays' of the block is the address of the first one's address. */
  DVM_FACTS_ARRAY_NEXT,
  DVM_FACTS_ARRAY_NAME,       /* text */
  DVM_FACTS_ARRAY_FILE,       /* text: where it is declared */
  DVM_FACTS_ARRAY_LINE,
  DVM_FACTS_ARRAY_ADDRESS,
  DVM_FACTS_ARRAY_TEMPLATE,   /* 1: it has no elements */
  DVM_FACTS_ARRAY_DISTRIBUTED, /* 1: by 'dist' */
  DVM_FACTS_ARRAY_ALIGNED,    /* 1: by 'map' */
  DVM_FACTS_ARRAY_DYNAMIC,
  DVM_FACTS_ARRAY_ORDINARY,   /* 1: not a distributed array; must be skipped */
  DVM_FACTS_ARRAY_TYPE,       /* letter: f floating, i signed, u unsigned, c complex, o other; 0 not known */
  DVM_FACTS_ARRAY_ELEMENT,    /* bytes */
  DVM_FACTS_ARRAY_NDIMS,
  DVM_FACTS_ARRAY_EXTENT,     /* [NDIMS_MAX], signed */
  DVM_FACTS_ARRAY_DIST,       /* [NDIMS_MAX], a byte each: 0 divided into blocks, 1 into parts that the program gives, 2 whole */
  DVM_FACTS_ARRAY_TARGET,     /* text: what it is aligned with */
  DVM_FACTS_ARRAY_NTARGET,    /* number of dimensions of that */
  DVM_FACTS_ARRAY_MAP,        /* [NTARGET] places, one after another, each of COORD_BYTES */
  DVM_FACTS_ARRAY_LOW,        /* [NDIMS_MAX], signed: declared shadow widths */
  DVM_FACTS_ARRAY_HIGH,
  DVM_FACTS_ARRAY_NBOXES,     /* what has been renewed since the last write: */
  DVM_FACTS_ARRAY_BOXES,      /* [NBOXES] boxes, one after another, each of BOX_BYTES */
  DVM_FACTS_ARRAY_EDGE_RENEWED, /* 1: an edge of shadow_add has been renewed too */
  DVM_FACTS_ARRAY_EVER_RENEWED, /* 1 */
  DVM_FACTS_ARRAY_EVER_WRITTEN, /* 1 */
  DVM_FACTS_ARRAY_DIRTY,      /* 1: written in the construct that is being executed */
  DVM_FACTS_ARRAY_WRITER,     /* address of the site of the last write, or 0 */
  DVM_FACTS_ARRAY_WRITER_IN,  /* address of the directive that it was in, or 0 */
  /* A place in one dimension of the target of an alignment. */
  DVM_FACTS_COORD_BYTES,      /* no field: its size is that of the whole */
  DVM_FACTS_COORD_KIND,       /* 0 everywhere, 1 'add' alone, 2 coef * index + add */
  DVM_FACTS_COORD_INDEX,      /* dimension of the array, from 0 */
  DVM_FACTS_COORD_COEF,       /* signed */
  DVM_FACTS_COORD_ADD,        /* signed */
  /* Widths of an edge. */
  DVM_FACTS_BOX_BYTES,        /* as COORD_BYTES */
  DVM_FACTS_BOX_LOW,          /* [NDIMS_MAX], signed */
  DVM_FACTS_BOX_HIGH,
  DVM_FACTS_BOX_CORNER,       /* 1: with its corners */
  /* A site: an access or a directive of the program's text. */
  DVM_FACTS_SITE_ACCESS,      /* address of what is known of it, or 0 */
  DVM_FACTS_ACCESS_FILE,      /* text */
  DVM_FACTS_ACCESS_LINE,
  /* An asynchronous exchange of edges.  'groups' of the block is the address of the first one's address. */
  DVM_FACTS_GROUP_NEXT,
  DVM_FACTS_GROUP_NAME,       /* text */
  DVM_FACTS_GROUP_STARTED,    /* address of the directive that has started it; 0: not under way */
  DVM_FACTS_GROUP_MEMBERS,    /* address of the first member */
  DVM_FACTS_MEMBER_NEXT,
  DVM_FACTS_MEMBER_ARRAY,     /* address of the array */
  DVM_FACTS_MEMBER_BOX,       /* a box */
  /* A diagnostic.  'findings' of the block is the address of the first one's address. */
  DVM_FACTS_FINDING_NEXT,
  DVM_FACTS_FINDING_ID,       /* index into 'ids' and 'severities' of the block */
  DVM_FACTS_FINDING_MESSAGE,  /* text, or 0 */
  DVM_FACTS_FINDING_WHAT,     /* text: array or variable */
  DVM_FACTS_FINDING_CONSTRUCT, /* address of the directive of the construct, or 0 */
  DVM_FACTS_FINDING_FILE,     /* text */
  DVM_FACTS_FINDING_LINE,
  DVM_FACTS_FINDING_COLUMN,
  DVM_FACTS_FINDING_COUNT,
  DVM_FACTS_FINDING_CLAUSE,   /* text, or 0: name of the smallest clause that would be right */
  DVM_FACTS_FINDING_CLAUSE_ARRAY, /* text */
  DVM_FACTS_FINDING_CLAUSE_NDIMS,
  DVM_FACTS_FINDING_CLAUSE_LOW, /* [NDIMS_MAX], signed */
  DVM_FACTS_FINDING_CLAUSE_HIGH,
  DVM_FACTS_FINDING_CLAUSE_CORNER,
  /* A parallel loop that has been executed.  'loops' of the block is the address of the first one's address. */
  DVM_FACTS_LOOP_NEXT,
  DVM_FACTS_LOOP_DIRECTIVE,   /* address */
  DVM_FACTS_LOOP_ENTRIES,
  DVM_FACTS_LOOP_ITERATIONS,
  DVM_FACTS_LOOP_PROVED,      /* entries at which it was judged as a whole */
  DVM_FACTS_FIRST_COUNT, /* what version 1 began with: a block may have no more */
  /* A program that is executed in parallel ('-fdvm=parallel').  It has no iterations that are followed, no edges, no statistics: such fields
   * have 0 bytes, as the following ones have in a checked program. */
  DVM_FACTS_NOW_RANK = DVM_FACTS_FIRST_COUNT, /* this process's rank, of */
  DVM_FACTS_NOW_RANKS, /* so many */
  DVM_FACTS_FRAME_CLAMPED, /* [NDIMS_MAX], a byte each: 1: of this index variable the rank executes */
  DVM_FACTS_FRAME_PART, /* [NDIMS_MAX] lists: these values */
  DVM_FACTS_FRAME_TURN, /* from 0: the loops are executed in */
  DVM_FACTS_FRAME_TURNS, /* so many turns, for the parts of 'indirect' and the stages of 'across' */
  /* A list of spans of indices. */
  DVM_FACTS_LIST_BYTES, /* as COORD_BYTES */
  DVM_FACTS_LIST_COUNT,
  DVM_FACTS_LIST_SPANS, /* address of [COUNT] spans, one after another, each of */
  DVM_FACTS_SPAN_BYTES, /* as COORD_BYTES */
  DVM_FACTS_SPAN_LOW, /* signed; both are in it */
  DVM_FACTS_SPAN_HIGH,
  /* Where the elements are. */
  DVM_FACTS_ARRAY_OWN, /* [NDIMS_MAX] lists: this rank's part */
  DVM_FACTS_ARRAY_ROOT, /* address of the array or template whose grid divides it; 0: each rank has all of it */
  DVM_FACTS_ARRAY_NROOT, /* number of dimensions of that */
  DVM_FACTS_ARRAY_DIVIDED, /* [NDIMS_MAX], a byte each: 1: that dimension of the root is divided */
  DVM_FACTS_ARRAY_PLACE, /* [NROOT] places in the root, each of COORD_BYTES */
  DVM_FACTS_ARRAY_GRID, /* of a root: address of its grid */
  DVM_FACTS_ARRAY_POISON, /* with poison=1: address of a POISON, or 0 */
  DVM_FACTS_POISON_STATES, /* address of a byte for each element: 0 own, 1 own without a value, 2 edge, 3 remote_access, 4 never brought,
                               * 5 edge that is stale, 6 edge under way, 7 of a remote_access that is over */
  DVM_FACTS_GRID_AXES, /* [NROOT] axes, one after another, each of */
  DVM_FACTS_AXIS_BYTES, /* as COORD_BYTES */
  DVM_FACTS_AXIS_PROCS, /* processors along that dimension; the last dimension's number changes first from rank to rank */
  DVM_FACTS_AXIS_PARTS, /* address of [PROCS] lists: the part of each of them */
  DVM_FACTS_COUNT
};

struct dvm_facts_field {
  uint32_t offset, bytes;
};

struct dvm_facts {
  char magic[8];
  uint32_t version;
  uint32_t bytes; /* of the block, fields included */
  uint64_t frame; /* address of a FRAME; 0: the sequential part */
  uint64_t now; /* address of a NOW; 0: before the first construct */
  uint64_t arrays, groups, findings, loops;
  uint64_t ids; /* address of the addresses of the names of diagnostics */
  uint64_t severities; /* address of a byte for each: 0 error, 1 warning */
  uint32_t nids;
  uint32_t nfields;
  uint64_t accesses; /* address of the number of accesses (8 bytes) that were not decided inline */
  struct dvm_facts_field fields[DVM_FACTS_COUNT]; /* by enum dvm_facts_id */
};
#endif
