// Data with which a debugger or another library inspects Dispatch or hooks into it.
#include <stddef.h>
#include <stdint.h>

#include "CSignalboxDropIn/queue.h"

/// The offset and the size of each field of a queue, for other libraries.
/// ThreadSanitizer reads the width and the target, to learn which items run one
/// after the other. In a source it finds a target that represents the serial
/// queue of the source's handlers. The size 0 means that there is no such
/// field; a report of Signalbox (SIGNALBOX_REPORT) shows the same information.
const struct {
  uint16_t version;
  uint16_t label, label_size, flags, flags_size, number, number_size, width, width_size;
  uint16_t running, running_size, suspensions, suspensions_size, target, target_size;
  uint16_t priority, priority_size;
} dispatch_queue_offsets = {
    .version = 6,
    .width = offsetof(struct csd_main_queue, width),
    .width_size = sizeof _dispatch_main_q.width,
    .target = offsetof(struct csd_main_queue, target),
    .target_size = sizeof _dispatch_main_q.target,
};

/// Functions that an Objective-C runtime sets, so that each item gets an
/// autorelease pool.
///
/// *Differences*: they are not called. Items of the toolchain's library get a pool
/// only on queues that ask for one, and no runtime for Linux sets them.
void *(*_dispatch_begin_NSAutoReleasePool)(void);
void (*_dispatch_end_NSAutoReleasePool)(void *);
