// PhotoInputs — which photos are meant: files, folders, addresses, "Le Internet".
//
// From the command line, or line by line from standard input (`InputLines`).

import Glibc

package enum PhotoInput: Equatable, Sendable {
  case file(FilePath)
  case folder(FilePath)
  case address(String)
  case leInternet

  package init(_ argument: FilePath) {
    let text = argument.description
    if text.lowercased() == LeInternet.name.lowercased() {
      self = .leInternet
    } else if text.contains("://") {
      self = .address(text)
    } else if argument.isFolder {
      self = .folder(argument)
    } else {
      self = .file(argument)
    }
  }

  /// The files in `folder` that are named like photos, by name; those whose names
  /// begin with a dot are hidden and not meant.
  package static func photos(in folder: FilePath) throws(PhotoFailure) -> [FilePath] {
    guard let stream = folder.withCString({ opendir($0) }) else {
      throw .system(doing: "open the folder", code: errno)
    }
    defer { closedir(stream) }
    var names: [FilePath] = []
    errno = 0
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
          FilePath(cString: $0)
        }
      }
      if isNamedLikeAPhoto(name.description) { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .system(doing: "read the folder", code: errno) }
    return names.sorted { $0.description < $1.description }.map { folder.appending($0) }
  }

  private static func isNamedLikeAPhoto(_ name: String) -> Bool {
    let lowercase = name.lowercased()
    return !name.hasPrefix(".")
      && [".jpg", ".jpeg", ".png"].contains { lowercase.hasSuffix($0) }
  }
}
