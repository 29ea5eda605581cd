// SymbolFile — the symbols of a file that was stripped, in another file that the user names.
//
// The other file is the one before it was stripped, or has only the symbols (objcopy
// --only-keep-debug). It is used for the file in memory that has the same build ID. If not both
// have a build ID, it is used for the file of which it has the segments and the rest of the first
// page.

package final class SymbolFile {
  private let path: String
  private let file: FileBytes
  private let image: FileImage
  private var isUsed = false

  package init(_ path: String) throws(InspectionRefusal) {
    self.path = path
    do throws(FileBytes.Fault) { file = try FileBytes(path) } catch {
      throw InspectionRefusal(symbols: path, error.words)
    }
    let file = self.file
    guard let image = FileImage({ file.bytes(at: $0, count: $1) }), ELFSections(file) != nil else {
      throw InspectionRefusal(symbols: path, "it is no ELF file of 64 bits")
    }
    self.image = image
  }

  /// The file, if it has the symbols of the one that begins in memory like this.
  func bytes(for mapped: FileImage?) -> FileBytes? {
    guard let mapped, mapped.hasBuildID(of: image) || (try? mapped.check(image)) != nil else {
      return nil
    }
    isUsed = true
    return file
  }

  /// What to say if no stack has led to the file to which the symbols belong.
  var note: String? {
    if isUsed { return nil }
    let own = image.buildID.map { "build ID \($0)" } ?? "no build ID"
    let name = DisplayText.make(Array(path.utf8), isCut: false)
    return "\(name) (\(own)) has the symbols of no function on a stack"
  }
}
