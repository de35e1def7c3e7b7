/* A shadow's steps and sends, as the log tells; a leading replica's, as it writes them down. */
#include "mpir/replica/replica_private.h"
#include <string.h>
#include <time.h>

static int64_t blocked_since; /* CLOCK_MONOTONIC, or 0: then a shadow has kept a ring full */

/* --- steps --- */

/* How far this shadow is behind. */
static void note_lag(void) {
  struct replica_rank *rank = mpl_replica.rank;
  uint64_t entries = atomic_load(&rank->logged) - mpl_replica.replayed, bytes = 0;
  uint32_t leader = atomic_load(&rank->leader);
  if (entries <= atomic_load(&rank->lag_max))
    return;
  atomic_store(&rank->lag_max, entries);
  for (uint32_t i = 0; i < mpl.size && leader != mpl_replica.me; i++)
    bytes += atomic_load(&mpl.peers[i].in.ring->taken[leader]) - mpl.peers[i].in.position;
  if (bytes > atomic_load(&rank->lag_bytes_max))
    atomic_store(&rank->lag_bytes_max, bytes);
}

static bool forwards(void) { return mpl_replica.job->protocol == REPLICA_RECEIVER_FORWARDING; }

struct mpl_record *mpl_replica_record(uint32_t from, const struct mpl_end *in, struct mpl_record *r) {
  if (!mpl_replica.live && forwards())
    return replica_forwarded();
  for (unsigned turn = 0; !r; replica_rest(&turn)) /* of two copies, the other one was written first */
    r = mpl_ring_peek((struct mpl_end *)(uintptr_t)in);
  if (!mpl_replica.live)
    return r;
  if (forwards())
    replica_forward(r);
  replica_append(REPLICA_IN, from, in->position);
  if (mpl_replica.job->set)
    atomic_store_explicit(&in->ring->last, in->position + 1, memory_order_relaxed);
  return r;
}

void mpl_replica_taken(void) {
  if (!mpl_replica.live && forwards())
    replica_forward_taken();
  mpl_replica_count_point(REPLICA_AT_TAKEN);
}

static bool count_step(bool moved, bool waits) {
  if (!moved && waits)
    return false;
  atomic_store_explicit(&mpl_replica.rank->step, ++mpl_replica.step, memory_order_release);
  if (!waits)
    replica_add(&mpl_replica.count->tests, 1);
  if (moved) /* else the number of a loop's turns would be that of the points */
    mpl_replica_count_point(REPLICA_AT_STEP);
  return true;
}

_Noreturn static void differ_event(const struct replica_entry *e, enum replica_event wanted, uint32_t rank) {
  replica_differ(&(struct replica_difference){
      .kind = 2, .to = rank, .message = mpl_replica.step, .place = (uintptr_t)mpl_replica.place, .expected = e->what, .found = wanted});
}

/* Another host sends it when it is there.  In a job that goes on from a snapshot the entry is gone then: nobody may send that any more. */
static bool has_come(uint32_t rank) {
  for (unsigned turn = 0; !mpl_ring_peek(&mpl.peers[rank].in); replica_rest(&turn))
    if (!replica_peek())
      return false;
  return true;
}

static void apply(const struct replica_entry *e) {
  uint32_t rank = replica_rank_of(e);
  if (rank >= mpl.size) /* the log is damaged */
    differ_event(e, REPLICA_IN, mpl.rank);
  if (replica_event_of(e) == REPLICA_IN) {
    if (e->value != mpl.peers[rank].in.position)
      differ_event(e, REPLICA_IN, rank);
    if (mpl_replica.job->set && !has_come(rank))
      return;
    replica_take();
    mpl_progress_record(rank);
  } else {
    replica_take();
    mpl_progress_peer(rank);
  }
}

static bool is_of_step(const struct replica_entry *e) {
  enum replica_event event = replica_event_of(e);
  return (event == REPLICA_IN || event == REPLICA_OUT) && replica_step_of(e) == (uint32_t)mpl_replica.step;
}

/* Of a job in two sets the entries come with the network, and the number of steps behind them. */
static bool is_later(void) {
  const struct replica_entry *e = mpl_replica.job->set ? replica_peek() : NULL;
  return e && (int32_t)(replica_step_of(e) - (uint32_t)mpl_replica.step) > 0;
}

/* A shadow does what the other did in this step.  False: it leads now, and is to do the rest itself;
   '*moved': it has done something before. */
