/* Between the run-time library of a checked program and the debug server inside it (libdvmsdm), which it loads when
 * DVM_OPTIONS=sdm= asks for it: dvm_host_start is that library's one symbol.
 *
 * The server is a thread of its own.  It reads the program's tables between 'enter' and 'leave', and has the program's threads
 * wait where the run-time library has been left again ("safe point"): they call 'held', which returns when they may go on. */
#ifndef DVM_BASE_HOST_H
#define DVM_BASE_HOST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DVM_HOST_VERSION 1
#define DVM_HOST_SYMBOL "dvm_host_start"
#define DVM_HOST_LIBRARY "libdvmsdm.so"

enum {
  DVM_HOST_HOLD = 1,         /* at the next safe point */
  DVM_HOST_DIAGNOSTICS = 2   /* at the safe point after each new diagnostic */
};

struct dvm_host {
  uint32_t version, bytes;
  const void *facts;         /* struct dvm_facts */
  /* The run-time library's, for the server's thread.  Tables do not change between the two; false: not now. */
  bool (*enter)(void);
  void (*leave)(void);
  void (*want)(unsigned what); /* from now on these; any thread */
  /* The server's, for the program's threads; outside the run-time library's lock. */
  void (*held)(bool at_diagnostic);
  void (*ended)(int status); /* the program ends; tells any connected debugger and waits briefly for it */
};

/* 'options' is the value of sdm=.  0, or a negative code with the reason in 'why'. */
typedef int dvm_host_start_f(struct dvm_host *h, const char *options, char *why, size_t size);
#endif
