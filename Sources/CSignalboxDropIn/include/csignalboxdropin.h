// csignalboxdropin.h — the parts of Dispatch's C interface that Swift cannot
// define: data at fixed symbols, blocks, and functions with variable arguments.
//
// Only this module and SignalboxDropIn use functions with the prefix `csd_`. Of
// the C interface, these headers declare what Swift needs.
#pragma once

#include "CSignalboxDropIn/block.h"
#include "CSignalboxDropIn/blockmemory.h"
#include "CSignalboxDropIn/data.h"
#include "CSignalboxDropIn/given.h"
#include "CSignalboxDropIn/image.h"
#include "CSignalboxDropIn/job.h"
#include "CSignalboxDropIn/overlay.h"
#include "CSignalboxDropIn/queue.h"
#include "CSignalboxDropIn/source.h"
