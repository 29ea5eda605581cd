// ReportFile — how a report leaves the process.

import CSignalbox

enum ReportFile {
  /// Writes to the end of a file, or to standard error.
  ///
  /// - Returns: 0 or an errno.
  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to path: String?) -> Int32 {
    guard let start = bytes.baseAddress else { return 0 }
    return csb_report_write(path, start, bytes.count)
  }
}
