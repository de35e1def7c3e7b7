/* What the files that move messages know of each other: matching (match.c), sending (send.c), receiving (receive.c) and the loop (wait.c). */
#ifndef MPL_MOVES_H
#define MPL_MOVES_H
#include "mpir/mpi/core.h"

/* What is posted in a context, in the order of posting, and the first that fits; NULL if none does. */
void mpl_post(struct mpl_context *c, struct ompi_request_t *q);
void mpl_unpost(struct mpl_context *c, struct ompi_request_t *q);
struct ompi_request_t *mpl_context_posted(struct mpl_context *c, int source, int tag);
struct mpl_unexpected *mpl_context_unexpected(struct mpl_context *c, int source, int tag);
/* 'more' (or less) messages have come that nobody has asked for: a figure that the command shows. */
void mpl_count_unexpected(int more);
/* Its memory is the caller's again; one that was given up before is freed. */
void mpl_complete(struct ompi_request_t *q);

/* On another node: the proxy of this one has to look. */
bool mpl_is_elsewhere(uint32_t rank);
void mpl_ring_bell(uint32_t rank);
/* A record without data, now or when there is room. */
void mpl_put(uint32_t to, const struct mpl_record *head, enum mpl_kind kind);
/* The receiver has memory for the data of a message that was announced. */
void mpl_send_cleared(const struct mpl_record *r, uint32_t from);

/* Each returns whether something moved. */
bool mpl_progress_out(void);
bool mpl_progress_in(void);
#endif
