// DescriptorTable — who watches which descriptor, and what the kernel was told.
//
// The kernel knows a registration by number and open file together, and drops it when
// the file is closed for good; a number is re-used at once. So each number has a
// generation, which the kernel hands back with every event, and every step that the
// kernel refuses because it knows no such registration ends the watches of that
// generation: their descriptor was closed under them. No event of one file can
// reach who watched another.
//
// All watches of a descriptor share one registration, which tells one event and is
// then silent until it is changed. Whoever was not told is armed again at once.
//
// Touching    everything: under `lock`; `count` is read by any thread.
// Invariants  I1  a watch is in the list of its descriptor ⇔ the table holds a
//                 reference to it.
//             I2  a watch is armed ⇒ the kernel was told, or whoever armed it holds
//                 the lock and is about to tell it.
//             I3  the generation moves on with each registration given up: an event
//                 that carries an older one is of the past.
// Rejected    a duplicate of the descriptor for each watch, which would need none of
//             this: twice the descriptors, and a file that stays open after its
//             owner closed it.

import CSignalbox
import Synchronization

final class DescriptorTable: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private let kernel: any DriverKernel
  /// How many watches are in.
  let count = Atomic<Int>(0)
  /// Which descriptors it is for: those that leave `share` when divided by `shares`.
  private let share: Int32
  private let shares: Int32
  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int

  /// What is known of a descriptor's number.
  private struct Entry {
    var generation: UInt32 = 0
    var isRegistered = false
    // SAFETY: retained by the table.
    unowned(unsafe) var first: DescriptorWatch?
  }

  /// A watch that is to be told, and what.
  struct Ready {
    let watch: DescriptorWatch
    let client: any DescriptorClient
    let events: Readiness
  }

  /// A watch that is off for good, and who was to be told.
  struct Gone {
    let watch: DescriptorWatch
    let client: (any DescriptorClient)?
  }

  init(_ kernel: any DriverKernel, share: Int32 = 0, of shares: Int32 = 1) {
    self.kernel = kernel
    self.share = share
    self.shares = shares
    capacity = 0
    entries = .allocate(capacity: 0)
  }

  deinit { entries.deallocate() }

  private func place(of descriptor: Int32) -> Int { Int(descriptor / shares) }
  private func descriptor(at place: Int) -> Int32 { Int32(place) * shares + share }

  // MARK: Watching

  /// Registers and arms a watch.
  ///
  /// - Returns: the errno of what the kernel refused.
  func add(_ watch: DescriptorWatch) -> Int32 {
    let number = place(of: watch.descriptor)
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

  /// Arms a watch again. One for news stays armed: each time that the kernel is told it
  /// looks anew, and would tell the same hang-up for ever.
  func arm(_ watch: DescriptorWatch, forNews: Bool) {
    var gone: [Gone] = []
    lock.lock()
    if watch.table === self, !(forNews && watch.arming == .news) {
      watch.arming = forNews ? .news : .once
      let number = place(of: watch.descriptor)
      let error = tell(number)
      if error != 0 { gone = giveUp(number, error) }
    }
    lock.unlock()
    for other in gone { end(other) }
  }

  /// Takes a watch out, if it is in. In a forked child it may be in the parent's.
  func remove(_ watch: DescriptorWatch) {
    lock.lock()
    guard watch.table === self else { return lock.unlock() }
    let number = place(of: watch.descriptor)
    let gone = unlink(watch, number)
    if entries[number].first == nil {
      // Where the descriptor is closed already, the kernel knows nothing of it.
      _ = kernel.remove(watch.descriptor)
      entries[number].isRegistered = false
      entries[number].generation &+= 1
    }
    lock.unlock()
    release(watch)
    // The client may be freed by it, outside the lock.
    withExtendedLifetime(gone) {}
  }

  // MARK: Events

  /// Adds to `found` who is to be told of this event.
  func collect(_ event: KernelEvent, into found: inout Driver.Found) {
    let number = place(of: event.descriptor)
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

  /// - Returns: whether others remain armed of whom the kernel has forgotten.
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
    // With news among them the registration is not one that falls silent.
    return othersRemain && !hasNews
  }

  // MARK: The kernel

  private func register(_ number: Int, for watch: DescriptorWatch) -> Int32 {
    let bits = EpollBits.asking(for: watch.interest) | EpollBits.once
    let token = KernelEvent.token(watch.descriptor, entries[number].generation)
    let error = kernel.add(watch.descriptor, bits, token)
    // A file that was closed under its watch and stayed open elsewhere, in a duplicate or
    // another process, and now has its number back.
    return error == EEXIST ? kernel.change(watch.descriptor, bits, token) : error
  }

  /// Tells the kernel what all armed watches of `number` want, and one that is to come.
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
    count.wrappingAdd(1, ordering: .relaxed)  // order: relaxed; changed under the lock.
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
    count.wrappingSubtract(1, ordering: .relaxed)  // order: relaxed; changed under the lock.
    let gone = Gone(watch: watch, client: watch.client)
    watch.client = nil
    return gone
  }

  /// The kernel knows nothing of this registration: the descriptor was closed.
  ///
  /// - Returns: who watched it, to be told outside the lock.
  private func giveUp(_ number: Int, _ error: Int32) -> [Gone] {
    // Refused for another reason, it would remain.
    if error != ENOENT && error != EBADF { _ = kernel.remove(descriptor(at: number)) }
    var gone: [Gone] = []
    while let watch = entries[number].first { gone.append(unlink(watch, number)) }
    entries[number].isRegistered = false
    entries[number].generation &+= 1
    return gone
  }

  /// Tells one that is off for good. Outside the lock.
  func end(_ gone: Gone) {
    gone.client?.isGone(gone.watch)
    release(gone.watch)
  }

  private func release(_ watch: DescriptorWatch) {
    Unmanaged.passUnretained(watch).release()  // SAFETY: retained by `link`.
  }

  // MARK: Room

  /// Whether the table would have to grow for a number that no file has: the kernel would
  /// refuse it, after the table has become as large as the number.
  private func isBeyondWhatIsOpen(_ number: Int) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    // Nothing can be removed there; the kernel says why.
    return number >= capacity && kernel.remove(descriptor(at: number)) == EBADF
  }

  /// - Returns: memory to be freed outside the lock.
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
    // Another may have been quicker.
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
