// Where the C interface meets the process: its start and its forks.
#include "CSignalbox/note.h"

CSB_NOTE(this_dispatch, CSB_NOTE_DISPATCH);

/// Tells CSignalbox that this library is the process's Dispatch.
extern const char csb_dispatch_is_ours;
const char csb_dispatch_is_ours = 1;

/// libFoundation calls this while it is loaded, before constructors of the
/// program run. Other code may call it any number of times. There is nothing to
/// do: each part of the engine is made at its first use.
void libdispatch_init(void) {}

// CSignalbox registers fork handlers with pthread_atfork, and they do what is
// necessary. So a program that calls these names around a fork of its own
// need not do more.
void dispatch_atfork_prepare(void) {}
void dispatch_atfork_parent(void) {}
void dispatch_atfork_child(void) {}
