// DescriptorWatch — one party's interest in one descriptor.
//
// States      off → armed → told, armed again by its client … → off for good.
//             A watch for news stays armed when it is told.
// Touching    everything but what never changes: under the lock of the table it is
//             in; by whoever made it before that.

/// Whom a watch tells. The poller calls it, outside all locks; it must not wait.
package protocol DescriptorClient: AnyObject, Sendable {
  /// The descriptor is ready. A watch that is not for news is disarmed now.
  ///
  /// It may come once more after `unwatch`, if it was on its way; and from two
  /// threads at a time where the watch is for news.
  func isReady(_ watch: DescriptorWatch, _ events: Readiness)

  /// The descriptor turned out to be closed, or its number stands for another file by
  /// now: the watch is off for good.
  func isGone(_ watch: DescriptorWatch)
}

package final class DescriptorWatch: @unchecked Sendable {  // SAFETY: see Touching.
  package let descriptor: Int32
  package let interest: Readiness
  /// Whom it tells; nil once it is off for good, so that a client may keep its watch.
  var client: (any DescriptorClient)?

  enum Arming { case off, once, news }
  var arming = Arming.off
  /// The table it is in.
  unowned(unsafe) var table: DescriptorTable?  // SAFETY: compared, not followed.
  // SAFETY: each watch in a table is retained by it.
  unowned(unsafe) var next: DescriptorWatch?
  unowned(unsafe) var previous: DescriptorWatch?  // SAFETY: as above.

  package init(_ descriptor: Int32, for interest: Readiness, client: any DescriptorClient) {
    self.descriptor = descriptor
    self.interest = interest
    self.client = client
  }
}
