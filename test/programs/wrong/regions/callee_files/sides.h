double weighed(int i);
#pragma dvm array distribute[*]
extern double side[2];
