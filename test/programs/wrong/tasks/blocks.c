/* Tasks as blocks: arrays, globals, variables of the function; a task that there is not. */
#include <stdio.h>
#define N 6
#pragma dvm task T[3]
void *T;
#pragma dvm array distribute[block]
int a[N];
#pragma dvm array distribute[block]
int b[N];
int g, h;
static void fill(int *p,int v){
#pragma dvm parallel([i] on a[i])
  for(int i=0;i<N;i++) a[i]=v+i;
// expect -1:24 error dvm-task-dependence 'a[0]'
  (void)p;
}
int main(void){
  int s=0,t,j;
#pragma dvm parallel([i] on b[i])
  for(int i=0;i<N;i++) b[i]=i;
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    { fill(a,1); g=5; for(j=0;j<3;j++) a[j]=a[j]+1; t=3; s=t; }
#pragma dvm on(T[1])
    { for(j=0;j<3;j++) b[j]=b[j]*2; h=7; t=4; h+=t; }
#pragma dvm on(T[0])
    {
#pragma dvm parallel([i] on a[i])
      for(int i=0;i<N;i++) a[i]+=g; }
  }
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    { fill(a,2); g=1; s=9; }
#pragma dvm on(T[1])
    { fill(a,3); }
#pragma dvm on(T[2])
    { h=g+1;
// expect -1:9 error dvm-task-dependence 'g'
      h=s;
// expect -1:9 error dvm-task-dependence 's'
    }
#pragma dvm on(T[3])
// expect -1:13 error dvm-usage
    { h=2; }
  }
  printf("%d %d\n",g,h);
// expect -1:20 error dvm-task-dependence 'g'
// expect -2:22 error dvm-task-dependence 'h'
  return 0;
}
