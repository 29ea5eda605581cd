// DescriptorSources — a pipe that is read and written when it is ready.

import Dispatch
import Glibc

enum DescriptorSources {
  static func run() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return print("no pipe") }
    let (reading, writing) = (ends[0], ends[1])
    let queue = DispatchQueue(label: "corpus.descriptors")
    let lines = Lines()
    let told = DispatchSemaphore(value: 0)

    let reader: DispatchSourceRead = DispatchSource.makeReadSource(
      fileDescriptor: reading, queue: queue)
    print(Int32(reader.handle) == reading, reader.mask)
    reader.setEventHandler {
      let available = Int(reader.data)
      var bytes = [UInt8](repeating: 0, count: max(available, 1))
      let got = read(reading, &bytes, bytes.count)
      lines.add("available \(available), read \(got)")
      told.signal()
    }
    reader.setCancelHandler {
      close(reading)
      lines.add("the reader is cancelled")
      told.signal()
    }
    reader.activate()

    let writer: DispatchSourceWrite = DispatchSource.makeWriteSource(
      fileDescriptor: writing, queue: queue)
    writer.setEventHandler {
      lines.add("ready to be written")
      writer.cancel()
    }
    writer.setCancelHandler {
      lines.add("the writer is cancelled")
      told.signal()
    }
    writer.resume()
    told.wait()
    lines.show()

    print(write(writing, "hello", 5))
    told.wait()
    print(write(writing, "hello, world", 12))
    told.wait()
    lines.show()
    // Cancelled before the end of the stream. If a source is cancelled during a hang-up, the
    // toolchain reports the hang-up through the freed source and crashes in 2 of 100 runs (see
    // `DescriptorTests`).
    reader.cancel()
    told.wait()
    close(writing)
    queue.sync {}
    lines.show()
  }
}
