/* Tasks as iterations of a loop, with parallel loops inside. */
#include <stdio.h>
#define N 6
#pragma dvm task T[3]
void *T;
#pragma dvm array distribute[*][block]
int a[3][N];
int r[3];
static void work(int k){
#pragma dvm parallel([i] on a[][i])
  for(int i=0;i<N;i++) a[k][i]=k+i;
}
int main(void){
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k])
  for(int k=0;k<3;k++) { work(k); r[k]=k;
#pragma dvm parallel([i] on a[][i])
    for(int i=0;i<N;i++) a[k][i]+=1;
  }
  }
#pragma dvm task_region(T)
  {
#pragma dvm parallel([k] on T[k])
  for(int k=0;k<3;k++) {
#pragma dvm parallel([i] on a[][i])
    for(int i=0;i<N;i++) a[k][i]+=a[(k+2)%3][i];
// expect -1:35 error dvm-task-dependence 'a[0][0]'
  }
  }
#pragma dvm parallel([k] on T[k])
// expect -1:13 error dvm-usage
  for(int k=0;k<3;k++) { r[k]=k; }
  printf("%d\n",r[1]);
  return 0;
}
