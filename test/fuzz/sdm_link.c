/* Bytes of a stranger at a listener's door, in two pieces: whatever they are, no frame comes of them, and the link is not
 * up.  (A valid handshake needs the secret, which is random here.) */
#include <stdlib.h>

#include "sdm/link.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_frame(void *arg, const struct sdm_frame *f) {
  (void)arg, (void)f;
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static struct sdm_secret secret;
  static int ready = -1;
  if (ready < 0) {
    ready = sdm_link_init();
    sdm_secret_random(&secret);
  }
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_link *l = sdm_link_new(&secret, false, 3, SDM_ID_NONE);
  size_t cut = size ? data[0] % (size + 1) : 0;
  if (!sdm_link_feed(l, data, cut, on_frame, NULL, &err))
    sdm_link_feed(l, data + cut, size - cut, on_frame, NULL, &err);
  if (sdm_link_is_up(l))
    abort();
  const uint8_t *p;
  if (sdm_link_output(l, &p) > 1024) /* a HELLO, an AUTH, a reason */
    abort();
  sdm_link_free(l);
  return 0;
}
