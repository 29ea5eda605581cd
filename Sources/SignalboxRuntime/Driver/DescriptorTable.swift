// DescriptorTable — the watches of each descriptor, and its registration in the kernel.
//
// The kernel knows a registration by number and open file together. It drops the
// registration when the last reference to the file is closed, and the number can be used
// again at once. So each number has a generation, which the kernel returns with every
// event. If the kernel refuses a step because it knows no such registration, the
// descriptor was closed while it had watches, and the watches of that generation end. An
// event of one file therefore never reaches a watch of another.
//
// All watches of a descriptor share one registration. It reports one event and is then
// silent until it is changed. Watches that the event did not concern are armed again at
// once.
//
// Touching    everything: under `lock`; any thread reads `count`.
// Invariants  I1  a watch is in the list of its descriptor ⇔ the table holds a
//                 reference to it.
//             I2  a watch is armed ⇒ the kernel's registration covers it, or the
//                 thread that armed it holds the lock and is about to change the
//                 registration.
//             I3  the generation advances each time a registration is given up: an
//                 event with an older generation is out of date.
// Rejected    a duplicate of the descriptor for each watch, which would make generations
//             unnecessary: duplicates double the number of descriptors, and keep the file open
//             after its owner has closed the descriptor.

import CSignalbox

final class DescriptorTable: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private let kernel: any DriverKernel
  /// The number of watches in the table. Written under the lock; see `Driver.watch`.
  let count = SingleWriter<Int>(0)
  /// The descriptors of this table are those whose remainder is `share` when divided by
  /// `shares`.
  private let share: Int32
  private let shares: Int32
  private let watches: WatchCount
  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int

  /// The state of one descriptor number.
  private struct Entry {
    var generation: UInt32 = 0
    var isRegistered = false
    // SAFETY: retained by the table.
    unowned(unsafe) var first: DescriptorWatch?
  }

  /// A watch to inform, and its events.
  struct Ready {
    let watch: DescriptorWatch
    let client: any DescriptorClient
    let events: Readiness
  }

  /// A watch that has ended permanently, and the client to inform.
  struct Gone {
    let watch: DescriptorWatch
    let client: (any DescriptorClient)?
  }

  /// - Parameter watches: counts the watches of several tables.
  init(
    _ kernel: any DriverKernel, share: Int32 = 0, of shares: Int32 = 1,
    _ watches: WatchCount = WatchCount()
  ) {
    self.watches = watches
    self.kernel = kernel
    self.share = share
    self.shares = shares
    capacity = 0
    entries = .allocate(capacity: 0)
  }

  deinit { entries.deallocate() }

  private func index(of descriptor: Int32) -> Int { Int(descriptor / shares) }
  private func descriptor(at index: Int) -> Int32 { Int32(index) * shares + share }

  // MARK: Watching

  /// Registers and arms a watch.
  ///
  /// - Returns: the errno with which the kernel refused, or 0.
  func add(_ watch: DescriptorWatch) -> Int32 {
    let number = index(of: watch.descriptor)
    if isBeyondWhatIsOpen(number) { return EBADF }
    var gone: [Gone] = []
    let outgrown = makeRoom(for: number)
    lock.lock()
    var error: Int32 = 0
    if entries[number].isRegistered {
      error = tell(number, with: watch)
      if error == ENOENT || error == EBADF { gone = giveUp(number, error) }
    }
    if !entries[number].isRegistered {
      error = register(number, for: watch)
    }
    if error == 0 { link(watch, number) }
    lock.unlock()
    outgrown?.deallocate()
    for other in gone { end(other) }
    return error
  }

  /// Arms a watch again. An edge-triggered watch (`forNews`) stays armed and is not
  /// changed: each change of the registration makes the kernel look again, so the kernel would
  /// report the same hang-up forever.
  func arm(_ watch: DescriptorWatch, forNews: Bool) {
    var gone: [Gone] = []
    lock.lock()
    if watch.table === self, !(forNews && watch.arming == .news) {
      watch.arming = forNews ? .news : .once
      let number = index(of: watch.descriptor)
      let error = tell(number)
      if error != 0 { gone = giveUp(number, error) }
    }
    lock.unlock()
    for other in gone { end(other) }
  }

  /// Removes a watch, if this table holds it. In a forked child the parent's table may
  /// hold it.
  func remove(_ watch: DescriptorWatch) {
    lock.lock()
    guard watch.table === self else { return lock.unlock() }
    let number = index(of: watch.descriptor)
    let gone = unlink(watch, number)
    if entries[number].first == nil {
      // If the descriptor is closed already, the kernel has forgotten the registration.
      _ = kernel.remove(watch.descriptor)
      entries[number].isRegistered = false
      entries[number].generation &+= 1
    }
    lock.unlock()
    release(watch)
    // This may free the client, so it happens outside the lock.
    withExtendedLifetime(gone) {}
  }

  // MARK: Events

  /// Adds to `found` the watches that this event concerns.
  func collect(_ event: KernelEvent, into found: inout Driver.Found) {
    let number = index(of: event.descriptor)
    lock.lock()
    if number < capacity, entries[number].isRegistered,
      entries[number].generation & KernelEvent.generationMask == event.generation,
      collect(event, number, into: &found.ready)
    {
      let error = tell(number)
      if error != 0 { found.gone += giveUp(number, error) }
    }
    lock.unlock()
  }

  /// - Returns: whether the registration must be changed because other watches remain
  ///   armed.
  private func collect(
    _ event: KernelEvent, _ number: Int, into ready: inout [Ready]
  ) -> Bool {
    var next = entries[number].first
    var othersRemain = false
    var hasNews = false
    while let watch = next {
      next = watch.next
      guard watch.arming != .off, let client = watch.client else { continue }
      if watch.arming == .news { hasNews = true }
      let told = EpollBits.readiness(event.bits, for: watch.interest)
      if told.isEmpty {
        othersRemain = true
        continue
      }
      if watch.arming == .once { watch.arming = .off }
      ready.append(Ready(watch: watch, client: client, events: told))
    }
    // If an edge-triggered watch is among them, the registration is edge-triggered and
    // does not fall silent.
    return othersRemain && !hasNews
  }

  // MARK: The kernel

  private func register(_ number: Int, for watch: DescriptorWatch) -> Int32 {
    let bits = EpollBits.asking(for: watch.interest) | EpollBits.once
    let token = KernelEvent.token(watch.descriptor, entries[number].generation)
    let error = kernel.add(watch.descriptor, bits, token)
    // EEXIST: the descriptor was closed while it was watched, but the file stayed open in a
    // duplicate or in another process. Now the file has its old number again.
    return error == EEXIST ? kernel.change(watch.descriptor, bits, token) : error
  }

  /// Sets the kernel's registration to the interests of all armed watches of `number`,
  /// and of `newcomer`.
  private func tell(_ number: Int, with newcomer: DescriptorWatch? = nil) -> Int32 {
    var interest = newcomer?.interest ?? []
    var hasNews = false
    var next = entries[number].first
    while let watch = next {
      next = watch.next
      if watch.arming == .off { continue }
      interest.formUnion(watch.interest)
      if watch.arming == .news { hasNews = true }
    }
    return kernel.change(
      descriptor(at: number),
      EpollBits.asking(for: interest) | (hasNews ? EpollBits.edge : EpollBits.once),
      KernelEvent.token(descriptor(at: number), entries[number].generation))
  }

  // MARK: Lists

  private func link(_ watch: DescriptorWatch, _ number: Int) {
    _ = Unmanaged.passRetained(watch)  // SAFETY: released by `release`.
    watch.table = self
    watch.arming = .once
    watch.previous = nil
    watch.next = entries[number].first
    entries[number].first?.previous = watch
    entries[number].first = watch
    entries[number].isRegistered = true
    count.add(1)
    watches.add(1)
  }

  private func unlink(_ watch: DescriptorWatch, _ number: Int) -> Gone {
    if let previous = watch.previous {
      previous.next = watch.next
    } else {
      entries[number].first = watch.next
    }
    watch.next?.previous = watch.previous
    watch.next = nil
    watch.previous = nil
    watch.arming = .off
    watch.table = nil
    count.add(-1)
    watches.add(-1)
    let gone = Gone(watch: watch, client: watch.client)
    watch.client = nil
    return gone
  }

  /// Ends all watches of a number after the kernel refused a change of its registration,
  /// usually because the descriptor was closed.
  ///
  /// - Returns: the watches, to inform outside the lock.
  private func giveUp(_ number: Int, _ error: Int32) -> [Gone] {
    // After any other error the kernel still has the registration.
    if error != ENOENT && error != EBADF { _ = kernel.remove(descriptor(at: number)) }
    var gone: [Gone] = []
    while let watch = entries[number].first { gone.append(unlink(watch, number)) }
    entries[number].isRegistered = false
    entries[number].generation &+= 1
    return gone
  }

  /// Informs the client of a watch that has ended. Call it outside the lock.
  func end(_ gone: Gone) {
    gone.client?.isGone(gone.watch)
    release(gone.watch)
  }

  private func release(_ watch: DescriptorWatch) {
    Unmanaged.passUnretained(watch).release()  // SAFETY: retained by `link`.
  }

  // MARK: Room

  /// Whether the table would have to grow for a number that no file has. The kernel would
  /// refuse the number, but only after the table had grown.
  private func isBeyondWhatIsOpen(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    // Nothing is registered for this number, so this removes nothing. The errno tells whether
    // the number is open.
    return number >= capacity && kernel.remove(descriptor(at: number)) == EBADF
  }

  /// - Returns: memory to free outside the lock.
  private func makeRoom(for number: Int) -> UnsafeMutablePointer<Entry>? {
    lock.lock()
    let isThere = number < capacity
    lock.unlock()
    if isThere { return nil }
    let wanted = max(64, (number + 1).nextPowerOfTwo)
    let larger = UnsafeMutablePointer<Entry>.allocate(capacity: wanted)
    larger.initialize(repeating: Entry(), count: wanted)
    lock.lock()
    defer { lock.unlock() }
    // Another thread may have grown the table first.
    guard capacity < wanted else { return larger }
    larger.update(from: entries, count: capacity)
    let outgrown = entries
    entries = larger
    capacity = wanted
    return outgrown
  }

  // MARK: Fork

  func lockForFork() { lock.lock() }
  func unlockAfterFork() { lock.unlock() }
}

extension Int {
  fileprivate var nextPowerOfTwo: Int {
    self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount)
  }
}
