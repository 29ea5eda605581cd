// csignalbox.h — what Swift cannot express: thread-local state and system
// calls.
//
// It contains no policy, and keeps no allocation but for kept lock files. A
// function returns 0 or an errno unless its comment says otherwise.
#pragma once

#include "CSignalbox/backtrace.h"
#include "CSignalbox/clock.h"
#include "CSignalbox/closure.h"
#include "CSignalbox/descriptors.h"
#include "CSignalbox/faults.h"
#include "CSignalbox/files.h"
#include "CSignalbox/fork.h"
#include "CSignalbox/futex.h"
#include "CSignalbox/hint.h"
#include "CSignalbox/io.h"
#include "CSignalbox/lockfile.h"
#include "CSignalbox/inotify.h"
#include "CSignalbox/look.h"
#include "CSignalbox/memory.h"
#include "CSignalbox/object.h"
#include "CSignalbox/overflow.h"
#include "CSignalbox/process.h"
#include "CSignalbox/signals.h"
#include "CSignalbox/sockets.h"
#include "CSignalbox/sort.h"
#include "CSignalbox/engine.h"
#include "CSignalbox/environment.h"
#include "CSignalbox/pressure.h"
#include "CSignalbox/queues.h"
#include "CSignalbox/reports.h"
#include "CSignalbox/thread.h"
#include "CSignalbox/toolchain.h"
#include "CSignalbox/trace.h"
#include "CSignalbox/tracefile.h"
#include "CSignalbox/trap.h"
