// ReportFile — writes a report to a file or to standard error.

import CSignalbox

enum ReportFile {
  /// Appends to a file, or writes to standard error if there is no path.
  ///
  /// - Returns: 0 or an errno.
  static func write(_ bytes: UnsafeBufferPointer<UInt8>, to path: String?) -> Int32 {
    guard let start = bytes.baseAddress else { return 0 }
    return csb_report_write(path, start, bytes.count)
  }
}
