// PoolJob — a job of Swift's runtime as an item of the pool, in the job's own memory.
//
// A job has two words that are its scheduler's while it waits to be run. An item begins with
// two words, a link and a function. So the one is laid upon the other, and handing a job to the
// pool allocates nothing:
//
//      offset    a job                   an item
//       0        header, count
//      16        scheduler's, first      link
//      24        scheduler's, second     function
//      32        kind, priority, flags   flags
//
// The last line is the runtime's, which may change a priority at any time: it is only read.
// A queue of jobs heeds some of the item's flags, which are the low bits of the kind. They
// are nil for tasks (0) and for actors (192); a job of another kind gets a node like a
// closure's. That the layout is this one is looked at before the first job comes
// (`JobLayout`); if it is not, all get nodes.
//
// Touching    the two words: who submits the job, then who runs it.

import SignalboxRuntime

struct PoolJob {
  /// By which a queue of jobs runs it.
  let item: ItemPointer
  /// How urgent it is. An actor is never less urgent than usual: whoever calls it next waits
  /// behind the one for whom it was called, and the runtime does not tell of that.
  let band: Band

  private static var heeded: UInt32 { 0x0F }
  private static var kind: UInt32 { 0xFF }

  @inline(__always)
  init(_ job: UnownedJob) {
    let raw = job.address
    let word = raw.load(fromByteOffset: JobLayout.wordOffset, as: UInt32.self)
    if JobLayout.isKnown && word & PoolJob.heeded == 0 {
      item = Item.overlay(raw + JobLayout.privateOffset, PoolJob.runInPlace)
      let own = Band(ofJob: UInt8(truncatingIfNeeded: word >> 8))
      band = word & PoolJob.kind == 0 ? own : max(own, .standard)
    } else {
      item = JobItem.make(job, PoolJob.runNode, flags: [])
      band = Band(ofJob: job.priority.rawValue)
    }
  }

  private static let runInPlace: Item.Function = { raw in
    UnownedJob(address: raw - JobLayout.privateOffset).runSynchronously(on: .none)
  }

  private static let runNode: Item.Function = { raw in
    JobItem.take(raw).job.runSynchronously(on: .none)
  }
}

extension UnownedJob {
  /// The address of its record.
  // SAFETY: a job is nothing else, here and below.
  @inline(__always)
  var address: UnsafeMutableRawPointer {
    unsafeBitCast(self, to: UnsafeMutableRawPointer.self)
  }

  @inline(__always)
  init(address: UnsafeMutableRawPointer) {
    self = unsafeBitCast(address, to: UnownedJob.self)  // SAFETY: as above.
  }
}

extension UnownedSerialExecutor {
  /// Says that a job runs on no serial executor, as on the toolchain's own pool.
  // SAFETY: two words, which the runtime takes to mean that when they are zero.
  @inline(__always)
  static var none: UnownedSerialExecutor {
    unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
  }
}
