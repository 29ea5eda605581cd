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
  }

  /// Whether `function` is what the item runs.
  package borrowing func runs(_ function: Function) -> Bool {
    // SAFETY: addresses of functions, compared only.
    unsafeBitCast(self.function, to: UInt.self) == unsafeBitCast(function, to: UInt.self)
  }
}
