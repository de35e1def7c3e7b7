/* Which way the loops of a nest go. */
#ifndef DVMP_WAY_H
#define DVMP_WAY_H
#include "runtime/parallel/construct.h"

/* 1: values of the index variable rise, -1: they fall, 0: now so, now so. */
int dvmp_way(const struct dvmp_construct *c, int loop);
/* The text's line DVMRT_DIRECTIVE_PLACES, behind the key; or nothing. */
const char *dvmp_way_places(const char *text);
#endif
