import CBenchmark
import Glibc
import Synchronization

extension Subject {
  /// A file in the page cache, read whole, again and again; the handler adds up what came.
  static let fileRead = Subject(
    name: "io-file-read",
    title: "`DispatchIO` read of a 1 GiB file, warm, per MiB",
    goal: .ratio(0.83, required: false),
    leastOperations: 1_024, countedOperations: 64,
    measurement: .cost {
      let file = WarmFile(mebibytes: 1_024)
      let queue = DispatchQueue(label: "io-file-read")
      return { operations in
        let channel = DispatchIO(type: .random, fileDescriptor: file.descriptor, queue: queue) {
          _ in
        }
        var left = operations
        while left > 0 {
          let part = min(left, 1_024)
          file.read(part << 20, through: channel, on: queue)
          left -= part
        }
        channel.close()
      }
    })
}

/// A file without a name, written as far as it was ever read.
private final class WarmFile: Sendable {
  let descriptor: Int32
  private let written = Atomic<Int>(0)
  private let limit: Int

  init(mebibytes: Int) {
    limit = mebibytes << 20
    var name = Array("/tmp/signalbox-bench-XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    precondition(descriptor >= 0, "mkstemp: errno \(errno)")
    unlink(name)
  }

  deinit { close(descriptor) }

  /// Reads so many bytes from the beginning and waits for the last.
  func read(_ size: Int, through channel: DispatchIO, on queue: DispatchQueue) {
    fill(size)
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var total = 0  // SAFETY: the handler's calls, then whoever waits for them.
    channel.read(offset: 0, length: size, queue: queue) { isDone, data, error in
      precondition(error == 0, "read: errno \(error)")
      total += data?.count ?? 0
      if isDone { done.signal() }
    }
    done.wait()
    precondition(total == size, "read \(total) of \(size) bytes")
  }

  private func fill(_ size: Int) {
    // order: relaxed; one thread measures.
    var end = written.load(ordering: .relaxed)
    if end >= size { return }
    let chunk = [UInt8](repeating: 7, count: 1 << 20)
    while end < size {
      let count = pwrite(descriptor, chunk, chunk.count, off_t(end))
      precondition(count > 0, "pwrite: errno \(errno)")
      end += count
    }
    written.store(end, ordering: .relaxed)  // order: relaxed; as above.
  }
}