static bool replay(bool *moved) {
  struct replica_rank *rank = mpl_replica.rank;
  for (unsigned turn = 0;; replica_rest(&turn)) {
    bool leads = replica_leads(), passed = atomic_load_explicit(&rank->step, memory_order_acquire) > mpl_replica.step;
    for (const struct replica_entry *e; (e = replica_peek()) && is_of_step(e); turn = 0) {
      apply(e);
      *moved = true;
      if (mpl_replica.live)
        return false;
    }
    if (passed || is_later()) {
      note_lag();
      atomic_store_explicit(&rank->replayed_step, ++mpl_replica.step, memory_order_relaxed);
      return true;
    }
    const struct replica_entry *e = replica_peek();
    if (e && !is_of_step(e) && atomic_load_explicit(&rank->step, memory_order_acquire) <= mpl_replica.step)
      differ_event(e, REPLICA_IN, mpl.rank);
    if (leads && !e) {
      replica_go_live();
      return false;
    }
  }
}

/* A program that tests in a loop makes steps as fast as its shadow repeats them: one that is behind would stay so, and whoever
   waits for it to read its messages would wait for as long as it is behind, each time.  It is given a moment, no more: it may be stopped. */
static void let_shadow_catch_up(void) {
  enum { STEPS = 64, REST_NS = 50000 };
  const struct replica_rank *rank = mpl_replica.rank;
  if (replica_has_shadow() && mpl_replica.step > atomic_load_explicit(&rank->replayed_step, memory_order_relaxed) + STEPS)
    nanosleep(&(struct timespec){0, REST_NS}, NULL);
}

void mpl_replica_renew(void) {
  if (!mpl_replica.live || !atomic_load_explicit(&mpl_replica.rank->wanted, memory_order_relaxed))
    return;
  if (mpl_replica.job->set)
    replica_stand();
  else
    replica_fork();
}

bool mpl_replica_do_step(bool (*move)(void), bool waits) {
  mpl_replica_renew();
  bool moved = false; /* by the log, before it led */
  if (!mpl_replica.live && replay(&moved))
    return true;
  moved |= move();
  if (!moved && !waits)
    let_shadow_catch_up();
  return count_step(moved, waits);
}

/* --- sending --- */

/* Who keeps the ring to 'to' full: its main has taken enough.  In a set the other reader is this rank's own shadow, which repeats what lies there. */
static bool is_held_by_shadow(uint32_t to, const struct mpl_end *out) {
  const struct replica_rank *other = &mpl_replica.job->ranks[to];
  uint64_t main = atomic_load(&out->ring->taken[mpl_replica.job->set ? 0 : atomic_load(&other->leader)]);
  return atomic_load(&other->readers) == 3 && out->position - main < (out->mask + 1) / 2;
}

static void note_full(uint32_t to, const struct mpl_end *out) {
  struct replica_rank *other = &mpl_replica.job->ranks[to];
  if (!is_held_by_shadow(to, out))
    return;
  if (!blocked_since)
    blocked_since = replica_now_ns();
  if (mpl_replica.job->when_full == REPLICA_LEAP && !atomic_exchange(&other->leap, 1))
    replica_notify();
}

static void note_room(void) {
  replica_add(&mpl_replica.count->blocked_by_shadow_ns, (uint64_t)(replica_now_ns() - blocked_since));
  blocked_since = 0;
}

/* Where the record lies when it does not fit before the end. */
static uint64_t position_of(const struct mpl_end *out, size_t whole) {
  uint64_t rest = out->mask + 1 - (out->position & out->mask);
  return out->position + (whole > rest ? rest : 0);
}

void mpl_replica_tell_room(uint32_t to, const struct mpl_end *out, size_t whole, bool room) {
  if (!room)
    note_full(to, out);
  else if (blocked_since)
    note_room();
  if (!room && !mpl_replica.quiet)
    replica_append(REPLICA_FULL, to, out->position);
  if (room && mpl_replica.quiet)
    replica_append(REPLICA_OUT, to, 0);
  if (room)
    mpl_replica.quiet = false;
  if (room && mpl_replica.job->set)
    replica_append(REPLICA_RECORD, to, position_of(out, whole));
  mpl_replica_count_point(REPLICA_AT_ROOM);
}

static bool is_message(enum mpl_kind kind) { return kind == MPL_EAGER || kind == MPL_EAGER_SYNC || kind == MPL_RTS; }

