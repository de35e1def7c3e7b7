/* Standard input of the programs from a descriptor, as fast as they read it. */
#ifndef SDM_FEED_H
#define SDM_FEED_H
#include "sdm/session/session.h"

struct sdm_feed;

/* What comes at 'fd' (borrowed), and its end, goes to the programs of 'set', each of which gets all of it; handled by the
 * session's progress.  Goes on to the slowest of them.  Belongs to the session, which has one; an earlier one is ended. */
void sdm_feed_start(struct sdm_session *s, int fd, const struct sdm_set *set);
/* For the session: an answer that is the feed's.  False: it is not. */
bool sdm_feed_answer(struct sdm_session *s, uint64_t request, uint16_t flags);
void sdm_feed_end(struct sdm_session *s);
#endif
