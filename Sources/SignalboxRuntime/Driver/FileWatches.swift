// FileWatches — the watches of each file, on one inotify descriptor.
//
// The kernel has one number for a file, however often and through whatever descriptor it is
// watched. So all watches of a file share that number, and the kernel is asked for the
// union of their interests.
//
// After a number is given up, events with that number may still wait in the kernel's queue. The
// last of them is `ignored`. Only events after it can concern a new file that has received the
// number.
//
// The descriptor is created with the first watch and stays open until the process ends. The
// driver watches it while there is a watch.
//
// Touching    `notifier`, `descriptorWatch` and every change of the kernel's watches: under
//             `changes`. `files`, `leaving`, `isLost`, `isReading`, `unread`, and the
//             watches and files in them: under `lock`, which a thread may take while it
//             holds `changes`.
// Invariants  I1  a watch is in the list of its file ⇔ it refers to that file.
//             I2  for each number that was given up, `leaving` counts the `ignored`
//                 events that are still to come. Until then, events with such a number
//                 are out of date.
//             I3  the poller never takes `changes`: a file system that takes long to
//                 register a watch delays other registrations and removals, but no
//                 events.
//             I4  an event with an unknown number is older than the end of the `add`
//                 that will make the number known; no client expects it yet.
//             I5  one poller at a time reads events and tells the clients: the one that has
//                 set `isReading`. After a time without files the driver watches the
//                 descriptor anew, and a poller may be late with the earlier watch. If both
//                 pollers read, they might tell the clients in either order.
//                 `restIfUnused` reads too, but only while no file is watched.
// Rejected    an inotify descriptor for each source: the kernel allows a user 128.
// Rejected    a descriptor for each file: it would keep a file system busy that its
//             user no longer needs.

import CSignalbox

