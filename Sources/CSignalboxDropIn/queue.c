#include "CSignalboxDropIn/queue.h"

struct csd_main_queue _dispatch_main_q = {.kind = 0x53424F51, .width = 1};

_Static_assert(sizeof _dispatch_main_q == CSD_MAIN_QUEUE_SIZE, "as in the toolchain's library");

char _dispatch_queue_attr_concurrent[CSD_ATTRIBUTE_COUNT * CSD_ATTRIBUTE_SIZE];
