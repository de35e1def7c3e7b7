/* The actions of dvm-checkpoint on images that are there. */
#ifndef DVM_MPIR_ACTIONS_H
#define DVM_MPIR_ACTIONS_H
#include <stdbool.h>
#include "base/error.h"

extern const char mpir_checkpoint_usage[];

/* Runs the action that argv[1] names, if it names one, and sets the exit status. */
bool mpir_action(int argc, char **argv, int *status);
/* Calls 'fn' for the image at 'path', or those of the set there, until one fails. */
int mpir_each_image(const char *path, int (*fn)(const char *, void *, struct dvm_error *), void *arg, struct dvm_error *err);
/* For mpir_each_image; 'codec' is an enum mpir_codec. */
int mpir_compress_one(const char *path, void *codec, struct dvm_error *err);
#endif
