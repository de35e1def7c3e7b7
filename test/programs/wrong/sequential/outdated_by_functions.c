/* What functions of the library assign in a block of remote_access is assigned on the owners, too: what the block has fetched is as it was. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 12

#pragma dvm array distribute[block]
static int k[N];
#pragma dvm array align([i] with k[i])
static int m[N];
static int plain[N];

#ifdef RIGHT
#define READ(e) 0
#else
#define READ(e) (e)
#endif

int main(void)
{
  int x = 0, kept[2] = {0, 0};
  FILE *f = tmpfile();
  if (!f)
    return 1;
  fwrite(plain, sizeof plain, 1, f);
  fprintf(f, "\n 42 43 ");
#pragma dvm parallel([i] on k[i])
  for (int i = 0; i < N; i++)
    k[i] = m[i] = i;
  rewind(f);
#pragma dvm remote_access(k[])
  {
    x += k[7];
    memset(&k[6], 0, 2 * sizeof *k);
    x += k[5];
    x += READ(k[7]);
    //        ^ error dvm-sequential-access 'k[7]'
  }
#pragma dvm remote_access(k[])
  {
    memcpy(&k[2], plain, 2 * sizeof *k);
    memmove(&k[8], &m[8], 3 * sizeof *k);
    x += k[1] + k[11] + READ(k[3]);
    //                       ^ error dvm-sequential-access 'k[3]'
    x += READ(k[10]);
    //        ^ error dvm-sequential-access 'k[10]'
  }
#pragma dvm remote_access(k[])
  {
    x += fread(&k[4], sizeof *k, 4, f) == 4;
    x += k[3] + k[8] + READ(k[6]);
    //                      ^ error dvm-sequential-access 'k[6]'
  }
  fseek(f, sizeof plain, SEEK_SET);
#pragma dvm remote_access(k[])
  {
    x += fscanf(f, "%d%d", &k[9], &kept[0]);
    x += k[8] + READ(k[9]);
    //               ^ error dvm-sequential-access 'k[9]'
  }
#pragma dvm remote_access(k[])
  {
#ifdef _DVMH
#pragma dvm array_copy(k[0:1] = plain[0:1])
#else
    k[0] = k[1] = 0;
#endif
    x += k[2] + READ(k[1]);
    //               ^ error dvm-sequential-access 'k[1]'
  }
#pragma dvm remote_access(k[])
  {
    memset(&k[3], 1, sizeof *k);
#ifndef RIGHT
    memcpy(kept, &k[3], sizeof *kept);
    //            ^ error dvm-sequential-access 'k[3]'
#endif
    printf("%d\n", k[3]);
  }
  printf("%d %d\n", x, kept[0]);
  fclose(f);
  return 0;
}
