/* Own elements may be assigned under remote access; several iterations that own one meet in it all the same. */
#define N 7

#pragma dvm array distribute[block][*]
static int a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static int b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = 1;
#pragma dvm parallel([i][j] on a[i][j]) remote_access(b[][])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][0] = 1;
//    ^ error dvm-loop-dependence 'b[0][0]'
  return 0;
}
