/* Who listens to whom: the rules know neither each other's needs nor the words of reports. */
#ifndef DVMRT_WIRING_H
#define DVMRT_WIRING_H

/* Once, before anything is judged. */
void dvmrt_wiring_init(void);
#endif
