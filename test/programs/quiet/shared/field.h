#define FIELD_N 11
#pragma dvm inherit(f, r)
void sweep(double f[FIELD_N], double r[FIELD_N]);
#pragma dvm inherit(f)
double scale(double f[FIELD_N]);
