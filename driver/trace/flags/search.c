#include "driver/trace/flags/search.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const bool *on, size_t n) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++)
    found += on[i];
  return found;
}

/* Into 'part': number k of 'pieces' of those that are on; or all but it. */
static void take(const bool *on, size_t n, size_t k, size_t pieces, bool rest, bool *part) {
  size_t all = count(on, n), low = all * k / pieces, high = all * (k + 1) / pieces, at = 0;
  for (size_t i = 0; i < n; i++) {
    part[i] = on[i] && (at >= low && at < high) != rest;
    at += on[i];
  }
}

/* 1: some piece, or all but one, has it, and 'on' is that now. */
static int reduce(bool *on, size_t n, size_t pieces, bool rest, bool *part, dvmt_search_f *has, void *arg) {
  for (size_t k = 0; k < pieces; k++) {
    take(on, n, k, pieces, rest, part);
    int rc = count(part, n) ? has(arg, part) : 0;
    if (rc > 0)
      memcpy(on, part, n * sizeof(*on));
    if (rc)
      return rc;
  }
  return 0;
}

int dvmt_search_least(bool *on, size_t n, dvmt_search_f *has, void *arg) {
  bool *part = calloc(n ? n : 1, sizeof(*part));
  size_t pieces = 2;
  int rc = part ? 0 : -ENOMEM;
  for (size_t all; !rc && (all = count(on, n)) > 1;) {
    if (pieces > all)
      pieces = all;
    rc = reduce(on, n, pieces, false, part, has, arg);
    if (rc > 0) {
      pieces = 2;
      rc = 0;
      continue;
    }
    if (!rc && pieces > 2)
      rc = reduce(on, n, pieces, true, part, has, arg);
    if (rc > 0) {
      pieces = pieces > 3 ? pieces - 1 : 2;
      rc = 0;
    } else if (!rc && pieces == all) {
      break;
    } else if (!rc) {
      pieces *= 2;
    }
  }
  free(part);
  return rc;
}
