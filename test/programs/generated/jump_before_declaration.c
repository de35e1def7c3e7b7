/* A jump to where a variable of the block is declared later: clang does not say where the variable begins to live. */
#pragma dvm array distribute[block]
static int a[8];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i <= 7; i++) {
    a[i] = 0;
    if (i % 2 != 0)
      goto past;
    a[i] = 1;
  past:;
    unsigned char t[3];
    const volatile void *at = &t;
    (void)at;
    for (int x = 0; x <= 2; x++)
      t[x] = 1;
    a[i] += t[i % 3];
  }
  return 0;
}
