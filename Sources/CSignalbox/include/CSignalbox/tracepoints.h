// tracepoints.h — the static tracepoints (USDT) of the provider `signalbox`, for bpftrace, perf,
// SystemTap and gdb. See Internals/Tracepoints.md.
//
// The function `csb_usdt_item_began` is the tracepoint `item_began`; its parameters are the
// tracepoint's arguments, `arg0` first. The article *Static tracepoints* lists them, and a test
// compares that list with this file and with the notes of programs.
//
// Each function contains one `nop` for tracers, and nothing else. Call it if
// `csb_probe_traced_load` is not 0.
//
// Strings are C strings that last as long as the call. A missing text is empty, not null.
#pragma once

#include <stdint.h>

// MARK: Items

/// An item was submitted to a queue. `qos`: its class, from 1, background, to 5, user-interactive; 6 if
/// it has none of its own, and 0 for a job of Swift concurrency.
void csb_usdt_item_submitted(const void *_Nonnull queue, const char *_Nonnull label,
                             const void *_Nonnull item, uint64_t qos);

/// An item begins on this thread. Its address may belong to another item from now on.
void csb_usdt_item_began(const void *_Nonnull queue, const char *_Nonnull label,
                         const void *_Nonnull item);

/// The item that began last on this thread, and has not ended, ends. `item`: the address from
/// `item_began`.
void csb_usdt_item_ended(const void *_Nonnull queue, const char *_Nonnull label,
                         const void *_Nonnull item);

/// The closure of a `sync` begins on this thread.
void csb_usdt_sync_began(const void *_Nonnull queue, const char *_Nonnull label);

/// The closure of a `sync` ends.
void csb_usdt_sync_ended(const void *_Nonnull queue, const char *_Nonnull label);

// MARK: Waits

/// This thread begins to wait. `kind` and `name` describe the object: "the NSLock" and the name
/// that the program gave it. `reason`: a word such as `lock` or `semaphore`. `holder`: the number of
/// the thread that holds the object up, as reports show it; 0 if there is none or it is not known.
void csb_usdt_wait_began(const void *_Nullable object, const char *_Nonnull kind,
                         const char *_Nonnull name, const char *_Nonnull reason, uint64_t holder);

/// The wait of this thread ends. `timed_out`: 1 if its deadline has passed, else 0.
void csb_usdt_wait_ended(const void *_Nullable object, const char *_Nonnull kind,
                         const char *_Nonnull name, const char *_Nonnull reason,
                         uint64_t timed_out);

// MARK: Locks

/// This thread begins to wait for a lock; `wait_began` fires too.
void csb_usdt_lock_contended(const void *_Nullable lock, const char *_Nonnull kind,
                             const char *_Nonnull name, uint64_t holder);

/// This thread has acquired a lock, with or without a wait.
void csb_usdt_lock_acquired(const void *_Nullable lock, const char *_Nonnull kind,
                            const char *_Nonnull name);

/// This thread is about to release a lock.
void csb_usdt_lock_released(const void *_Nullable lock, const char *_Nonnull kind,
                            const char *_Nonnull name);

// MARK: Workers

/// This thread becomes a worker. `pool`: `default`, or a pool of a lower kernel priority. `worker`:
/// its number in the pool, which is part of its name.
void csb_usdt_worker_began(const char *_Nonnull pool, uint64_t worker);

/// The worker ends.
void csb_usdt_worker_ended(const char *_Nonnull pool, uint64_t worker);

/// This worker is about to block. `running`: the workers of the pool that still run. `workers`: all
/// of its workers, with those that block or are parked.
void csb_usdt_worker_blocked(const char *_Nonnull pool, uint64_t worker, uint64_t running,
                             uint64_t workers);

/// This worker goes on.
void csb_usdt_worker_unblocked(const char *_Nonnull pool, uint64_t worker);

/// This worker blocks while work waits, and another one runs in its place. `running`, `workers`: as
/// in `worker_blocked`, which fires too; they do not include the replacement.
void csb_usdt_worker_replaced(const char *_Nonnull pool, uint64_t worker, uint64_t running,
                              uint64_t workers);

// MARK: Timers

/// A timer fires. `lateness`: in nanoseconds.
void csb_usdt_timer_fired(const void *_Nonnull timer, uint64_t lateness);
