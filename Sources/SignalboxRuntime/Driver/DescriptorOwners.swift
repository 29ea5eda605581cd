// DescriptorOwners — who has control of a descriptor, by its number.
//
// Touching    `owners`: under `lock`.

package final class DescriptorOwners: @unchecked Sendable {  // SAFETY: see Touching.
  private let lock = EngineLock()
  private var owners: [Int32: AnyObject] = [:]

  package init() {}

  /// Looks at and changes the owner of one descriptor, alone. The caller keeps a reference
  /// to the one that it takes out, so that nothing is freed here.
  package func withOwner<Result>(
    of descriptor: Int32, _ body: (inout AnyObject?) -> Result
  ) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&owners[descriptor])
  }

  /// How many descriptors have an owner.
  package var count: Int { lock.withLock { owners.count } }
}
