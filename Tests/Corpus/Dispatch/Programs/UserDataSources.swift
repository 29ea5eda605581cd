// UserDataSources — sources that a program feeds itself: add, or, replace.

import Dispatch

enum UserDataSources {
  static func run() {
    let queue = DispatchQueue(label: "corpus.user-data")
    added(queue)
    ored(queue)
    replaced(queue)
  }

  static func added(_ queue: DispatchQueue) {
    let lines = Lines()
    let told = DispatchSemaphore(value: 0)
    let source: DispatchSourceUserDataAdd = DispatchSource.makeUserDataAddSource(queue: queue)
    source.setRegistrationHandler {
      lines.add("registered")
      told.signal()
    }
    source.setEventHandler {
      lines.add("added \(source.data)")
      told.signal()
    }
    source.setCancelHandler {
      lines.add("cancelled")
      told.signal()
    }
    source.activate()
    told.wait()
    source.add(data: 5)
    told.wait()
    source.suspend()
    for _ in 0..<4 { source.add(data: 2) }
    source.resume()
    told.wait()
    print(source.isCancelled, source.handle, source.mask)
    source.cancel()
    told.wait()
    print(source.isCancelled)
    source.add(data: 1)
    queue.sync {}
    lines.show()
  }

  static func ored(_ queue: DispatchQueue) {
    let lines = Lines()
    let told = DispatchSemaphore(value: 0)
    let source: any DispatchSourceUserDataOr = DispatchSource.makeUserDataOrSource(queue: queue)
    source.setEventHandler(qos: .utility, flags: []) {
      lines.add("or-ed \(source.data)")
      told.signal()
    }
    source.setCancelHandler(qos: .utility, flags: []) { told.signal() }
    source.setRegistrationHandler(qos: .utility, flags: []) { told.signal() }
    source.resume()
    told.wait()
    // A run that has called the registration handler may go on with an event.
    queue.sync {}
    source.suspend()
    source.or(data: 0b0011)
    source.or(data: 0b0110)
    source.resume()
    told.wait()
    source.cancel()
    told.wait()
    lines.show()
  }

  static func replaced(_ queue: DispatchQueue) {
    let lines = Lines()
    let told = DispatchSemaphore(value: 0)
    let source: DispatchSourceUserDataReplace = DispatchSource.makeUserDataReplaceSource(
      queue: queue)
    source.setEventHandler(
      handler: DispatchWorkItem {
        lines.add("replaced by \(source.data)")
        told.signal()
      })
    source.setCancelHandler(handler: DispatchWorkItem { told.signal() })
    source.setRegistrationHandler(handler: DispatchWorkItem { told.signal() })
    source.activate()
    told.wait()
    queue.sync {}
    source.suspend()
    source.replace(data: 4)
    source.replace(data: 9)
    source.resume()
    told.wait()
    source.cancel()
    told.wait()
    lines.show()
  }
}
