// Item+Kind — the kind of an item, for code that reads a list.

extension Item {
  /// Describes the structure to readers in other processes.
  static func describe() {
    // SAFETY: the memory is never read; only distances in it are taken.
    let raw = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<Item>.size, alignment: MemoryLayout<Item>.alignment)
    defer { raw.deallocate() }
    let item = raw.assumingMemoryBound(to: Item.self)
    OutsideTable.address(
      "item", "next", at: addressOfWord(item.pointee.next) - UnsafeRawPointer(raw))
    OutsideTable.address("item", "function", at: functionOffset)
    withUnsafePointer(to: &item.pointee.flags) {
      OutsideTable.number(
        "item", "flags", at: UnsafeRawPointer($0) - UnsafeRawPointer(raw),
        size: MemoryLayout<Flags>.size)
    }
    OutsideTable.address("item", "captures", at: capturesOffset)
    OutsideTable.constant("item flag", "captures", Flags.captures.rawValue)
    OutsideTable.constant("item flag", "waiter", Flags.waiter.rawValue)
    OutsideTable.constant("item flag", "barrier", Flags.barrier.rawValue)
    OutsideTable.constant("item flag", "drainTask", Flags.drainTask.rawValue)
    OutsideTable.constant("item flag", "member", Flags.member.rawValue)
    OutsideTable.constant("item flag", "job", Flags.job.rawValue)
  }

  /// Whether `function` is what the item runs.
  package borrowing func runs(_ function: Function) -> Bool {
    // SAFETY: addresses of functions, compared only.
    unsafeBitCast(self.function, to: UInt.self) == unsafeBitCast(function, to: UInt.self)
  }
}
