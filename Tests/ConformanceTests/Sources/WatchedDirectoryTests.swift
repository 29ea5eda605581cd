// WatchedDirectoryTests — directories under sources of file system objects, and following a
// name.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("Watched directories", .guarded)
struct WatchedDirectoryTests {
  typealias Event = DispatchSource.FileSystemEvent

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/directory" }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("directory/entry", "")
  }

  private func told(_ mask: Event = .all, _ act: () throws -> Void) throws -> Event {
    let directory = try WatchedFile(path, mask)
    try act()
    let told = try directory.first()
    try directory.end()
    return told
  }

  private func links() -> UInt {
    var status = stat()
    stat(path, &status)
    return UInt(status.st_nlink)
  }

  @Test func addedAndRemovedEntriesAreWrites() throws {
    #expect(try told { try folder.write("directory/new", "") } == .write)
    #expect(try told { unlink(path + "/new") } == .write)
    #expect(try told { rename(path + "/entry", folder.path + "/out") } == .write)
    #expect(try told { rename(folder.path + "/out", path + "/entry") } == .write)
    #expect(try told { rename(path + "/entry", path + "/other") }.contains(.write))
  }

  @Test func aSubdirectoryIsALinkIfTheFileSystemCountsThem() throws {
    let before = links()
    let event = try told { mkdir(path + "/inner", 0o700) }
    #expect(event == (links() == before ? .write : [.write, .link]))
  }

  @Test func changesOfAnExistingEntryAreNotReported() throws {
    let directory = try WatchedFile(path)
    try writeText("abc", to: path + "/entry")
    chmod(path + "/entry", 0o640)
    rename(path, path + "2")
    #expect(try directory.first() == .rename)
    try directory.end()
    #expect(directory.told.current == [.rename])
  }

  @Test func modeOfTheDirectoryItselfIsAnAttribute() throws {
    #expect(try told { chmod(path, 0o750) } == .attrib)
  }

  /// The kernel reports this only to a watch of the enclosing directory.
  @Test func theRemovalOfADirectoryIsADeletion() throws {
    try folder.write("sibling/x", "")
    let directory = try WatchedFile(path, .delete)
    unlink(folder.path + "/sibling/x")
    rmdir(folder.path + "/sibling")
    unlink(path + "/entry")
    #expect(rmdir(path) == 0)
    #expect(try directory.first() == .delete)
    try directory.end()
    #expect(directory.told.current == [.delete])
  }

  @Test func aRemovalAfterAMoveIsReported() throws {
    try folder.write("elsewhere/x", "")
    let directory = try WatchedFile(path, [.delete, .rename])
    unlink(path + "/entry")
    let place = folder.path + "/elsewhere/moved"
    rename(path, place)
    try directory.wait(for: .rename)
    #expect(rmdir(place) == 0)
    try directory.wait(for: .delete)
    try directory.end()
  }

  @Test func aReplacedDirectoryIsDeleted() throws {
    try folder.write("new/x", "")
    unlink(path + "/entry")
    let directory = try WatchedFile(path, .delete)
    #expect(rename(folder.path + "/new", path) == 0)
    #expect(try directory.first() == .delete)
    try directory.end()
  }

  // MARK: Following a name

  /// Follows a name as the documentation of `DispatchSourceFileSystemObject` describes: the
  /// program opens the name again.
  private final class Follower: @unchecked Sendable {
    // SAFETY: `source` is used on `queue` only.
    private let path: String
    private let queue = DispatchQueue(label: "org.signalbox.tests.follower")
    private var source: (any DispatchSourceFileSystemObject)?
    let contents = Guarded("")

    init(_ path: String) {
      self.path = path
      queue.async { self.follow() }
    }

    private func follow() {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .delete, .rename], queue: queue)
      source.setEventHandler { [unowned self] in
        if !source.data.isDisjoint(with: [.delete, .rename]) {
          source.cancel()
          follow()
        }
        reload()
      }
      source.setCancelHandler { close(descriptor) }
      self.source = source
      source.activate()
      reload()
    }

    private func reload() {
      guard let file = fopen(path, "r") else { return }
      defer { fclose(file) }
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = fread(&bytes, 1, bytes.count, file)
      contents.withValue { $0 = String(decoding: bytes[..<count], as: UTF8.self) }
    }

    func end() { queue.sync { source?.cancel() } }
  }

  @Test func anEditorsFilesAreFollowedByName() throws {
    let name = folder.path + "/settings"
    try folder.write("settings", "save 0")
    let follower = Follower(name)
    for round in 1...40 {
      let text = "save \(round)"
      if round % 3 == 0 {
        // Some programs write the file in place.
        try folder.write("settings", text)
      } else {
        try folder.write("settings.new", text)
        #expect(rename(name + ".new", name) == 0)
      }
      #expect(
        follower.contents.wait(limit: RealTime.wedge) { $0 == text },
        "\(follower.contents.current) where \(text) was saved")
    }
    follower.end()
  }
}
