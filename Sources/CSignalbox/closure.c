// A call that Swift compiles may hold a reference to the closure until it
// returns. If the closure never returns, because the thread ends in it, the
// closure and its captures would never be freed. This call holds no reference.
#include "CSignalbox/closure.h"

#include <stddef.h>

typedef __attribute__((swiftcall)) void (*function)(
    __attribute__((swift_indirect_result)) void *result, void *thrown,
    __attribute__((swift_context)) void *context,
    __attribute__((swift_error_result)) void **has_thrown);

/// A closure in memory: its function, and the context with its captures.
struct closure {
  function function;
  void *context;
};

void csb_closure_call(const void *closure, void *result, void *thrown,
                      void **has_thrown) {
  const struct closure *call = closure;
  void *flag = NULL;
  call->function(result, thrown, call->context, &flag);
  *has_thrown = flag;
}
