#include "driver/trace/command/verify.h"
#include "driver/trace/command/files.h"
#include <inttypes.h>

int dvmt_verify(const char *path, FILE *out, struct dvm_error *err) {
  struct dvmt_reader *r = dvmt_file_open(path, err);
  struct dvmt_summary s;
  struct dvmt_damage d;
  struct dvmt_record rec;
  uint64_t good = 0, lost = 0, first = 0;
  int rc = r ? dvmt_reader_summary(r, &s, err) : err->code, more = 0;
  if (!rc)
    rc = dvmt_reader_check(r, &d, err);
  while (!rc && (more = dvmt_reader_next(r, &rec, err)) > 0) {
    if (rec.kind == DVMT_LOST && !lost)
      first = good;
    good += rec.kind != DVMT_LOST;
    lost += rec.kind == DVMT_LOST ? rec.words[0] : 0;
  }
  if (!rc && more < 0)
    rc = more;
  if (!rc) {
    bool whole = s.whole && !lost && !d.blocks && !d.index && good == s.records;
    fprintf(out, "%s: %s: %" PRIu64 " records can be read in %" PRIu64 " blocks\n", path,
            !s.whole     ? "torn"
            : !whole     ? "damaged"
            : s.complete ? "whole"
                         : "whole, but its program did not end by itself",
            good, s.blocks);
    if (lost)
      fprintf(out, "%s: %" PRIu64 " records are lost, the first of them is record %" PRIu64 "%s\n", path, lost, first,
              d.names ? "; definitions are among what is damaged" : "");
    if (d.index)
      fprintf(out, "%s: the index is damaged\n", path);
    if (s.lost_bytes)
      fprintf(out, "%s: %" PRIu64 " bytes after the last complete block\n", path, s.lost_bytes);
    rc = !whole;
  }
  dvmt_reader_close(r);
  return rc;
}
