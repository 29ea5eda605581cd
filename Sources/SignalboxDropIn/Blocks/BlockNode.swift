// BlockNode — the memory of a small block, with room for the item that runs it.
//
// A program makes a block for each `async`, on the thread that submits it, and the thread that has
// run it frees it. The Blocks runtime gets the block's memory here (blockmemory.c). The item for the
// queue is right behind the block, so both pass from one processor to the other together, and there
// is one piece of memory to take and to give back.
//
//     offset   0         48                                80        88
//              block     item: next, function, flags,      maker
//                        group
//
// A block may be submitted again before it has run, and by several threads at a time. The item
// serves one submission in the life of the block: the first one by the thread that made the block.
// `maker` holds that thread's number, and the submission stores 0 in it. Any other submission of
// the block takes a node of its own (`FunctionItem`).
//
// Touching    `maker`: the thread that it names; others compare it with their own number.
//             The item: that thread until it has submitted the item, then the thread that runs it.

import CSignalbox
import CSignalboxDropIn
import SignalboxDispatch
import SignalboxRuntime

struct BlockNode {
  /// The size of a block with two words of captures, which the compiler makes of a closure.
  private static var blockSize: Int { MemoryLayout<csd_block>.size + 16 }
  private static var makerOffset: Int { blockSize + PlacedItem.size }
  private static var itemOffset: Int { 48 }

  private let memory: UnsafeMutableRawPointer

  /// Memory for a block: a node if the block fits.
  @inline(__always)
  static func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
    guard size <= blockSize else { return csd_allocate(size) }
    let node = BlockNode(memory: NodeCache.blocks.take())
    csd_store_maker(node.maker, csb_thread_number())
    return node.memory
  }

  /// Frees a block's memory: as a node if it has a node's size, wherever it comes from.
  @inline(__always)
  static func free(_ memory: UnsafeMutableRawPointer) {
    // A thread that keeps no nodes may never take any, and would then lose this node when it ends.
    if NodeCache.isInUse && NodeCache.blocks.isNode(ofSize: csd_allocated_size(memory)) {
      NodeCache.blocks.give(memory)
    } else {
      csd_free(memory)
    }
  }

  /// The node of a block, for the one submission that may use the item; nil for all others.
  ///
  /// Only a block that `allocate` made is this small and yet has this much memory.
  @inline(__always)
  init?(claimedFor block: UnsafeMutablePointer<csd_block>) {
    memory = UnsafeMutableRawPointer(block)
    guard
      csd_block_is_on_heap(block) != 0,
      block.pointee.descriptor.pointee.size <= BlockNode.blockSize,
      NodeCache.blocks.isNode(ofSize: csd_allocated_size(memory)),
      csd_load_maker(maker) == csb_thread_number()
    else { return nil }
    csd_store_maker(maker, 0)
  }

  private init(memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var maker: UnsafeMutablePointer<UInt32> {
    // SAFETY: within the node; nothing else is there.
    (memory + BlockNode.makerOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// A call of the block by the item behind it. The call retains the block.
  @inline(__always)
  var call: FunctionCall {
    // SAFETY: the node begins with a block.
    csd_block_retain(memory.assumingMemoryBound(to: csd_block.self))
    return FunctionCall(at: memory + BlockNode.itemOffset, run: BlockNode.run)
  }

  private static let run: Item.Function = { item in
    // SAFETY: made by `call`, so the block is in front of the item, which holds a reference to it.
    let block = (item - BlockNode.itemOffset).assumingMemoryBound(to: csd_block.self)
    block.pointee.invoke(block)
    if csd_block_end(block) != 0 { NodeCache.blocks.give(UnsafeMutableRawPointer(block)) }
  }
}

/// Called by the Blocks runtime to allocate the memory of a block.
@_cdecl("csd_block_allocate")
package func allocateBlock(_ size: Int) -> UnsafeMutableRawPointer? { BlockNode.allocate(size) }

/// Called by the Blocks runtime to free the memory of a block.
@_cdecl("csd_block_free")
package func freeBlock(_ memory: UnsafeMutableRawPointer?) {
  if let memory { BlockNode.free(memory) }
}
