/* read by main.c */
#define N 12
#ifdef RIGHT
#pragma dvm array distribute[block] shadow[1:2]
#else
#pragma dvm array distribute[block] shadow[1:1]
#endif
extern double a[N];
