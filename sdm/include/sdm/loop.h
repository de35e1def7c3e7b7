/* The event loop: descriptors and timers, over epoll.  Watches and timers may be added and removed from their own
 * callbacks. */
#ifndef SDM_LOOP_H
#define SDM_LOOP_H
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sdm_loop;
struct sdm_watch;

enum { SDM_READ = 1, SDM_WRITE = 2 };

typedef void (*sdm_watch_f)(void *arg, unsigned events); /* SDM_READ also for hang-up and error */
typedef void (*sdm_timer_f)(void *arg);

struct sdm_loop *sdm_loop_new(void);
void sdm_loop_free(struct sdm_loop *l); /* closes no descriptor */
int64_t sdm_now_us(void);               /* monotonic */

struct sdm_watch *sdm_loop_watch(struct sdm_loop *l, int fd, unsigned events, sdm_watch_f fn, void *arg);
void sdm_watch_events(struct sdm_watch *w, unsigned events);
void sdm_watch_free(struct sdm_watch *w); /* before the descriptor is closed */

struct sdm_timer;
struct sdm_timer *sdm_loop_timer(struct sdm_loop *l, int64_t at_us, sdm_timer_f fn, void *arg);
void sdm_timer_set(struct sdm_timer *t, int64_t at_us); /* INT64_MAX: never */
void sdm_timer_free(struct sdm_timer *t);

/* Waits for one round of events, at most 'timeout_ms' (-1: no limit), and handles them. */
void sdm_loop_run(struct sdm_loop *l, int timeout_ms);
bool sdm_loop_broken(const struct sdm_loop *l); /* its descriptor has been closed by other code: no more events arrive */
/* For callers that wait elsewhere: a descriptor that is readable when a round has work to do, and the ms until the next timer (-1: none). */
int sdm_loop_fd(const struct sdm_loop *l);
int sdm_loop_wait_ms(const struct sdm_loop *l);
#ifdef __cplusplus
}
#endif
#endif