void mpl_replica_sent(struct mpl_end *out, const struct mpl_record *head, enum mpl_kind kind) {
  struct replica_counters *n = mpl_replica.count;
  const bool repeats = !mpl_replica.live;
  replica_add(repeats ? &n->copies : &n->records, 1);
  if (mpl_replica.job->protocol == REPLICA_SENDER_FORWARDING)
    replica_add(&n->copies, 1);
  out->messages += is_message(kind);
  if (is_message(kind) && !repeats) {
    replica_add(head->context & 1 ? &n->collectives : &n->messages, 1);
    if (!(head->context & 1))
      replica_add(&n->message_bytes, head->bytes);
  }
  mpl_replica_count_point(REPLICA_AT_SENT);
}

static struct mpl_record *record_at(const struct mpl_end *out, uint64_t at) { return (struct mpl_record *)(out->data + (at & out->mask)); }

/* The other died, at worst, between the word that makes a record whole and the position. */
static bool is_published(const struct mpl_end *out, uint64_t at, size_t whole) {
  uint64_t written = atomic_load_explicit(&out->ring->written, memory_order_acquire);
  return written >= at + whole || (written == at && atomic_load_explicit(&record_at(out, at)->head, memory_order_acquire));
}

static uint64_t eight_bytes(const void *from, size_t n) {
  uint64_t value = 0;
  memcpy(&value, from, n < sizeof(value) ? n : sizeof(value));
  return value;
}

/* What this shadow would have sent, and what the other did send. */
static void compare(uint32_t to, const struct mpl_end *out, const struct mpl_record *sent, const struct mpl_record *head, uint64_t what,
                    const void *data, size_t size) {
  struct replica_difference d = {
      .kind = 1, .to = to, .message = out->messages + is_message((enum mpl_kind)(what & 0xff)), .place = (uintptr_t)mpl_replica.place};
  size_t skip = sizeof(head->head), n = sizeof(*head) - skip;
  if (atomic_load(&sent->head) != what || memcmp((const char *)sent + skip, (const char *)head + skip, n) != 0) {
    d.kind = 3;
    d.offset = (uint64_t)(uint32_t)sent->tag << 32 | (uint32_t)head->tag;
    d.expected = sent->bytes;
    d.found = head->bytes;
    replica_differ(&d);
  }
  const char *theirs = (const char *)(sent + 1), *mine = data;
  if (size && memcmp(theirs, mine, size) != 0) {
    while (theirs[d.offset] == mine[d.offset])
      d.offset++;
    d.offset = d.offset / 8 * 8;
    d.expected = eight_bytes(theirs + d.offset, size - d.offset);
    d.found = eight_bytes(mine + d.offset, size - d.offset);
    d.offset += (what & 0xff) == MPL_DATA ? head->offset : 0;
    replica_differ(&d);
  }
  replica_add(&mpl_replica.count->compared, 1);
  replica_add(&mpl_replica.count->compared_bytes, size);
}

static uint64_t add_words(uint64_t sum, const void *data, size_t size) {
  for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
    sum = (sum ^ eight_bytes((const char *)data + i, size - i)) * 0x9e3779b97f4a7c15u;
    sum ^= sum >> 29;
  }
  return sum;
}

static uint64_t sum_of(const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size) {
  const size_t skip = sizeof(head->head);
  return add_words(add_words(size << 8 | kind, (const char *)head + skip, sizeof(*head) - skip), data, size);
}

void mpl_replica_tell_sum(uint32_t to, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size) {
  replica_append(REPLICA_SUM, to, sum_of(head, kind, data, size));
}

/* The main's sum comes behind its record; it may have died between the two. */
static void compare_sums(uint32_t to, const struct mpl_end *out, const struct mpl_record *head, enum mpl_kind kind, const void *data,
                         size_t size) {
  const struct replica_entry *e;
  const uint64_t mine = sum_of(head, kind, data, size);
  for (unsigned turn = 0;; replica_rest(&turn)) {
    const bool leads = replica_leads();
    e = replica_peek();
    if (e || leads)
      break;
  }
  if (!e)
    return;
  if (replica_event_of(e) != REPLICA_SUM || replica_rank_of(e) != to)
    differ_event(e, REPLICA_SUM, to);
  if (e->value != mine)
    replica_differ(&(struct replica_difference){.kind = 4,
                                                .to = to,
                                                .message = out->messages + is_message(kind),
                                                .place = (uintptr_t)mpl_replica.place,
                                                .offset = kind == MPL_DATA ? head->offset : 0,
                                                .expected = e->value,
                                                .found = mine});
  replica_take();
  replica_add(&mpl_replica.count->compared, 1);
  replica_add(&mpl_replica.count->compared_bytes, size);
}

