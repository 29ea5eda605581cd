// csignalboxtool.h — C library calls that `signalbox` needs and Swift does not import.
#pragma once

/// The value of a variable, or null. Null in a program with more rights than its user has.
const char *csb_tool_environment(const char *name);

/// Whether the file has capabilities, which the kernel grants to the program.
int csb_tool_has_capabilities(const char *path);
