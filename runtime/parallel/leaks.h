/* Programs with a leak checker ('-fsanitize=address', 'leak'): what MPI keeps until the end, or leaks, is no leak of the program.  Without one nothing is
 * done. */
#ifndef DVMP_LEAKS_H
#define DVMP_LEAKS_H

/* While MPI starts: what this thread allocates in between is not looked at, nor what threads ever do that allocate something in between. */
void dvmp_leaks_pause(void);
void dvmp_leaks_resume(void);
/* Before MPI closes what it has loaded, at the end: addresses in there still lead to what it has; all memory of arrays may be looked at. */
void dvmp_leaks_end(void);
#endif
