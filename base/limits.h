/* Limits that apply everywhere, from the directive parser to trace records. */
#ifndef DVM_BASE_LIMITS_H
#define DVM_BASE_LIMITS_H

/* Highest number of dimensions of an array, template or nest.  Text formats hold any number; tables and words of the library
 * interfaces (runtime/abi.h, runtime/trace/abi.h) have this many. */
#define DVM_NDIMS_MAX 7

#endif
