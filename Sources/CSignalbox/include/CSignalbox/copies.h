// copies.h — the copies of this library in the process.
#pragma once

/// Whether another copy serves the process in place of this one, which then does
/// nothing.
///
/// A copy that brings Dispatch's C functions serves only what the dynamic linker
/// binds to it. If the program itself defines these functions, and
/// libdispatch.so is loaded too, everything is bound to the program's
/// functions.
int csb_copy_is_idle(void);

/// Whether a copy of this library serves Dispatch's C functions in this process,
/// in place of the toolchain's library.
int csb_dispatch_is_replaced(void);
