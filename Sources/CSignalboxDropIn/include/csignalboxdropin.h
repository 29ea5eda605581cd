// csignalboxdropin.h — what Swift cannot define of Dispatch's C interface: data
// at addresses of their own, blocks, and functions with variable arguments.
//
// A function with the prefix `csd_` is between this module and
// SignalboxDropIn. The names of the C interface are declared as far as Swift
// needs them.
#pragma once

#include "CSignalboxDropIn/block.h"
#include "CSignalboxDropIn/data.h"
#include "CSignalboxDropIn/given.h"
#include "CSignalboxDropIn/job.h"
#include "CSignalboxDropIn/overlay.h"
#include "CSignalboxDropIn/queue.h"
#include "CSignalboxDropIn/source.h"
