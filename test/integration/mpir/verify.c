/* Opens each image and verifies all its data.  verify IMAGE... */
#include <stdio.h>
#include "mpir/image/image.h"

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++) {
    struct dvm_error err = DVM_ERROR_INIT;
    struct mpir_image *image = mpir_image_open(argv[i], &err);

    if (!image || mpir_image_verify(image, &err)) {
      fprintf(stderr, "%s: %s\n", argv[i], err.text);
      return 1;
    }
    mpir_image_close(image);
  }
  return argc < 2;
}
