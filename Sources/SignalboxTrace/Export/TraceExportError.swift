// TraceExportError — why a trace could not be written.

import Glibc

package enum TraceExportError: Error, Hashable, CustomStringConvertible {
  /// The bytes are not a recording.
  case notARecording(TraceImageError)
  /// The file's name has no extension of a known format.
  case unknownFormat(path: String)
  /// The library was built without a file of its page.
  case pageLacks(file: String)
  /// A system call failed.
  case call(String, path: String, errno: Int32)

  package var description: String {
    switch self {
    case .notARecording(let error): error.description
    case .unknownFormat(let path):
      "\(path): its name must end in \(TraceFormat.endings.joined(separator: ", "))"
    case .pageLacks(let file): "the page was built without its file \(file)"
    case .call(let call, let path, let errno):
      "\(path): \(call): \(String(cString: strerror(errno))) (errno \(errno))"
    }
  }
}
