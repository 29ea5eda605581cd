// BackgroundRead — a background operation of a file handle, and the loop that it notifies.
//
// Touching    everything is set by the initializer.

import CSignalbox
import Foundation
import Glibc
import SignalboxDispatch
import SignalboxRunLoop

final class BackgroundRead: Sendable {
  private let handle: FileHandle
  private let delivery: LoopDelivery

  /// Call on the thread whose loop is to be notified.
  init(_ handle: FileHandle, _ modes: [RunLoop.Mode]?) {
    self.handle = handle
    delivery = LoopDelivery(to: RunLoop.current, in: modes ?? [.default])
  }

  /// The data of a read, and the errno if the system refused it.
  typealias Result = (data: Data, error: Int32)

  /// The maximum number of bytes of one read.
  private static var chunk: Int { 65_536 }

  /// Calls `then` on a worker, once, when the descriptor is readable or at its end.
  func whenReadable(_ then: @escaping @Sendable (BackgroundRead, Int) -> Void) {
    let source = DispatchSource.makeReadSource(
      fileDescriptor: handle.fileDescriptor, queue: .global())
    // The handler keeps the source alive until the source is cancelled.
    source.setEventHandler {
      if source.isCancelled { return }
      let available = Int(clamping: source.data)
      source.cancel()
      then(self, available)
    }
    source.activate()
    giveUpWhenClosed { source.cancel() }
  }

  /// Calls `end` when the handle is closed. The kernel does not report that, but Foundation's
  /// handle then has another descriptor number.
  private func giveUpWhenClosed(_ end: @escaping () -> Void) {
    let descriptor = handle.fileDescriptor
    delivery.giveUp(when: { [handle] in handle.fileDescriptor != descriptor }, end)
  }

  /// Reads up to the end, then calls `then` with all data.
  func toEnd(_ then: @escaping @Sendable (BackgroundRead, Result) -> Void) {
    let queue = DispatchQueue(label: "org.signalbox.file-handle")
    let channel = DispatchIO(
      type: .stream, fileDescriptor: handle.fileDescriptor, queue: queue
    ) { _ in withExtendedLifetime(self) {} }
    var all = Data()
    channel.read(offset: 0, length: .max, queue: queue) { isDone, data, error in
      if let data { all.append(contentsOf: data) }
      if isDone { then(self, (all, error)) }
    }
    channel.close()
    giveUpWhenClosed { channel.close(flags: .stop) }
  }

  /// Reads once from a readable descriptor.
  func readOnce(upTo available: Int) -> Result {
    var buffer = Data(count: min(max(available, 1), BackgroundRead.chunk))
    let count = buffer.withUnsafeMutableBytes { bytes in
      var count = 0
      repeat {
        count = Glibc.read(handle.fileDescriptor, bytes.baseAddress, bytes.count)
      } while count < 0 && errno == EINTR
      return count
    }
    if count < 0 { return (Data(), errno) }
    return (buffer.prefix(count), 0)
  }

  // MARK: Posting

  func post(_ name: Notification.Name, data result: Result) {
    var info: [String: any Sendable] = [NSFileHandleNotificationDataItem: result.data]
    if result.error != 0 { info["NSFileHandleError"] = Int(result.error) }
    post(name, info)
  }

  func postConnection() {
    let connection = csb_socket_accept_waiting(handle.fileDescriptor)
    if connection < 0 {
      return post(.NSFileHandleConnectionAccepted, ["NSFileHandleError": -Int(connection)])
    }
    let accepted = FileHandle(fileDescriptor: connection, closeOnDealloc: true)
    post(.NSFileHandleConnectionAccepted, [NSFileHandleNotificationFileHandleItem: accepted])
  }

  func post(_ name: Notification.Name, _ info: [String: any Sendable]) {
    delivery.deliver { [handle] in
      NotificationCenter.default.post(name: name, object: handle, userInfo: info)
    }
  }
}
