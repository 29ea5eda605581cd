// SourceItem — the item that runs a source on its target queue.

import SignalboxRuntime

struct SourceItem: ~Copyable {
  private let item: Item
  private let source: Unmanaged<SourceCore>

  static func make(_ source: SourceCore, _ marks: Item.Flags) -> ItemPointer {
    let raw = NodeCache.items.take()
    // SAFETY: fresh memory of a node's size; this type fits in it.
    raw.bindMemory(to: SourceItem.self, capacity: 1).initialize(to: SourceItem(source, marks))
    return raw.assumingMemoryBound(to: Item.self)  // SAFETY: the item is the first field.
  }

  private init(_ source: SourceCore, _ marks: Item.Flags) {
    self.source = Unmanaged.passRetained(source)  // SAFETY: released when the item has run.
    item = Item(
      { raw in
        // SAFETY: made by `make`.
        let node = raw.assumingMemoryBound(to: SourceItem.self)
        let source = node.pointee.source.takeRetainedValue()
        node.deinitialize(count: 1)
        NodeCache.items.give(raw)
        source.run()
      }, flags: marks)
  }
}
