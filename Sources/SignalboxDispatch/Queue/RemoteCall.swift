// RemoteCall — work that runs on another thread while its caller waits.
//
// It lives on the caller's stack. The item calls the closure through it and
// then says that it is done.
//
// States      word: waiting → done.
// Touching    `body`: the caller before, the runner after submission. `word`:
//             both.
// Ordering    RC1  the runner's store of `done` (releasing) → the caller's load
//                  (acquiring): the caller sees the result.

import SignalboxRuntime
import Synchronization

struct RemoteCall: ~Copyable {
  private let item: Item
  private let word = Atomic<UInt32>(0)
  private let body: () -> Void

  private init(_ flags: Item.Flags, _ body: @escaping () -> Void) {
    self.body = body
    let function: Item.Function = { raw in
      // SAFETY: the item is the first field; the caller waits until `word` is set.
      let call = raw.assumingMemoryBound(to: RemoteCall.self)
      call.pointee.body()
      let address = wordAddress(call.pointee.word)
      call.pointee.word.store(1, ordering: .releasing)  // order: releasing, RC1
      WaitingDoor.wake(address)
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
        // SAFETY: the runner writes before `done`, the caller reads after it.
        nonisolated(unsafe) let slot = slot
        perform(on: queue, flags) { slot.pointee = Result { try work() } }
      }
    }
    return try outcome(of: result!, work, { throw $0 })
  }

  /// Gives the result back as `rethrows` wants it: `rescue` is only called with
  /// what `work` threw.
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
        // SAFETY: the item is the first field, and stays until `word` is set.
        queue.push(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: Item.self))
        // order: acquiring, RC1
        while pointer.pointee.word.load(ordering: .acquiring) == 0 {
          _ = WaitingDoor.wait(
            while: wordAddress(pointer.pointee.word), is: 0, until: .never, for: .sync,
            on: queue.resource)
        }
      }
    }
  }
}
