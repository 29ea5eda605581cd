// DropInLibrary — Signalbox's libdispatch.so, which is installed beside this program.

import Glibc

struct DropInLibrary {
  let folder: String
  var path: String { "\(folder)/libdispatch.so" }

  /// The library in `lib/signalbox` beside the folder of this program, or in the folder that
  /// SIGNALBOX_LIBRARY_FOLDER names.
  static func find() throws(Refusal) -> DropInLibrary {
    let folder: String
    if let given = variable("SIGNALBOX_LIBRARY_FOLDER") {
      folder = given
    } else {
      guard let program = realpath("/proc/self/exe", nil) else {
        throw Refusal(text: "/proc/self/exe: \(String(cString: strerror(errno)))")
      }
      defer { free(program) }
      let parts = String(cString: program).split(separator: "/").dropLast(2)
      folder = parts.map { "/\($0)" }.joined() + "/lib/signalbox"
    }
    let library = DropInLibrary(folder: folder)
    if access(library.path, R_OK) == 0 { return library }
    throw Refusal(
      text: "\(library.path): \(String(cString: strerror(errno))). `make drop-in` builds it; "
        + "SIGNALBOX_LIBRARY_FOLDER names another folder.")
  }
}
