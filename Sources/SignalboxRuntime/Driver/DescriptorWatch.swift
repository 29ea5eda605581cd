// DescriptorWatch — one party's interest in one descriptor.
//
// States      off → armed → reported, armed again by its client … → off for good. An edge-triggered
//             watch stays armed after a report.
// Touching    every mutable field: under the lock of the table that holds the watch;
//             before a table holds it, by the thread that created it.

/// The client of a watch. The poller calls it outside all locks, and the client must not
/// wait.
package protocol DescriptorClient: AnyObject, Sendable {
  /// The descriptor is ready. Unless the watch is edge-triggered, it is
  /// disarmed now.
  ///
  /// If an event was on its way, this call may be made once more after `unwatch`. If
  /// the watch is edge-triggered, two threads may call it at the same time.
  func isReady(_ watch: DescriptorWatch, _ events: Readiness)

  /// The descriptor was closed, or its number refers to another file by now. The watch
  /// has ended permanently.
  func isGone(_ watch: DescriptorWatch)
}

package final class DescriptorWatch: @unchecked Sendable {  // SAFETY: see Touching.
  package let descriptor: Int32
  package let interest: Readiness
  /// The client to inform; nil after the watch has ended, so that a client may keep its
  /// watch without a lasting reference cycle.
  var client: (any DescriptorClient)?

  enum Arming { case off, once, news }
  var arming = Arming.off
  /// The table that holds the watch.
  unowned(unsafe) var table: DescriptorTable?  // SAFETY: compared, not followed.
  // SAFETY: each watch in a table is retained by it.
  unowned(unsafe) var next: DescriptorWatch?
  unowned(unsafe) var previous: DescriptorWatch?  // SAFETY: see `next`.

  package init(_ descriptor: Int32, for interest: Readiness, client: any DescriptorClient) {
    self.descriptor = descriptor
    self.interest = interest
    self.client = client
  }
}
