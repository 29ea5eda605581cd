// Removes from the environment what `signalbox run` has set for this process,
// so that the programs that the process starts inherit the same environment as
// without `signalbox run`.
#include <stdlib.h>

#include "CSignalbox/environment.h"

/// Runs before `main`. The dynamic linker has read LD_LIBRARY_PATH by then, and
/// does not look again.
__attribute__((constructor)) static void restore(void) {
  // "-" if LD_LIBRARY_PATH had no value; otherwise "=" and its value.
  const char *before = csb_environment("SIGNALBOX_RUN_BEFORE");
  if (!before) return;
  if (before[0] == '=')
    setenv("LD_LIBRARY_PATH", before + 1, 1);
  else
    unsetenv("LD_LIBRARY_PATH");
  unsetenv("SIGNALBOX_RUN_BEFORE");
}
