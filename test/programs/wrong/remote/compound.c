/* A compound assignment reads the buffer before it writes it. */
#define N 8

#pragma dvm array distribute[block]
static int a[N];
#pragma dvm array align([i] with a[i])
static int b[N];

int main(void) {
#pragma dvm parallel([i] on a[i]) remote_access(b[])
  for (int i = 1; i < N; i++)
    b[i - 1] += 1;
//  ^ error dvm-uninitialized 'b[0]'
//  ^ error dvm-remote-write 'b[0]'
  return 0;
}
