// backtrace.h — takes a thread's backtrace, and finds the functions of code
// addresses.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// A code address, resolved. A text is empty if it is unknown.
struct csb_code_symbol {
  /// The path of the binary that contains the code.
  char image[256];
  /// The function's symbol, as the binary spells it.
  char symbol[1024];
  /// The offset of the address from the symbol, or from the start of the image
  /// if there is no symbol.
  uint64_t offset;
};

/// Writes the return addresses of this thread's stack, innermost first,
/// beginning with the address in the caller. `capacity` must leave room for a
/// few inner frames, which are then dropped. Returns the number of addresses.
/// The first call loads the unwinder.
size_t csb_backtrace(uintptr_t *_Nonnull addresses, size_t capacity);

/// Finds only the binary that contains the code at `address`, which takes a few
/// microseconds. Returns whether there is one.
int csb_code_find_image(uintptr_t address, struct csb_code_symbol *_Nonnull resolved);

/// Receives one resolved address. `resolved` is reused after the call.
typedef void csb_code_visitor(void *_Nullable context, uintptr_t address,
                              const struct csb_code_symbol *_Nonnull resolved);

/// Finds the functions that contain these addresses, which must be in ascending
/// order. The dynamic linker doesn't know a program's own functions, so the
/// call reads each binary's symbol table, once for all addresses in it: a few
/// milliseconds for a large binary. Calls `visit` for no address if there is no
/// memory.
void csb_code_find_all(const uintptr_t *_Nonnull addresses, size_t count,
                       csb_code_visitor *_Nonnull visit, void *_Nullable context);

/// Demangles a Swift symbol into `words`, truncated at `capacity`. Returns
/// whether it was a Swift symbol.
int csb_demangle(const char *_Nonnull symbol, char *_Nonnull words, size_t capacity);
