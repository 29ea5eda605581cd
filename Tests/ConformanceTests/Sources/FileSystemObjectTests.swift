// FileSystemObjectTests — sources of file system objects, on the real kernel.
//
// Each act makes one kernel event, so a test can compare everything that the handler's first
// call receives.

import Glibc
import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite("File-system-object sources", .guarded)
struct FileSystemObjectTests {
  typealias Event = DispatchSource.FileSystemEvent

  private let folder: TemporaryFolder
  private var path: String { folder.path + "/file" }

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("file", "0123456789")
  }

  /// Returns the events that one act on a file causes.
  private func told(_ mask: Event = .all, _ act: () throws -> Void) throws -> Event {
    let file = try WatchedFile(path, mask)
    try act()
    let told = try file.first()
    try file.end()
    return told
  }

  // MARK: Each event

  @Test func theEventsHaveApplesValues() {
    let all: [(Event, UInt)] = [
      (.delete, 1), (.write, 2), (.extend, 4), (.attrib, 8), (.link, 16), (.rename, 32),
      (.revoke, 64), (.funlock, 256), (.all, 127),
    ]
    for (event, value) in all { #expect(event.rawValue == value) }
  }

  @Test func theSourceHasItsDescriptorAndMask() throws {
    let file = try WatchedFile(path, [.write, .rename])
    #expect(file.source.handle == file.descriptor)
    #expect(file.source.mask == [.write, .rename])
    let plain: any DispatchSourceProtocol = file.source
    #expect(plain.handle == UInt(file.descriptor))
    #expect(plain.mask == 34)
    try file.end()
  }

  @Test func aWriteIsReported() throws {
    #expect(try told { try writeText("abc", to: path, flags: O_WRONLY) } == .write)
  }

  @Test func aWriteThatMakesTheFileLongerExtendsIt() throws {
    #expect(try told { try writeText("abc", to: path) } == [.write, .extend])
    #expect(try told { truncate(path, 5000) } == [.write, .extend])
  }

  @Test func aTruncationIsAWrite() throws {
    #expect(try told { truncate(path, 0) } == .write)
  }

  @Test func modeOwnerAndTimesAreAttributes() throws {
    #expect(try told { chmod(path, 0o640) } == .attrib)
    #expect(try told { utimes(path, nil) } == .attrib)
    #expect(try told { chown(path, getuid(), getgid()) } == .attrib)
  }

  @Test func anAddedOrRemovedNameIsALinkEvent() throws {
    #expect(try told { link(path, path + "2") } == [.link, .attrib])
    #expect(try told { unlink(path + "2") } == [.link, .attrib])
  }

  @Test func aNewNameIsARenameEvent() throws {
    #expect(try told { rename(path, path + "2") } == .rename)
    try folder.write("sub/other", "")
    let moved = try WatchedFile(path + "2")
    rename(path + "2", folder.path + "/sub/file")
    #expect(try moved.first() == .rename)
    try moved.end()
  }

  @Test func losingTheLastNameIsADeletion() throws {
    #expect(try told { unlink(path) } == [.delete, .link, .attrib])
  }

  @Test func aFileWhoseNameIsTakenOverIsDeleted() throws {
    try folder.write("new", "new")
    #expect(
      try told { rename(folder.path + "/new", path) } == [.delete, .link, .attrib])
  }

  @Test func onlyRequestedEventsAreReported() throws {
    let file = try WatchedFile(path, .rename)
    try writeText("abc", to: path)
    chmod(path, 0o640)
    link(path, path + "2")
    rename(path, path + "3")
    #expect(try file.first() == .rename)
    try file.end()
    #expect(file.told.current == [.rename])
  }

  @Test func writesWithinTheFileAreNotReportedAsGrowth() throws {
    let file = try WatchedFile(path, .extend)
    try writeText("abc", to: path, flags: O_WRONLY)
    try writeText("abc", to: path)
    #expect(try file.first() == .extend)
    try file.end()
    #expect(file.told.current == [.extend])
  }

  // MARK: The file, not its name

  @Test func aRenamedFileIsStillWatched() throws {
    let file = try WatchedFile(path, [.write, .rename])
    rename(path, path + "2")
    try file.wait(for: .rename)
    try folder.write("file", "another")
    try writeText("abc", to: path)
    try writeText("abc", to: path + "2", flags: O_WRONLY)
    try file.wait(for: .write)
    try file.end()
  }

  @Test func aDeletedFileIsStillWatched() throws {
    let file = try WatchedFile(path, flags: O_RDWR, [.write, .delete])
    unlink(path)
    try file.wait(for: .delete)
    #expect(write(file.descriptor, "abc", 3) == 3)
    try file.wait(for: .write)
    try file.end()
    #expect(file.told.current.filter { $0.contains(.delete) }.count == 1)
  }

  /// Otherwise a program that opens a file just before another file takes over its name would
  /// wait forever.
  @Test func aFileWithoutANameIsReportedAsDeletedAndWatched() throws {
    let descriptor = try openFile(path, O_RDWR)
    unlink(path)
    let file = try WatchedFile(descriptor: descriptor)
    #expect(try file.first() == [.delete, .link])
    #expect(write(descriptor, "a", 1) == 1)
    try file.wait(for: [.write])
    #expect(!file.source.isCancelled)
    try file.end()
    #expect(file.told.current.filter { $0.contains(.delete) }.count == 1)
  }

  @Test func aPathDescriptorIsAccepted() throws {
    let file = try WatchedFile(path, flags: onlyPath)
    try writeText("abc", to: path)
    #expect(try file.first() == [.write, .extend])
    try file.end()
  }

  @Test func aSymbolicLinkIsFollowedUnlessOpenedItself() throws {
    let name = folder.path + "/symbolic"
    try checked(symlink(path, name))
    let target = try WatchedFile(name)
    let itself = try WatchedFile(name, flags: onlyPath | O_NOFOLLOW)
    chmod(path, 0o640)
    #expect(try target.first() == .attrib)
    rename(name, name + "2")
    #expect(try itself.first() == .rename)
    unlink(name + "2")
    try itself.wait(for: .delete)
    try target.end()
    try itself.end()
    #expect(target.told.current == [.attrib])
  }

  @Test func aDeviceIsWatchedLikeAFile() throws {
    let file = try WatchedFile("/dev/null", .rename)
    #expect(!file.source.isCancelled)
    try file.end()
    #expect(file.told.current == [])
  }

  @Test func aNamedPipeIsWatchedLikeAFile() throws {
    let name = folder.path + "/pipe"
    try checked(mkfifo(name, 0o600))
    let file = try WatchedFile(name, flags: O_RDWR, .rename)
    rename(name, name + "2")
    #expect(try file.first() == .rename)
    try file.end()
  }

  // MARK: Several sources, and their ends

  @Test func eachSourceOfOneFileGetsTheEventsItRequested() throws {
    let written = try WatchedFile(path, .write)
    let renamed = try WatchedFile(path, .rename)
    let both = try WatchedFile(path, [.write, .rename])
    try writeText("abc", to: path)
    #expect(try written.first() == .write)
    #expect(try both.first() == .write)
    try written.end()
    rename(path, path + "2")
    #expect(try renamed.first() == .rename)
    try both.wait(for: .rename)
    try renamed.end()
    try both.end()
    #expect(written.told.current == [.write])
    #expect(renamed.told.current == [.rename])
  }

  @Test func sourcesOfOneDescriptorAreIndependent() throws {
    let one = try WatchedFile(path, .write)
    let told = EventCounter("told")
    let ended = Gate("ended")
    let other = DispatchSource.makeFileSystemObjectSource(
      fileDescriptor: one.descriptor, eventMask: .write)
    other.setEventHandler { told.increment() }
    other.setCancelHandler { ended.open() }
    other.activate()
    try writeText("abc", to: path)
    try told.wait(for: 1)
    try one.wait(for: .write)
    other.cancel()
    try ended.wait()
    let before = one.told.current.count
    try writeText("abc", to: path)
    #expect(one.told.wait(limit: RealTime.wedge) { $0.count > before })
    try one.end()
    #expect(told.value == 1)
  }

  @Test func eventsDuringASuspensionAreCombined() throws {
    let file = try WatchedFile(path)
    try folder.write("other", "")
    let other = folder.path + "/other"
    let marker = try WatchedFile(other, .write)
    file.source.suspend()
    try writeText("abc", to: path)
    chmod(path, 0o640)
    rename(path, path + "2")
    link(path + "2", path)
    // The kernel reports the events of all files in order, so this one comes last.
    try writeText("abc", to: other)
    try marker.wait(for: .write)
    #expect(file.told.current == [])
    file.source.resume()
    #expect(try file.first().isSuperset(of: [.write, .extend, .attrib, .rename, .link]))
    try marker.end()
    try file.end()
    #expect(file.told.current.count == 1)
  }

  @Test func aCancelledSourceReportsNothingAndItsNumberMayBeReused() throws {
    let first = try WatchedFile(path, .write)
    let number = first.descriptor
    try first.end()
    try folder.write("other", "")
    // Another test may take the number in between; then this test cannot see a fault.
    let second = try WatchedFile(folder.path + "/other", .write)
    try writeText("abc", to: path)
    try writeText("abc", to: folder.path + "/other")
    try second.wait(for: .write)
    try second.end()
    #expect(first.told.current == [])
    #expect(number >= 0)
  }

  @Test func capturesOfTheHandlersAreFreedAtTheEnd() throws {
    let tracker = LeakTracker()
    do {
      let descriptor = try openFile(path)
      let ended = Gate("ended")
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: .all)
      let objects = (tracker.makeObject(), tracker.makeObject())
      source.setEventHandler { objects.0.touch() }
      source.setCancelHandler {
        objects.1.touch()
        close(descriptor)
        ended.open()
      }
      source.activate()
      source.cancel()
      try ended.wait()
    }
    try tracker.waitUntilAllAreFreed()
  }

  @Test func aReleasedSourceReportsNothing() throws {
    let tracker = LeakTracker()
    let descriptor = try openFile(path)
    defer { close(descriptor) }
    do {
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: .all)
      let object = tracker.makeObject()
      source.setEventHandler { object.touch() }
      source.activate()
    }
    try tracker.waitUntilAllAreFreed()
  }
}
