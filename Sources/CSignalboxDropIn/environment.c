// Takes what `signalbox run` has set for this process out of its environment
// again, so that programs that it starts get the one that they would have had.
#include <stdlib.h>

#include "CSignalbox/environment.h"

/// Runs before `main`. The dynamic linker has read LD_LIBRARY_PATH by then, and
/// does not look again.
__attribute__((constructor)) static void restore(void) {
  // The value that LD_LIBRARY_PATH had, behind a mark: "-" for none, and "=",
  // which a value follows.
  const char *before = csb_environment("SIGNALBOX_RUN_BEFORE");
  if (!before) return;
  if (before[0] == '=')
    setenv("LD_LIBRARY_PATH", before + 1, 1);
  else
    unsetenv("LD_LIBRARY_PATH");
  unsetenv("SIGNALBOX_RUN_BEFORE");
}
