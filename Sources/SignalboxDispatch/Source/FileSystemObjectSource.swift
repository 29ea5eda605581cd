// FileSystemObjectSource — the source for the events of a file: writes, renames, deletion.
//
// The kernel's events only wake the source. On the target queue, the source looks at the file
// through the program's own descriptor, which is open until the cancel handler runs. So the source
// needs no second descriptor, and a slow file system delays only this source.
//
// The kernel does not report the removal of an open directory to a watch on it, but to a watch on
// its parent. So the source watches the parent too, and the new parent after a move.
//
// Touching    `last`: written before the watches are added, then on the target queue. `own`,
//             `around`, `isOver`: under `lock`. `reason`: by `install` and its caller. `table`:
//             written before the watches are added.
// Invariants  I1  `own` and `around` are in the table, or the thread that added them is about to
//                 check `isOver`.

import CSignalbox
import SignalboxRuntime

final class FileSystemObjectSource: SourceCore, FileWatchClient, @unchecked Sendable {
  // SAFETY: see Touching.
  private let descriptor: Int32
  private let events: DispatchSource.FileSystemEvent
  private var last: FileLook?
  private var table: FileWatches?
  private var reason: String?

  private let lock = EngineLock()
  private var own: FileWatch?
  private var around: FileWatch?
  private var isOver = false

  init(_ descriptor: Int32, _ events: DispatchSource.FileSystemEvent, queue: DispatchQueue?) {
    self.descriptor = descriptor
    self.events = events
    super.init(handle: UInt(bitPattern: Int(descriptor)), mask: events.rawValue, queue: queue)
  }

  override var kindName: String { "file-system-object source for descriptor \(descriptor)" }

  // MARK: Installing

  override func install() -> Int32 {
    let (found, error) = FileStatus.read(descriptor)
    guard let status = found else { return refuse(error, FileWatches.reason(error)) }
    if let reason = objection(status) { return refuse(EINVAL, reason) }
    let look = FileLook(
      status: status, path: events.contains(.rename) ? FileStatus.path(descriptor) : nil)
    last = look
    // If the file was removed already, report that as if it were removed now.
    if status.links == 0 { last!.status.links = 1 }
    let table = Engine.current.driver.files
    self.table = table
    let watch = FileWatch(
      descriptor, for: FileSystemChanges.interest(for: events, in: status.kind),
      identity: status.identity, client: self)
    let refused = table.add(watch)
    if refused != 0 { return refuse(refused, FileWatches.reason(refused)) }
    lock.withLock { own = watch }
    if tellsOfRemoval { watchAround() }
    tellEarlyRemoval(status)
    return 0
  }

  /// Reports a file that lost its last name after it was opened but before the watch was added. No
  /// event would occur for it, and a program that follows a name would wait forever.
  private func tellEarlyRemoval(_ before: FileStatus) {
    let links = FileStatus.read(descriptor).status?.links ?? before.links
    if links == 0 || links != before.links { merge(or: UInt(FileNews.removals.rawValue)) }
  }

  /// The reason why a file cannot be watched, or nil.
  private func objection(_ status: FileStatus) -> String? {
    if events.intersection(.all).isEmpty {
      return events.contains(.funlock)
        ? "the kernel does not report released locks (`.funlock`), and no other event was "
          + "requested" : "no event that the kernel reports was requested"
    }
    return status.isNameless
      ? "it is a pipe, a socket or another descriptor without a file: use a read or write source"
      : nil
  }

  private func refuse(_ error: Int32, _ reason: String) -> Int32 {
    self.reason = reason
    return error
  }

  override func refusal(_ error: Int32) -> String {
    "the \(kindName) could not be registered: \(reason ?? FileWatches.reason(error))"
  }

  override func uninstall() {
    lock.lock()
    isOver = true
    let watches = (own, around)
    (own, around) = (nil, nil)
    lock.unlock()
    if let own = watches.0 { table?.remove(own) }
    if let around = watches.1 { table?.remove(around) }
  }

  // MARK: The directory around

  private var tellsOfRemoval: Bool {
    last?.status.kind == .directory && events.contains(.delete)
  }

  /// Watches the current parent of this directory.
  private func watchAround() {
    guard let table else { return }
    let watch = FileWatch(descriptor, .parent, for: .removals, client: self)
    let error = table.add(watch)
    if error != 0 {
      warn(
        "the \(kindName) will not report that the directory is removed: its parent directory "
          + "cannot be watched: \(FileWatches.reason(error))")
    }
    lock.lock()
    let old = around
    let isLate = isOver
    around = isLate || error != 0 ? nil : watch
    lock.unlock()
    if isLate { table.remove(watch) }
    if let old { table.remove(old) }
  }

  // MARK: Events

  func fileHasNews(_ watch: FileWatch, _ news: FileNews) {
    // Events of the parent do not matter, except the removal of an entry, which may be this
    // directory.
    let own = watch.target == .itself ? news : news.intersection([.removals, .uncertain])
    if !own.isEmpty { merge(or: UInt(own.rawValue)) }
  }

  override func takeData() -> UInt? {
    guard let raw = super.takeData(), let before = last else { return nil }
    let news = FileNews(rawValue: UInt32(truncatingIfNeeded: raw))
    // Do this before the check, so that whatever happens from here on is visible in the check or
    // reported by a new event.
    if news.contains(.moved) && tellsOfRemoval { watchAround() }
    let now = look(before)?.told(by: news, since: before)
    if let now { last = now }
    let told = FileSystemChanges.events(news, from: before, to: now).intersection(events)
    return told.isEmpty ? nil : told.rawValue
  }

  /// The current state of the file; nil if the descriptor no longer refers to it.
  private func look(_ before: FileLook) -> FileLook? {
    guard let status = FileStatus.read(descriptor).status,
      status.identity == before.status.identity
    else { return nil }
    return FileLook(
      status: status, path: before.path == nil ? nil : FileStatus.path(descriptor))
  }
}