/* A shadow with rings of its own sends as its main did, when the log has that; the room that its main found comes here, too. */
static int repeat(uint32_t to, struct mpl_end *out, size_t whole) {
  for (unsigned turn = 0;; replica_rest(&turn)) {
    bool leads = replica_leads();
    const struct replica_entry *e = replica_peek();
    enum replica_event event = e ? replica_event_of(e) : 0;
    if (event == REPLICA_FULL && replica_rank_of(e) == to && e->value == out->position) {
      replica_take();
      return REPLICA_NO_ROOM;
    }
    if (event == REPLICA_RECORD && replica_rank_of(e) == to && e->value == position_of(out, whole))
      break;
    if (e)
      differ_event(e, REPLICA_RECORD, to);
    if (leads) {
      replica_go_live();
      return REPLICA_LEADS;
    }
  }
  for (unsigned turn = 0; !mpl_ring_reserve(out, whole);)
    replica_rest(&turn);
  replica_take();
  return REPLICA_REPEATS;
}

int mpl_replica_put(uint32_t to, struct mpl_end *out, const struct mpl_record *head, enum mpl_kind kind, const void *data, size_t size) {
  size_t whole = mpl_round(sizeof(*head) + size, 16);
  uint64_t at = position_of(out, whole);
  mpl_replica_count_point(REPLICA_AT_REPEAT);
  if (mpl_replica.job->set) {
    const int found = repeat(to, out, whole);
    if (found == REPLICA_REPEATS && mpl_replica_sums())
      compare_sums(to, out, head, kind, data, size);
    return found;
  }
  for (unsigned turn = 0;; replica_rest(&turn)) {
    bool leads = replica_leads(), published = is_published(out, at, whole);
    const struct replica_entry *e = replica_peek();
    if (e && replica_event_of(e) == REPLICA_FULL && replica_rank_of(e) == to && e->value == out->position) {
      replica_take();
      return REPLICA_NO_ROOM;
    }
    if (published) {
      if (mpl_replica.job->mode & REPLICA_CHECK)
        compare(to, out, record_at(out, at), head, (uint64_t)whole << 8 | kind, data, size);
      out->position = at + whole;
      out->messages += is_message(kind);
      atomic_store_explicit(&out->ring->checked, out->position, memory_order_release);
      return REPLICA_SENT;
    }
    if (e && !is_published(out, at, whole))
      differ_event(e, REPLICA_OUT, to);
    if (leads && !e) {
      replica_go_live();
      return REPLICA_LEADS;
    }
  }
}

/* --- values --- */

/* The next value of this kind that the other has told; false: it is dead and has told none, and this one leads. */
static bool follow(enum replica_value kind, uint64_t *value) {
  mpl_replica_count_point(REPLICA_AT_VALUE);
  for (unsigned turn = 0;; replica_rest(&turn)) {
    bool leads = replica_leads();
    const struct replica_entry *e = replica_peek();
    if (e && (replica_event_of(e) != REPLICA_VALUE || replica_rank_of(e) != (uint32_t)kind))
      differ_event(e, REPLICA_VALUE, (uint32_t)kind);
    if (e) {
      *value = e->value;
      replica_take();
      return true;
    }
    if (leads)
      break;
  }
  replica_go_live();
  return false;
}

bool mpl_replica_follow(uint64_t *value) { return mpl_replays() && follow(REPLICA_PRELOADED, value); }

uint64_t mpl_replica_value(enum replica_value kind, uint64_t mine) {
  static uint64_t ahead; /* of the clock of this host */
  bool since_start = kind == REPLICA_WTIME && mpl_replica_in_sets();
  if (!mpl_replicated())
    return mine;
  uint64_t found = mine;
  if (!mpl_replica.live && follow(kind, &found)) {
    ahead = since_start ? found - mine : ahead;
    return found;
  }
  mine += since_start ? ahead : 0;
  replica_append(REPLICA_VALUE, (uint32_t)kind, mine);
  return mine;
}

void mpl_replica_text(enum replica_value kind, char *text, size_t size) {
  for (size_t i = 0; mpl_replicated() && i < size; i += REPLICA_VALUE_BYTES) {
    size_t n = size - i < REPLICA_VALUE_BYTES ? size - i : REPLICA_VALUE_BYTES;
    uint64_t part = mpl_replica_value(kind, eight_bytes(text + i, n));
    memcpy(text + i, &part, n);
  }
}
