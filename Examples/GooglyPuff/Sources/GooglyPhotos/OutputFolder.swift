// OutputFolder — where results go: photos, a folder of thumbnails, a page.

import Glibc

package struct OutputFolder: Sendable {
  package static let pageName = "index.html"
  package static let thumbnailsName = "thumbnails"

  package let path: FilePath

  package init(_ path: FilePath) {
    self.path = path
  }

  /// Makes the folders that are missing.
  package func prepare() throws(PhotoFailure) {
    try Self.makeFolder(path.appending(Self.thumbnailsName))
  }

  private static func makeFolder(_ path: FilePath) throws(PhotoFailure) {
    if path.isFolder { return }
    let parent = path.folder
    if parent != path, !parent.isFolder { try makeFolder(parent) }
    guard path.withCString({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
      throw .system(doing: "make the folder \(path)", code: errno)
    }
  }

  /// Whether `file` lies among the results, where one may take its name.
  func holds(_ file: FilePath) -> Bool {
    file.folder.isSameFile(as: path)
      || file.folder.isSameFile(as: path.appending(Self.thumbnailsName))
  }
}

/// Gives each photo a name that no other result has, whatever its extension and
/// on file systems that take `A` for `a`. Main queue only.
struct ResultNames {
  private var taken: Set<String> = []

  mutating func name(for stem: String) -> String {
    var candidate = stem
    var number = 1
    while !taken.insert(candidate.lowercased()).inserted {
      number += 1
      candidate = "\(stem)-\(number)"
    }
    return candidate
  }
}
