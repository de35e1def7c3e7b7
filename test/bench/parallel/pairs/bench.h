/* What is measured of a program here: the time from bench_begin to bench_end is a step (steps.c). */
void bench_begin(void);
void bench_end(void);
