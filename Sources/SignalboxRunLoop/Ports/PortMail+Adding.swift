// PortMail+Adding — to which modes of which loops a port was added by `RunLoop.add`, so that it is
// scheduled once in each, and kept by those loops.
//
// A port of a class that schedules itself in its own way has no places, and is kept all the same.

extension PortMail {
  /// A mode of a loop, by the name that was given; the common modes are one of their own.
  struct Adding {
    let loop: CFRunLoop
    let name: CFRunLoopMode
  }

  /// Notes that a loop has the port in a mode, and has the loop keep it.
  ///
  /// - Returns: whether that is new. One that is not valid, or whose loop has ended, is not
  ///   kept, and always new.
  func noteAdded(_ port: Port, to loop: CFRunLoop, _ name: CFRunLoopMode) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard isValid else { return true }
    if added.contains(where: { $0.loop === loop && $0.name == name }) { return false }
    let isKept = loop.lock.withLock {
      if loop.hasEnded { return false }
      loop.addedPorts[ObjectIdentifier(port)] = port
      return true
    }
    if isKept { added.append(Adding(loop: loop, name: name)) }
    return true
  }

  /// - Returns: whether the loop had the port in that mode.
  func noteRemoved(_ port: Port, from loop: CFRunLoop, _ name: CFRunLoopMode) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    guard let index = added.firstIndex(where: { $0.loop === loop && $0.name == name }) else {
      return false
    }
    added.remove(at: index)
    if !added.contains(where: { $0.loop === loop }) { letGo(of: port, loop) }
    return true
  }

  /// The port is not valid any more: no loop keeps it.
  func leaveAllLoops(_ port: Port) {
    lock.lock()
    defer { lock.unlock() }
    for one in added { letGo(of: port, one.loop) }
    added = []
  }

  /// A loop's thread has ended. The loop keeps the port no more.
  func forget(_ loop: CFRunLoop) { lock.withLock { added.removeAll { $0.loop === loop } } }

  /// With the lock. The caller has a reference to the port besides.
  private func letGo(of port: Port, _ loop: CFRunLoop) {
    loop.lock.withLock { loop.addedPorts[ObjectIdentifier(port)] = nil }
  }
}
