// PoolJob — a job of Swift's runtime as an item of the pool, in the job's own memory.
//
// A job has two words that its scheduler may use while the job waits. An item begins with two
// words, a link and a function. So the item overlays the job, and handing a job to the pool
// allocates nothing:
//
//      offset    a job                   an item
//       0        header, count
//      16        scheduler's, first      link
//      24        scheduler's, second     function
//      32        kind, priority, flags   flags
//
// The last row belongs to the runtime, which may change a priority at any time; we only read
// it. A queue of jobs uses some of the item's flags, which overlap the low bits of the kind.
// Those bits are zero for tasks (0) and actors (192); a job of another kind gets a node, like a
// closure. `JobLayout` checks this layout before the first job; if it does not match, all jobs
// get nodes.
//
// Touching    the two words: the thread that submits the job, then the thread that runs it.

import CSignalbox
import SignalboxRuntime

struct PoolJob {
  /// The item by which a queue of jobs runs the job.
  let item: ItemPointer
  /// The job's class. An actor's job is never below the default class: later callers of the
  /// actor wait behind the caller that it was queued for, and the runtime does not report that.
  let band: Band
  /// Whether the item is in the job's own memory.
  let isInPlace: Bool

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
      isInPlace = true
    } else {
      item = JobItem.make(job, PoolJob.runNode, flags: [])
      band = Band(ofJob: job.priority.rawValue)
      isInPlace = false
    }
  }

  static let runInPlace: Item.Function = { raw in
    UnownedJob(address: raw - JobLayout.privateOffset).run { $0.runSynchronously(on: .none) }
  }

  private static let runNode: Item.Function = { raw in
    JobItem.take(raw).job.run { $0.runSynchronously(on: .none) }
  }
}

extension UnownedJob {
  /// The address of the job's record.
  // SAFETY: a job consists of nothing but this address, here and below.
  @inline(__always)
  var address: UnsafeMutableRawPointer {
    unsafeBitCast(self, to: UnsafeMutableRawPointer.self)
  }

  @inline(__always)
  init(address: UnsafeMutableRawPointer) {
    self = unsafeBitCast(address, to: UnownedJob.self)  // SAFETY: see `address`.
  }

  /// Calls `body` to run the job, and shows during the call that this thread runs it.
  @inline(__always)
  func run(by body: (UnownedJob) -> Void) {
    let outer = csb_job_begin(address)
    body(self)
    csb_job_end(outer)
  }
}

extension UnownedSerialExecutor {
  /// Means that a job runs on no serial executor, as on the toolchain's own pool.
  // SAFETY: two words; the runtime gives zeros this meaning.
  @inline(__always)
  static var none: UnownedSerialExecutor {
    unsafeBitCast((0, 0), to: UnownedSerialExecutor.self)
  }
}
