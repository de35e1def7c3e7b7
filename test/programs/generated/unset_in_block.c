/* A variable of the block that memory stands for is read before it has a value: one mistake, not also a write of what was read. */
#pragma dvm array distribute[block]
static int a[7];

int main(void) {
#pragma dvm parallel([i] on a[i])
  for (int i = 0; i < 7; i++) {
    int t;
    const volatile void *at = &t;
    (void)at;
    t = t + i;
    //  ^ error dvm-uninitialized 't'
    int u;
    const volatile void *at_u = &u;
    (void)at_u;
    u += i;
    // expect -1:5 error dvm-uninitialized 'u'
    a[i] = i;
  }
  return 0;
}
