// ProgramPath — where a program is, as the shell would find it.

import Glibc

enum ProgramPath {
  /// The path of a program that is given as a path, or as a name in PATH.
  static func find(_ name: String) throws(Refusal) -> String {
    if name.contains("/") {
      if access(name, F_OK) == 0 { return name }
      fail("\(name): \(String(cString: strerror(errno)))\n\(usage)", status: 2)
    }
    for folder in (variable("PATH") ?? "/usr/bin:/bin").split(
      separator: ":", omittingEmptySubsequences: false)
    {
      let path = folder.isEmpty ? "./\(name)" : "\(folder)/\(name)"
      var status = stat()
      if access(path, X_OK) == 0, stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
        return path
      }
    }
    fail("\(name): not found in PATH\n\(usage)", status: 2)
  }
}
