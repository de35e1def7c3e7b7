/* Plays inserted code by hand: sites from C strings, the inline fast paths, and a child process whose output is caught. */
#ifndef PLAY_H
#define PLAY_H
#include "runtime/abi.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct played {
  int status;       /* exit status, or -signal */
  char err[65536];  /* standard error, terminated */
};

/* Runs f in a child and lets it exit with 'status'. */
void play(void (*f)(void), int status, struct played *p);
struct dvmrt_site *site(const char *text);
/* "K r\nF t.c\nP <line> <column>\n" + more */
struct dvmrt_site *access_site(const char *kind, int line, int column, const char *more);

/* What the pass inserts for an access to memory of unknown class; 'ix' as in abi.h. */
void touch(const void *p, uint64_t size, struct dvmrt_site *s, const int64_t *ix, uint32_t flags);
/* The start of an iteration. */
void iteration(const int64_t *iv, int rank);

#define FRAME __builtin_frame_address(0)
#define ARGS(...) ((const int64_t[]){__VA_ARGS__})
#define P(x) ((int64_t)(uintptr_t)(x))

void expect_text(const struct played *p, const char *text);
void expect_no_text(const struct played *p, const char *text);
void expect_silent(const struct played *p);
#endif
