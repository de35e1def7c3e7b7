/* abi.h with its symbols made visible: the library is built with hidden visibility and this is all that leaves it. */
#ifndef DVMRT_EXPORT_H
#define DVMRT_EXPORT_H
#pragma GCC visibility push(default)
#include "runtime/abi.h"
#pragma GCC visibility pop

#define DVMRT_EXPORT __attribute__((visibility("default")))
#define DVMRT_LIKELY(x) __builtin_expect(!!(x), 1)
#define DVMRT_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
