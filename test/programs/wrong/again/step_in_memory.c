/* An innermost loop whose step is not known: of an element's reader only the last iteration of a row can be named.  The clause is that
 * of the nest's references, whether later dependences are judged or counted. */
#define N 12
int step = 2;
int to[N] = {11, 5, 10, 8, 0, 7, 1, 3, 2, 0, 4, 6};

#pragma dvm array distribute[block][block] shadow[2:2][1:2]
double b[N][N];

int main(void) {
#pragma dvm parallel([i][j] on b[i][j])
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      b[i][j] = i + j;
#pragma dvm parallel([i][j] on b[i][j]) shadow_renew(b)
  for (int i = 1; i < 6; i += 3)
    for (int j = 1; j < N - 1; j += step)
      b[to[i]][j] = b[i - 1][j];
    //^ error dvm-nonlocal-access 'b'
    //^ error dvm-loop-dependence 'b'
    // help add 'across\(b\[1:0\]\[0:0\]\)' to the directive
  return 0;
}
