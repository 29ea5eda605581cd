// Environment — the variables of this process.

import CSignalboxTool
import Glibc

/// The value of a variable; nil if it is not set.
func variable(_ name: String) -> String? { csb_tool_environment(name).map { String(cString: $0) } }

/// All variables, each as "NAME=value".
func currentEnvironment() -> [String] {
  var lines: [String] = []
  // SAFETY: a list that ends with null; no other thread changes it.
  var next = environ
  while let line = next.pointee {
    lines.append(String(cString: line))
    next += 1
  }
  return lines
}
