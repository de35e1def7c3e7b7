#include "runtime/data/facts.h"
#include "runtime/data/directive.h"
#include "runtime/data/layout.h"
#include "runtime/export.h"

DVMRT_EXPORT struct dvm_facts __dvm_facts = {
    .magic = DVM_FACTS_MAGIC, .version = DVM_FACTS_VERSION, .bytes = sizeof(struct dvm_facts), .nfields = DVM_FACTS_COUNT};

void dvmrt_shared_facts(struct dvm_facts *f) {
  DVMRT_FACT(f, DIRECTIVE_KIND, struct dvmrt_directive, kind);
  DVMRT_FACT(f, DIRECTIVE_FILE, struct dvmrt_directive, pos.file);
  DVMRT_FACT(f, DIRECTIVE_LINE, struct dvmrt_directive, pos.line);
  DVMRT_FACT(f, DIRECTIVE_RANK, struct dvmrt_directive, rank);
  DVMRT_FACT(f, DIRECTIVE_NAMES, struct dvmrt_directive, names);
  f->fields[DVM_FACTS_COORD_BYTES].bytes = sizeof(struct dvmrt_coord);
  DVMRT_FACT(f, COORD_KIND, struct dvmrt_coord, kind);
  DVMRT_FACT(f, COORD_INDEX, struct dvmrt_coord, index);
  DVMRT_FACT(f, COORD_COEF, struct dvmrt_coord, coef);
  DVMRT_FACT(f, COORD_ADD, struct dvmrt_coord, add);
}
