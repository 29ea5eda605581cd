import struct Foundation.Date
import class Foundation.NotificationCenter
import class Foundation.OperationQueue
import struct Foundation.Notification
import protocol Foundation.NSObjectProtocol
import class Foundation.Timer

// import Foundation is not needed here.
let words = """
  import Foundation
  """

/// What opens the shop.
public struct Opening {
  public let date: Date

  public init(date: Date) { self.date = date }

  public func timer(_ block: @escaping @Sendable (Timer) -> Void) -> Timer {
    Timer(fire: date, interval: 0, repeats: false, block: block)
  }

  public func announce(on queue: OperationQueue, _ block: @escaping @Sendable () -> Void) {
    let center = NotificationCenter.default
    let observer: any NSObjectProtocol = center.addObserver(
      forName: .opened, object: nil, queue: queue
    ) { _ in block() }
    center.post(name: .opened, object: nil)
    center.removeObserver(observer)
  }
}

extension Notification.Name {
  public static let opened = Notification.Name("opened")
}
