// What `SignalboxPatterns` has, as the reference document has it: with
// semaphores, against the toolchain's Dispatch.

/// A serial queue, and a semaphore for each job.
final class AsyncSerialWorker: Sendable {
  private let serialQueue = DispatchQueue(label: "com.khanlou.serial.queue")

  func enqueueWork(_ work: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
    serialQueue.async {
      let semaphore = DispatchSemaphore(value: 0)
      work {
        semaphore.signal()
      }
      semaphore.wait()
    }
  }
}

/// A concurrent queue, and a semaphore for the limit.
final class LimitedWorker: Sendable {
  private let concurrentQueue = DispatchQueue(
    label: "com.khanlou.concurrent.queue", attributes: .concurrent)
  private let semaphore: DispatchSemaphore

  init(limit: Int) {
    semaphore = DispatchSemaphore(value: limit)
  }

  func enqueueWork(_ work: @escaping @Sendable () -> Void) {
    concurrentQueue.async {
      self.semaphore.wait()
      work()
      self.semaphore.signal()
    }
  }
}
