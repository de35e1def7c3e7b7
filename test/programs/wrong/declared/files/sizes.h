#define N 8
