// RemoteCall — runs work on another thread while its caller waits.
//
// The call lives on the caller's stack. Its item calls the closure and then sets `word`.
//
// If the work forks, the child's thread returns from it too. The caller does not exist there, and a
// new thread may use its stack: from then on, the runner touches nothing of the call.
//
// States      word: waiting → done.
// Touching    `body` and `caller`: the calling thread before submission, the runner after it.
//             `word`: both threads.
// Ordering    RC1  the runner's store of `done` (releasing) → the caller's load (acquiring): the
//                  caller sees the result.

import SignalboxRuntime
import Synchronization

struct RemoteCall: ~Copyable {
  private let item: Item
  private let word = Atomic<UInt32>(0)
  private let body: () -> Void
  /// What the caller holds while it waits.
  private let caller = ThreadStack.ofThisThread

  private init(_ flags: Item.Flags, _ body: @escaping () -> Void) {
    self.body = body
    let function: Item.Function = { raw in
      // SAFETY: the item is the first field; the caller waits until `word` is set.
      let call = raw.assumingMemoryBound(to: RemoteCall.self)
      // A copy on this thread's stack: in a forked child, the caller's stack may be in use again.
      let caller = call.pointee.caller
      let forks = Fork.count
      withUnsafePointer(to: caller) { ThreadHold.with($0, .caller) { call.pointee.body() } }
      if Fork.count != forks { return }
      let address = wordAddress(call.pointee.word)
      call.pointee.word.store(1, ordering: .releasing)  // order: releasing, RC1
      Parking.wake(address)
    }
    item = Item(function, flags: flags)
  }

  /// Runs `work` as an item of `queue` and returns its result.
  static func run<T>(
    on queue: DispatchQueue, flags: Item.Flags = [], _ work: () throws -> T
  ) rethrows -> T {
    var result: Result<T, any Error>?
    withoutActuallyEscaping(work) { work in
      withUnsafeMutablePointer(to: &result) { slot in
        // SAFETY: the runner writes before it stores `done`; the caller reads after it has seen
        // `done`.
        nonisolated(unsafe) let slot = slot
        perform(on: queue, flags) {
          let forks = Fork.count
          let returned: Result<T, any Error> = Result { try work() }
          // Otherwise the work has forked, and this is the child: nobody waits for the result.
          if Fork.count == forks { slot.pointee = returned }
        }
      }
    }
    return try outcome(of: result!, work, { throw $0 })
  }

  /// Returns or throws the result in a form that `rethrows` accepts: it calls `rescue` only with
  /// an error that `work` threw.
  private static func outcome<T>(
    of result: Result<T, any Error>, _ work: () throws -> T, _ rescue: (any Error) throws -> T
  ) rethrows -> T {
    switch result {
    case .success(let value): return value
    case .failure(let error): return try rescue(error)
    }
  }

  private static func perform(
    on queue: DispatchQueue, _ flags: Item.Flags, _ body: () -> Void
  ) {
    withoutActuallyEscaping(body) { body in
      var call = RemoteCall(flags, body)
      withUnsafeMutablePointer(to: &call) { pointer in
        // SAFETY: the item is the first field, and lives until `word` is set.
        queue.push(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Item.self))
        // `push` has sent an urgent drain task where one helps. The main thread is no worker. If
        // the item has run already, this may boost the next owner until the end of its runnable.
        if queue.shape != .main { queue.hurry(isMoreUrgent: false) }
        // order: acquiring, RC1
        while pointer.pointee.word.load(ordering: .acquiring) == 0 {
          _ = Parking.wait(
            while: wordAddress(pointer.pointee.word), is: 0, until: .never, for: .sync,
            on: queue.resource)
        }
      }
    }
  }
}
