import SignalboxLocks
import Synchronization

extension Listing {
  static let number004_57 = Listing(
    "004-57", heading: "Atomic add",
    shows: "add 20 twice to 10, without and with barrier",
    outcome: "50",
    truth: "new code uses Synchronization.Atomic, which no code can access plainly by mistake",
    rows: ["A1", "A3"]
  ) { story in
    var num: Int64 = 10
    story.check(OSAtomicAdd64(20, &num), is: 30, "the sum is returned")
    OSAtomicAdd64Barrier(20, &num)
    story.check(num, is: 50, "10 and 20 and 20")
    var small: Int32 = 10
    OSAtomicAdd32(20, &small)
    OSAtomicAdd32Barrier(20, &small)
    story.check(small, is: 50, "the same with 32 bits")

    // What they are for: several threads.
    let shared = Document004.SharedNumber(0)
    let start = Rendezvous(of: 2)
    runSideBySide(2) { _ in
      start.arrive()
      for _ in 0..<10_000 { OSAtomicAdd64(20, shared.address) }
    }
    story.check(shared.value, is: 400_000, "of twenty thousand sums on two threads none is lost")

    let today = Atomic<Int64>(10)
    // order: relaxed; one thread.
    today.wrappingAdd(20, ordering: .relaxed)
    // order: relaxed; one thread.
    let sum = today.wrappingAdd(20, ordering: .relaxed).newValue
    story.check(sum, is: 50, "the same with an Atomic")
  }
}

extension Document004 {
  /// A number in memory that stays where it is, to be touched by the atomic functions only.
  final class SharedNumber: @unchecked Sendable {
    // SAFETY: what is at the address is touched by `OSAtomic…` alone. Allocated by the
    // initializer, freed by `deinit`.
    let address = UnsafeMutablePointer<Int64>.allocate(capacity: 1)

    init(_ value: Int64) { address.initialize(to: value) }

    deinit { address.deallocate() }

    var value: Int64 { OSAtomicAdd64Barrier(0, address) }
  }
}
