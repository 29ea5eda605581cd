// CCoverage — the functions by which a program asks for its counters of coverage.
#ifndef CCOVERAGE_H
#define CCOVERAGE_H

/// Sets all counters to 0.
void __llvm_profile_reset_counters(void);

/// Writes the counters to the file that LLVM_PROFILE_FILE names. Returns 0, or -1 on an error.
int __llvm_profile_write_file(void);

#endif