package final class FileWatches: DescriptorClient, @unchecked Sendable {  // SAFETY: see Touching.
  private let kernel: any FileKernel
  /// The process that created the table. A forked child does not use its parent's table.
  private let fork = Fork.count

  private let changes = EngineLock()
  private var notifier: Int32 = -1
  private var descriptorWatch: DescriptorWatch?

  private let lock = EngineLock()
  private var files: [Int32: WatchedFile] = [:]
  private var leaving: [Int32: Int] = [:]
  private var isLost = false
  /// Whether a poller reads events and tells the clients.
  private var isReading = false
  /// The driver's watches that became ready since: that poller reads for them too.
  private var unread: [DescriptorWatch] = []

  package init(_ kernel: any FileKernel) { self.kernel = kernel }

  // MARK: Adding

  /// Registers a watch: its client receives events from now on. Any thread.
  ///
  /// - Returns: the errno with which the kernel refused, or 0; `reason` explains it.
  package func add(_ watch: FileWatch) -> Int32 {
    changes.lock()
    defer { changes.unlock() }
    let error = open()
    if error != 0 { return error }
    let bits = InotifyBits.asking(for: watch.interest)
    let number = kernel.add(notifier, watch.descriptor, watch.target, bits | InotifyBits.add)
    guard number >= 0 else {
      restIfUnused()
      return -number
    }
    lock.lock()
    let replaced = insert(watch, number, bits)
    lock.unlock()
    // Free the replaced file here, after the lock is released.
    _ = replaced
    return 0
  }

  /// - Returns: the file that had the same number before, if any.
  private func insert(_ watch: FileWatch, _ number: Int32, _ bits: UInt32) -> WatchedFile? {
    let known = files[number]
    if let known, !isOther(known.identity, than: watch.identity) {
      known.watches.append(watch)
      known.bits |= bits
      watch.file = known
      return nil
    }
    // The kernel has given the number to another file. So it no longer watches the first file, and
    // the event that says so has not been read yet.
    if let known {
      known.isAlive = false
      leaving[number, default: 0] += 1
    }
    let file = WatchedFile(number, watch, bits)
    files[number] = file
    watch.file = file
    return known
  }

  private func isOther(_ one: FileIdentity?, than other: FileIdentity?) -> Bool {
    if let one, let other { one != other } else { false }
  }

  // MARK: Removing

  /// Ends a watch. After this returns, only events that were already on their way
  /// are reported. Does nothing if the watch is in no table. Any thread.
  package func remove(_ watch: FileWatch) {
    // In a forked child, a thread that no longer exists may hold the locks.
    if fork != Fork.count { return }
    changes.lock()
    defer { changes.unlock() }
    lock.lock()
    guard let file = watch.file else { return lock.unlock() }
    watch.file = nil
    file.watches.removeAll { $0 === watch }
    let isLast = file.watches.isEmpty
    let isAlive = file.isAlive
    if isLast && isAlive {
      files[file.number] = nil
      leaving[file.number, default: 0] += 1
    }
    lock.unlock()
    guard isAlive else { return restIfUnused() }
    if isLast {
      kernel.remove(notifier, file.number)
      restIfUnused()
    } else {
      narrow(file)
    }
  }

  /// Reduces the kernel's request to what the remaining watches of a file want.
  private func narrow(_ file: WatchedFile) {
    // Only the thread that holds `changes` changes the list.
    let bits = file.watches.reduce(0) { $0 | InotifyBits.asking(for: $1.interest) }
    guard bits != file.bits, let one = file.watches.first else { return }
    let number = kernel.add(notifier, one.descriptor, one.target, bits)
    if number == file.number { return lock.withLock { file.bits = bits } }
    // The file can no longer be reached through this descriptor, or is no longer the parent
    // directory. The old request stays in force, but the new one has reached another file.
    if number >= 0 { takeBack(number, one, bits) }
  }

  /// Undoes a request that watches an unintended file under `number`.
  private func takeBack(_ number: Int32, _ watch: FileWatch, _ bits: UInt32) {
    lock.lock()
    let other = files[number]
    if other == nil { leaving[number, default: 0] += 1 }
    lock.unlock()
    if let other {
      _ = kernel.add(
        notifier, watch.descriptor, watch.target, other.bits | InotifyBits.add)
    } else {
      kernel.remove(notifier, number)
    }
  }

  // MARK: The descriptor

  /// Opens the descriptor and makes the driver watch it, unless both are done. The caller
  /// holds `changes`.
  private func open() -> Int32 {
    lock.lock()
    let wasLost = isLost
    let lost = wasLost ? files : [:]
    if wasLost {
      for file in files.values { file.isAlive = false }
      files = [:]
      leaving = [:]
      isLost = false
    }
    lock.unlock()
    _ = lost
    if wasLost {
      notifier = -1
      descriptorWatch = nil
    }
    if notifier < 0 {
      let made = kernel.open()
      if made < 0 { return -made }
      notifier = made
    }
    if descriptorWatch != nil { return 0 }
    let watch = DescriptorWatch(notifier, for: .readable, client: self)
    let error = kernel.watch(watch)
    if error == 0 { descriptorWatch = watch }
    return error
  }

  /// If no watch is left, ends the driver's watch and discards the events in the queue,
  /// which are out of date. The caller holds `changes`.
  private func restIfUnused() {
    guard lock.withLock({ files.isEmpty }), let watch = descriptorWatch else { return }
    kernel.unwatch(watch)
    descriptorWatch = nil
    withEvents { events in while kernel.read(notifier, into: events) > 0 {} }
    lock.lock()
    let left = leaving
    leaving = [:]
    lock.unlock()
    _ = left
  }

  private func withEvents(_ body: (UnsafeMutableBufferPointer<FileEvent>) -> Void) {
    withUnsafeTemporaryAllocation(of: FileEvent.self, capacity: Int(CSB_FILE_EVENTS), body)
  }

  // MARK: The poller

  package func isReady(_ watch: DescriptorWatch, _ events: Readiness) {
    lock.lock()
    if isReading {
      unread.append(watch)
      return lock.unlock()
    }
    isReading = true
    lock.unlock()
    readAndTell(watch)
    while let other = nextUnread() {
      readAndTell(other)
      kernel.arm(other)
    }
    // Armed earlier, this watch could bring further pollers, for which this one would read without
    // end.
    kernel.arm(watch)
  }

  private func readAndTell(_ watch: DescriptorWatch) {
    withEvents { events in
      let count = kernel.read(watch.descriptor, into: events)
      if count > 0 { tell(UnsafeBufferPointer(rebasing: events[..<count])) }
    }
  }

  /// Takes a watch for which the poller that reads must read too. If there is none, returns nil,
  /// and the caller is no longer the poller that reads.
  private func nextUnread() -> DescriptorWatch? {
    lock.lock()
    defer { lock.unlock() }
    let next = unread.popLast()
    if next == nil { isReading = false }
    return next
  }

  package func isGone(_ watch: DescriptorWatch) {
    lock.withLock { isLost = true }
    warn(
      "the program closed a descriptor that belongs to Signalbox: existing file-system-object "
        + "sources will report no more events.")
  }

  /// Informs each client once, with all the events combined.
  private func tell(_ events: UnsafeBufferPointer<FileEvent>) {
    var touched: [WatchedFile] = []
    var told: [(watch: FileWatch, news: FileNews)] = []
    lock.lock()
    for event in events { note(event, &touched) }
    for file in touched {
      for watch in file.watches {
        let news = file.news.intersection(watch.interest.union(.always))
        if !news.isEmpty { told.append((watch, news)) }
      }
      file.news = []
    }
    lock.unlock()
    for (watch, news) in told { watch.client.fileHasNews(watch, news) }
  }

  /// The caller holds the lock.
  private func note(_ event: FileEvent, _ touched: inout [WatchedFile]) {
    if event.bits & InotifyBits.overflow != 0 {
      // `ignored` events may be among the lost ones.
      leaving = [:]
      for file in files.values { note(.uncertain, of: file, &touched) }
      return
    }
    if let past = leaving[event.number] {
      if event.bits & InotifyBits.ignored != 0 {
        leaving[event.number] = past > 1 ? past - 1 : nil
      }
      return
    }
    guard let file = files[event.number] else { return }
    note(InotifyBits.news(event), of: file, &touched)
    if event.bits & InotifyBits.ignored != 0 {
      file.isAlive = false
      files[event.number] = nil
    }
  }

  private func note(_ news: FileNews, of file: WatchedFile, _ touched: inout [WatchedFile]) {
    if news.isEmpty { return }
    if file.news.isEmpty { touched.append(file) }
    file.news.formUnion(news)
  }

  // MARK: Words and figures

  /// Why a watch was refused, and what the user can do.
  package static func reason(_ error: Int32) -> String {
    switch error {
    case ENOSPC:
      "the kernel watches as many files as it may for this user (errno \(error)): raise "
        + "/proc/sys/fs/inotify/max_user_watches"
    case EMFILE:
      "too many descriptors are open, or as many inotify descriptors as this user may have "
        + "(errno \(error)): raise the limit of open files or "
        + "/proc/sys/fs/inotify/max_user_instances"
    case ENFILE: "too many files are open in the system (errno \(error))"
    case ENOENT:
      "/proc/self/fd does not show the descriptor (errno \(error)): /proc must be mounted"
    case EACCES: "the process may not read the file (errno \(error))"
    case EBADF: "the descriptor is not open (errno \(error))"
    case ENOSYS: "the kernel has no inotify (errno \(error))"
    default: "the kernel refuses to watch the file (errno \(error))"
    }
  }

  /// The number of watched files.
  package var count: Int { lock.withLock { files.count } }

  /// The events requested for a number; nil if the number is not watched.
  package func bits(of number: Int32) -> UInt32? { lock.withLock { files[number]?.bits } }

  /// In a forked child: closes the parent's descriptor.
  func abandon() {
    if notifier >= 0 && !isLost { kernel.close(notifier) }
  }
}
