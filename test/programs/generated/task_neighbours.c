/* Small data beside each other: what a task has written to one of them says nothing of the others. */
#include <stdio.h>
#pragma dvm task T[2]
void *T;
static struct {
  unsigned char flag;
  unsigned char near;
  short next;
  char text[4];
  unsigned short half, other;
  int behind;
} d;

int main(void)
{
  d.near = 1;
  d.next = 2;
  d.other = 3;
  d.behind = 4;
  for (int i = 0; i < 4; i++)
    d.text[i] = 'a';
#pragma dvm task_region(T)
  {
#pragma dvm on(T[0])
    {
      d.flag = 1;
      d.text[0] = 'b';
      d.half = 7;
    }
#pragma dvm on(T[1])
    {
      d.text[1] = 'b';
    }
  }
  printf("%d %d %d %d\n", d.near, d.next, d.other, d.behind);
  printf("%c%c\n", d.text[2], d.text[3]);
  printf("%d\n", d.half);
  //             ^ error dvm-task-dependence 'd.half'
  printf("%d\n", d.flag);
  //             ^ error dvm-task-dependence 'd.flag'
  printf("%c\n", d.text[1]);
  //             ^ error dvm-task-dependence 'd.text[1]'
  return 0;
}
