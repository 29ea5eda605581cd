// ErrorText — describes an errno, for messages.

import CSignalbox

/// "errno 9, Bad file descriptor".
package func errorText(_ error: Int32) -> String {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
    csb_error_text(error, buffer.baseAddress!, buffer.count)
    return "errno \(error), \(String(cString: buffer.baseAddress!))"
  }
}
