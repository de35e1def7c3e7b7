#define _GNU_SOURCE
/* Any text as a response file, and its words as a call: no crash, and every word is either ours or clang's. */
#include "driver/plan.h"
#include "driver/response.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvm_list words = DVM_LIST_INIT;
  struct cc_plan plan;
  char *text = strndup((const char *)data, size);
  if (!text)
    return 0;
  cc_line_split(text, &words);
  if (!cc_plan_make(&plan, words.v, words.n, &err)) {
    unsigned ninputs = 0;
    for (int i = 0; i < CC_NLANGUAGES; i++)
      ninputs += plan.inputs[i];
    if (ninputs > words.n || (plan.own[words.n] && words.n))
      abort();
    cc_plan_fini(&plan);
  }
  dvm_list_fini(&words);
  free(text);
  return 0;
}
