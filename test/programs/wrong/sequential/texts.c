/* Functions that read a text read what only the owner of the row has; under remote_access, in loops on it, and as arguments of output all is well. */
// TWIN
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N 20

#pragma dvm array distribute[block][*]
static char names[N][12];
#pragma dvm array align([i] with names[i][])
static int length[N];

int main(void)
{
  char t[12];
  int n = 0, k = N - 3, total = 0;
#pragma dvm parallel([i] on names[i][]) reduction(sum(total))
  for (int i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "name-%d", i);
    length[i] = (int)strlen(names[i]);
    total += strcmp(names[i], "name-17") == 0 ? atoi(&names[i][5]) : length[i];
  }
#ifdef RIGHT
#pragma dvm remote_access(names[][])
#endif
  {
    n += (int)strlen(names[k]);
    //               ^ error dvm-sequential-access 'names[17][0]'
    n += strcmp("name-17", names[k]) == 0;
    //                     ^ error dvm-sequential-access 'names[17][0]'
    n += strncmp(names[0], "name-x", 5);
    //           ^ error dvm-sequential-access 'names[0][0]'
    n += atoi(names[k] + 5);
    //        ^ error dvm-sequential-access 'names[17][5]'
    n += (int)strtol(&names[2][5], NULL, 10);
    //               ^~~ error dvm-sequential-access 'names[2][5]'
    strcpy(t, names[3]);
    //        ^ error dvm-sequential-access 'names[3][0]'
    n += t[5];
    snprintf(t, sizeof t, "%s", names[4]);
    //                          ^ error dvm-sequential-access 'names[4][0]'
    n += t[5];
    n += sscanf(names[k], "name-%s", t);
    //          ^ error dvm-sequential-access 'names[17][0]'
    n += strchr(names[k], '-') != NULL;
    //          ^ error dvm-sequential-access 'names[17][0]'
  }
  printf("%d %d %s %s\n", n, total, t, names[k]);
  puts(names[1]);
  return 0;
}
