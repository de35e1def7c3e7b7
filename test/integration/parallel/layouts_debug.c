/* Layouts of all kinds, for the debugger on 3 ranks. */
int map[12] = {0, 1, 0, 1, 2, 2, 0, 1, 2, 0, 0, 1}, sizes[3] = {2, 7, 3};
#pragma dvm template[24][6] distribute[block][*]
void *T;
#pragma dvm array align([i] with T[2 * i + 1][]) shadow[0:1]
float odd[12];
#pragma dvm array align([j] with T[4][j])
int at4[6];
#pragma dvm array align([] with T[][])
int all[5];
#pragma dvm array distribute[indirect(map)]
int ind[12];
#pragma dvm array distribute[genblock(sizes)]
long gen[12];
void stop(void) {}
int main(void) {
#pragma dvm parallel([i] on ind[i])
  for (int i = 0; i < 12; i++) {
    ind[i] = 10 * i;
    stop();
  }
  return 0;
}
