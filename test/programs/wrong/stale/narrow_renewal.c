/* The clause that the summary offers takes the place of the present one: it keeps what that renews. */
#define N 16
#pragma dvm array distribute[block][block] shadow[2:2][2:2]
static double a[N][N];
#pragma dvm array align([i][j] with a[i][j])
static double b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on a[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = i + j;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(a[1:1][2:2])
  for (int i = 2; i < N - 2; i++)
    for (int j = 2; j < N - 2; j++)
      b[i][j] = a[i][j - 2] + a[i][j + 2] + a[i - 2][j];
  //                                        ^ error dvm-shadow-stale 'a'
  // help write 'shadow_renew\(a\)' in the directive
  // stderr smallest clause: shadow_renew\(a\[2:1\]\[2:2\]\)
  return 0;
}
