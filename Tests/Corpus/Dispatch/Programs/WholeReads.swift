// WholeReads — the convenience forms that read or write a descriptor once.

import Dispatch
import Glibc

enum WholeReads {
  static func run() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return print("no pipe") }
    let queue = DispatchQueue(label: "corpus.whole")
    let done = DispatchSemaphore(value: 0)
    DispatchIO.write(
      toFileDescriptor: ends[1], data: Channels.data("through a pipe"), runningHandlerOn: queue
    ) { rest, error in
      print("left", rest?.count ?? 0, error)
      done.signal()
    }
    done.wait()
    DispatchIO.read(fromFileDescriptor: ends[0], maxLength: 7, runningHandlerOn: queue) {
      data, error in
      print(Channels.text(data), error)
      done.signal()
    }
    done.wait()
    close(ends[1])
    DispatchIO.read(fromFileDescriptor: ends[0], maxLength: .max, runningHandlerOn: queue) {
      data, error in
      print(Channels.text(data), error)
      done.signal()
    }
    done.wait()
    close(ends[0])
  }
}
