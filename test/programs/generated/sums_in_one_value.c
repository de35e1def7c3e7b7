/* One variable of the block takes two partial sums: one is used for something other than its update, the other one is not. */
#pragma dvm array distribute[block]
static int c[8];
static int s;

int main(void) {
  int t = 0;
#pragma dvm parallel([i] on c[i]) reduction(sum(t)) reduction(sum(s))
  for (int i = 1; i <= 6; i += 3) {
    int through = s + t;
    //                ^ error dvm-reduction-escape 't'
    s = through;
  }
  return s;
}
