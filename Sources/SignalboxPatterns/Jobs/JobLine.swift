// JobLine — jobs in the order of arrival, in segments of a fixed size.
//
// A burst of jobs costs one allocation per segment, and no job is ever moved. One spent segment is
// kept for the next burst; the caller frees any other spent segment while it holds no lock.
//
// Touching    everything: under the lock of the line's owner.
// Rejected    an array: it grows by copying, and frees its old memory under the lock. A node
//             for each job: allocating memory on one core and freeing it on another is the
//             largest cost of a submission.

import SignalboxRuntime

enum Job {
  /// Over when it returns.
  case work(() -> Void)
  /// Over when it has returned and its done block was called.
  case asynchronousWork((@escaping DoneBlock) -> Void)
}

struct JobLine: ~Copyable {
  /// Memory for a fixed number of jobs, after a link to the next segment.
  struct Segment {
    /// As many as fit into a kilobyte with the link: a page holds a few segments, and the
    /// allocator is called once per segment.
    static let capacity = 63
    private static let offset = max(
      MemoryLayout<Segment>.stride, MemoryLayout<Job>.alignment)

    var next: UnsafeMutablePointer<Segment>?

    static func make() -> UnsafeMutablePointer<Segment> {
      let raw = UnsafeMutableRawPointer.allocate(
        byteCount: offset + capacity * MemoryLayout<Job>.stride, alignment: 16)
      // SAFETY: fresh memory with room for the link and the jobs.
      (raw + offset).bindMemory(to: Job.self, capacity: capacity)
      let segment = raw.bindMemory(to: Segment.self, capacity: 1)
      segment.initialize(to: Segment(next: nil))
      return segment
    }

    static func jobs(_ segment: UnsafeMutablePointer<Segment>) -> UnsafeMutablePointer<Job> {
      // SAFETY: bound by `make`.
      (UnsafeMutableRawPointer(segment) + offset).assumingMemoryBound(to: Job.self)
    }

    /// Frees segments that hold no jobs.
    static func free(_ first: UnsafeMutablePointer<Segment>?) {
      var segment = first
      while let spent = segment {
        segment = spent.pointee.next
        UnsafeMutableRawPointer(spent).deallocate()
      }
    }
  }

  private var head: UnsafeMutablePointer<Segment>?
  private var headIndex = 0
  private var tail: UnsafeMutablePointer<Segment>?
  private var tailIndex = 0
  /// Kept for the next burst.
  private var spare: UnsafeMutablePointer<Segment>?
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ job: consuming Job) {
    if tail == nil || tailIndex == Segment.capacity { extend() }
    (Segment.jobs(tail!) + tailIndex).initialize(to: job)
    tailIndex += 1
    count += 1
  }

  @inline(never)
  private mutating func extend() {
    let segment = spare ?? Segment.make()
    spare = nil
    if let tail { tail.pointee.next = segment } else { head = segment }
    tail = segment
    tailIndex = 0
  }

  /// - Parameter spent: receives a segment that the caller must free.
  mutating func removeFirst(spent: inout UnsafeMutablePointer<Segment>?) -> Job? {
    guard count > 0 else { return nil }
    let job = (Segment.jobs(head!) + headIndex).move()
    headIndex += 1
    count -= 1
    if count == 0 {
      // No job is left, so the segment starts over.
      headIndex = 0
      tailIndex = 0
    } else if headIndex == Segment.capacity {
      leaveFirstSegment(spent: &spent)
    }
    return job
  }

  @inline(never)
  private mutating func leaveFirstSegment(spent: inout UnsafeMutablePointer<Segment>?) {
    let left = head!
    head = left.pointee.next
    headIndex = 0
    left.pointee.next = nil
    if spare == nil { spare = left } else { spent = left }
  }

  /// Frees the memory of an empty line.
  consuming func release() {
    if count > 0 { internalBug("a line of jobs was released with \(count) jobs in it") }
    Segment.free(head)
    Segment.free(spare)
  }
}
