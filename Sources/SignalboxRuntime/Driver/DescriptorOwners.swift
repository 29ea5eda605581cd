// DescriptorOwners — which object controls a descriptor, by the descriptor's number.
//
// Touching    `owners`: under `lock`.

package final class DescriptorOwners: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private var owners: [Int32: AnyObject] = [:]

  package init() {}

  /// Reads and changes the owner of one descriptor under the lock. A caller that removes an
  /// owner keeps a reference to that owner, so that nothing is freed under the lock.
  package func withOwner<Result>(
    of descriptor: Int32, _ body: (inout AnyObject?) -> Result
  ) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&owners[descriptor])
  }

  /// The number of descriptors that have an owner.
  package var count: Int { lock.withLock { owners.count } }
}
