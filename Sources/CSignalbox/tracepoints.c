// tracepoints.c — the `nop` of each static tracepoint, and its note.

#include "CSignalbox/tracepoints.h"

#include "tracepoint_note.h"

// One copy of each, so that each tracepoint is at one address.
#define ALONE __attribute__((noinline))

#define FIRE2(name, a, b) \
  __asm__ volatile(CSB_TRACEPOINT(name, "8@%0 8@%1") : : "r"(a), "r"(b))
#define FIRE3(name, a, b, c) \
  __asm__ volatile(CSB_TRACEPOINT(name, "8@%0 8@%1 8@%2") : : "r"(a), "r"(b), "r"(c))
#define FIRE4(name, a, b, c, d)                                  \
  __asm__ volatile(CSB_TRACEPOINT(name, "8@%0 8@%1 8@%2 8@%3") : \
                   : "r"(a), "r"(b), "r"(c), "r"(d))
#define FIRE5(name, a, b, c, d, e)                                    \
  __asm__ volatile(CSB_TRACEPOINT(name, "8@%0 8@%1 8@%2 8@%3 8@%4") : \
                   : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e))

ALONE void csb_usdt_item_submitted(const void *queue, const char *label, const void *item,
                                   uint64_t qos) {
  FIRE4("item_submitted", queue, label, item, qos);
}

ALONE void csb_usdt_item_began(const void *queue, const char *label, const void *item) {
  FIRE3("item_began", queue, label, item);
}

ALONE void csb_usdt_item_ended(const void *queue, const char *label, const void *item) {
  FIRE3("item_ended", queue, label, item);
}

ALONE void csb_usdt_sync_began(const void *queue, const char *label) {
  FIRE2("sync_began", queue, label);
}

ALONE void csb_usdt_sync_ended(const void *queue, const char *label) {
  FIRE2("sync_ended", queue, label);
}

ALONE void csb_usdt_wait_began(const void *object, const char *kind, const char *name,
                               const char *reason, uint64_t holder) {
  FIRE5("wait_began", object, kind, name, reason, holder);
}

ALONE void csb_usdt_wait_ended(const void *object, const char *kind, const char *name,
                               const char *reason, uint64_t timed_out) {
  FIRE5("wait_ended", object, kind, name, reason, timed_out);
}

ALONE void csb_usdt_lock_contended(const void *lock, const char *kind, const char *name,
                                   uint64_t holder) {
  FIRE4("lock_contended", lock, kind, name, holder);
}

ALONE void csb_usdt_lock_acquired(const void *lock, const char *kind, const char *name) {
  FIRE3("lock_acquired", lock, kind, name);
}

ALONE void csb_usdt_lock_released(const void *lock, const char *kind, const char *name) {
  FIRE3("lock_released", lock, kind, name);
}

ALONE void csb_usdt_worker_began(const char *pool, uint64_t worker) {
  FIRE2("worker_began", pool, worker);
}

ALONE void csb_usdt_worker_ended(const char *pool, uint64_t worker) {
  FIRE2("worker_ended", pool, worker);
}

ALONE void csb_usdt_worker_blocked(const char *pool, uint64_t worker, uint64_t running,
                                   uint64_t workers) {
  FIRE4("worker_blocked", pool, worker, running, workers);
}

ALONE void csb_usdt_worker_unblocked(const char *pool, uint64_t worker) {
  FIRE2("worker_unblocked", pool, worker);
}

ALONE void csb_usdt_worker_replaced(const char *pool, uint64_t worker, uint64_t running,
                                    uint64_t workers) {
  FIRE4("worker_replaced", pool, worker, running, workers);
}

ALONE void csb_usdt_timer_fired(const void *timer, uint64_t lateness) {
  FIRE2("timer_fired", timer, lateness);
}
