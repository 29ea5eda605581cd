// QueuesOfDispatch — a program that imports both modules: queues, groups, data, times.

import Dispatch
import Foundation

enum QueuesOfDispatch {
  static func run() {
    let lines = Lines()
    let queue = DispatchQueue(label: "corpus.dispatch", attributes: .concurrent)
    let group = DispatchGroup()
    for number in 0..<3 { queue.async(group: group) { lines.add("item \(number)") } }
    group.wait()
    lines.show(sorted: true)
    DispatchQueue.main.async { lines.add("on main: \(Thread.isMainThread)") }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.002) { lines.add("later") }
    group.notify(queue: .main) { lines.add("notified") }
    runLoop { lines.count == 3 }
    lines.show(sorted: true)
    let item = DispatchWorkItem(qos: .utility) { lines.add("item") }
    queue.async(execute: item)
    print(item.wait(timeout: .now() + .seconds(60)) == .success)
    data()
    source(queue)
    let limit = Date().addingTimeInterval(0.002).timeIntervalSinceNow
    print(DispatchSemaphore(value: 0).wait(timeout: .now() + limit) == .timedOut)
    let interval: TimeInterval = 100
    print(DispatchTime.now() + interval > .now())
  }

  /// Bytes of Dispatch as bytes of Foundation, and back.
  static func data() {
    let bytes: [UInt8] = [1, 2, 3, 4]
    var data = bytes.withUnsafeBytes { DispatchData(bytes: $0) }
    data.append(data)
    print(data.count, Data(data).count, data.regions.count > 0)
    print(Array(Data(data)), data.first ?? 0)
    let generic = total(data) + total(Data(bytes)) + total(bytes)
    print(generic)
  }

  static func total<Bytes: DataProtocol>(_ bytes: Bytes) -> Int {
    bytes.reduce(0) { $0 + Int($1) }
  }

  static func source(_ queue: DispatchQueue) {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    let done = DispatchSemaphore(value: 0)
    source.setEventHandler {
      var byte: UInt8 = 0
      if read(descriptor, &byte, 1) == 1 { print("byte \(byte)") }
      done.signal()
    }
    source.setCancelHandler { done.signal() }
    source.activate()
    pipe.fileHandleForWriting.write(Data([9]))
    done.wait()
    source.cancel()
    // The pipe closes the descriptor, which is the source's until then.
    done.wait()
  }
}
