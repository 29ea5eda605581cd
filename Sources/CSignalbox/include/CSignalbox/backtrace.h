// backtrace.h — where a thread is: addresses of code, and the functions they lie in.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What is known of an address of code. A text that is not known is empty.
struct csb_code_place {
  /// The file that the code was loaded from.
  char image[256];
  /// The function's symbol, as the file has it.
  char symbol[1024];
  /// How far the address lies behind the symbol's; without one, behind the image's
  /// first byte.
  uint64_t offset;
};

/// Writes the addresses that this thread's functions return to, the innermost
/// first, from the caller's own on. Needs room for some more, of what lies further
/// in. Returns how many. Its first call loads the unwinder.
size_t csb_backtrace(uintptr_t *_Nonnull addresses, size_t capacity);

/// Looks for the file that the code at `address` was loaded from, and no further: some
/// microseconds. Returns whether there is one.
int csb_code_find_image(uintptr_t address, struct csb_code_place *_Nonnull place);

/// Is told of one address; `place` is another's afterwards.
typedef void csb_code_visitor(void *_Nullable context, uintptr_t address,
                              const struct csb_code_place *_Nonnull place);

/// Looks for the functions in which these addresses lie, which stand in ascending order. A
/// program's own functions are in no table that the dynamic linker knows, so each file's own table
/// is read, once for all addresses in it: some milliseconds for a large one. Nobody is told of any
/// where there is no memory.
void csb_code_find_all(const uintptr_t *_Nonnull addresses, size_t count,
                       csb_code_visitor *_Nonnull visit, void *_Nullable context);

/// Turns a symbol of Swift's into words. Returns whether it was one; `words` is
/// then cut at `capacity`.
int csb_demangle(const char *_Nonnull symbol, char *_Nonnull words, size_t capacity);
