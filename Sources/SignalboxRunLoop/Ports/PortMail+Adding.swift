// PortMail+Adding — the loop modes to which `RunLoop.add` has added a port. By this record, a port
// is scheduled only once in each mode, and its loops retain it.
//
// A port that overrides `schedule(in:forMode:)` without calling `super` has no memberships, but its
// loops retain it too.

extension PortMail {
  /// A mode of a loop, by name; `commonModes` counts as a mode of its own.
  struct Adding {
    let loop: CFRunLoop
    let name: CFRunLoopMode
  }

  /// Records that a loop has the port in a mode, and makes the loop keep the port.
  ///
  /// - Returns: whether that is new. If the port is invalid or the loop has ended, nothing is
  ///   recorded and the result is always true.
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

  /// Removes an invalid port from all loops.
  func leaveAllLoops(_ port: Port) {
    lock.lock()
    defer { lock.unlock() }
    for one in added { letGo(of: port, one.loop) }
    added = []
  }

  /// Removes a loop whose thread has ended, and which therefore no longer keeps the port.
  func forget(_ loop: CFRunLoop) { lock.withLock { added.removeAll { $0.loop === loop } } }

  /// Requires the lock. The caller must hold another reference to the port.
  private func letGo(of port: Port, _ loop: CFRunLoop) {
    loop.lock.withLock { loop.addedPorts[ObjectIdentifier(port)] = nil }
  }
}
