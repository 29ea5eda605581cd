// SourceForms — the members of sources, called through the class, a protocol and its defaults.

import Dispatch

enum SourceForms {
  static func run() {
    let queue = DispatchQueue(label: "corpus.forms")
    throughClass(queue)
    throughProtocol(DispatchSource.makeUserDataAddSource(queue: queue), queue)
    let handler: DispatchSourceHandler = { print("a handler") }
    handler()
  }

  static func throughClass(_ queue: DispatchQueue) {
    guard
      let add = DispatchSource.makeUserDataAddSource(queue: queue) as? DispatchSource,
      let or = DispatchSource.makeUserDataOrSource(queue: queue) as? DispatchSource,
      let replace = DispatchSource.makeUserDataReplaceSource() as? DispatchSource
    else { return print("a source is no DispatchSource") }
    let told = DispatchSemaphore(value: 0)
    for source in [add, or, replace] {
      source.setEventHandler(handler: DispatchWorkItem { print("never") })
      source.setCancelHandler(handler: DispatchWorkItem { print("never") })
      source.setRegistrationHandler(handler: DispatchWorkItem { print("never") })
      source.setRegistrationHandler { told.signal() }
      source.setTarget(queue: queue)
      source.setEventHandler {
        print("told of \(source.data)")
        told.signal()
      }
      source.setCancelHandler { told.signal() }
      source.activate()
      told.wait()
    }
    add.add(data: 3)
    told.wait()
    or.or(data: 6)
    told.wait()
    replace.replace(data: 7)
    told.wait()
    for source in [add, or, replace] {
      source.suspend()
      source.resume()
      print(source.handle, source.mask, source.isCancelled)
      source.cancel()
      told.wait()
      print(source.isCancelled)
    }
  }

  static func throughProtocol<Source: DispatchSourceProtocol & DispatchSourceUserDataAdd>(
    _ source: Source, _ queue: DispatchQueue
  ) {
    let told = DispatchSemaphore(value: 0)
    source.setRegistrationHandler(qos: .default, flags: [], handler: { told.signal() })
    source.setEventHandler(qos: .default, flags: [], handler: { told.signal() })
    source.setCancelHandler(qos: .default, flags: [], handler: { told.signal() })
    source.activate()
    told.wait()
    source.add(data: 1)
    told.wait()
    queue.sync { print(source.data > 1) }
    source.suspend()
    source.setEventHandler(handler: nil)
    source.setCancelHandler(handler: nil)
    source.setRegistrationHandler(handler: nil)
    source.resume()
    source.cancel()
    queue.sync {}
    print("through the protocol", source.isCancelled, source.handle, source.mask)
  }

  /// A source of the program's own gets every member from the protocols. It is only compiled,
  /// not called: its input is for `DispatchSource` alone.
  struct Own: DispatchSourceRead, DispatchSourceWrite, DispatchSourceTimer,
    DispatchSourceUserDataAdd, DispatchSourceUserDataOr, DispatchSourceUserDataReplace
  {
    func everything(_ item: DispatchWorkItem) {
      setEventHandler(handler: item)
      setEventHandler {}
      setCancelHandler(handler: item)
      setCancelHandler {}
      setRegistrationHandler(handler: item)
      setRegistrationHandler {}
      activate()
      resume()
      suspend()
      cancel()
      add(data: handle)
      or(data: mask)
      replace(data: isCancelled ? data : 0)
    }
  }

  static func requirements(
    _ source: any DispatchSourceProtocol, _ item: DispatchWorkItem
  ) {
    source.setEventHandler(handler: item)
    source.setCancelHandler(handler: item)
    source.setRegistrationHandler(handler: item)
  }
}
