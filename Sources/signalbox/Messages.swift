// Messages — what the program says, and how it ends when something is wrong.

import Glibc

/// Why a program cannot run on Signalbox.
struct Refusal: Error {
  let text: String
}

/// Ends with a message and a status.
func fail(_ text: String, status: Int32) -> Never {
  tell(text)
  exit(status)
}

/// Writes a line to standard error.
func tell(_ text: String) { _ = write("signalbox: \(text)\n", to: STDERR_FILENO) }

/// Writes to standard output. Ends if that is impossible.
func put(_ text: String) {
  let error = write(text, to: STDOUT_FILENO)
  if error != 0 { fail("standard output: \(String(cString: strerror(error)))", status: 1) }
}

/// Returns 0, or an errno.
private func write(_ text: String, to descriptor: Int32) -> Int32 {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress!, $0.count) }
    if count < 0 && errno != EINTR { return errno }
    rest = rest.dropFirst(max(0, count))
  }
  return 0
}
