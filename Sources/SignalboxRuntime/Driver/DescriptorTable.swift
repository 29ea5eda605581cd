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
// Touching    everything: under `lock`.
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
    let events: Readiness
  }

  init(_ kernel: any DriverKernel) {
    self.kernel = kernel
    capacity = 0
    entries = .allocate(capacity: 0)
  }

  deinit { entries.deallocate() }

  // MARK: Watching

  /// Registers and arms a watch.
  ///
  /// - Returns: the errno of what the kernel refused.
  func add(_ watch: DescriptorWatch) -> Int32 {
    let number = Int(watch.descriptor)
    var gone: [DescriptorWatch] = []
    let outgrown = makeRoom(for: number)
    lock.lock()
    var error: Int32 = 0
    if entries[number].isRegistered {
      error = tell(number, with: watch)
      if error == ENOENT || error == EBADF { gone = giveUp(number) }
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

  /// Arms a watch again.
  func arm(_ watch: DescriptorWatch, forNews: Bool) {
    var gone: [DescriptorWatch] = []
    lock.lock()
    if watch.table === self {
      watch.arming = forNews ? .news : .once
      let number = Int(watch.descriptor)
      let error = tell(number)
      if error != 0 { gone = giveUp(number) }
    }
    lock.unlock()
    for other in gone { end(other) }
  }

  /// Takes a watch out.
  ///
  /// - Returns: whether it was in.
  func remove(_ watch: DescriptorWatch) -> Bool {
    lock.lock()
    // In a forked child it may be in the parent's.
    guard watch.table === self else {
      lock.unlock()
      return false
    }
    let number = Int(watch.descriptor)
    unlink(watch, number)
    if entries[number].first == nil {
      // Where the descriptor is closed already, the kernel knows nothing of it.
      _ = kernel.remove(watch.descriptor)
      entries[number].isRegistered = false
      entries[number].generation &+= 1
    }
    lock.unlock()
    release(watch)
    return true
  }

  // MARK: Events

  /// Adds to `ready` who is to be told of these events.
  func collect(_ events: UnsafeBufferPointer<KernelEvent>, into ready: inout [Ready]) {
    var gone: [DescriptorWatch] = []
    lock.lock()
    for event in events where !event.isTimer {
      let number = Int(event.descriptor)
      guard number < capacity, entries[number].isRegistered,
        entries[number].generation & KernelEvent.generationMask == event.generation
      else { continue }
      if collect(event, number, into: &ready) {
        let error = tell(number)
        if error != 0 { gone += giveUp(number) }
      }
    }
    lock.unlock()
    for other in gone { end(other) }
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
      guard watch.arming != .off else { continue }
      if watch.arming == .news { hasNews = true }
      let told = EpollBits.readiness(event.bits, for: watch.interest)
      if told.isEmpty {
        othersRemain = true
        continue
      }
      if watch.arming == .once { watch.arming = .off }
      ready.append(Ready(watch: watch, events: told))
    }
    // With news among them the registration is not one that falls silent.
    return othersRemain && !hasNews
  }

  // MARK: The kernel

  private func register(_ number: Int, for watch: DescriptorWatch) -> Int32 {
    kernel.add(
      watch.descriptor, EpollBits.asking(for: watch.interest) | EpollBits.once,
      KernelEvent.token(watch.descriptor, entries[number].generation))
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
      Int32(number),
      EpollBits.asking(for: interest) | (hasNews ? EpollBits.edge : EpollBits.once),
      KernelEvent.token(Int32(number), entries[number].generation))
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
  }

  private func unlink(_ watch: DescriptorWatch, _ number: Int) {
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
  }

  /// The kernel knows nothing of this registration: the descriptor was closed.
  ///
  /// - Returns: who watched it, to be told outside the lock.
  private func giveUp(_ number: Int) -> [DescriptorWatch] {
    var gone: [DescriptorWatch] = []
    while let watch = entries[number].first {
      unlink(watch, number)
      gone.append(watch)
    }
    entries[number].isRegistered = false
    entries[number].generation &+= 1
    return gone
  }

  private func end(_ watch: DescriptorWatch) {
    watch.client.isGone(watch)
    release(watch)
  }

  private func release(_ watch: DescriptorWatch) {
    Unmanaged.passUnretained(watch).release()  // SAFETY: retained by `link`.
  }

  // MARK: Room

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
