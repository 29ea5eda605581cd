// NodeCacheTests — a node is never handed out twice at the same time.

import SignalboxRuntime
import SignalboxTestSupport
import Testing

@Suite("Node cache", .guarded) struct NodeCacheTests {
  @Test func nodesInUseAreDistinctAndWritable() throws {
    let handed = Guarded<[UInt]>([])
    // Producers take and consumers return: nodes move between threads in batches.
    for _ in 0..<3 {
      try runThreads(4) { index in
        let nodes = (0..<500).map { _ in NodeCache.items.take() }
        for (number, node) in nodes.enumerated() {
          node.initializeMemory(
            as: UInt8.self, repeating: UInt8((index * 37 + number) % 251),
            count: NodeCache.items.nodeSize)
        }
        for (number, node) in nodes.enumerated() {
          let bytes = UnsafeRawBufferPointer(start: node, count: NodeCache.items.nodeSize)
          guard bytes.allSatisfy({ $0 == UInt8((index * 37 + number) % 251) }) else {
            throw Overwritten()
          }
        }
        let addresses = nodes.map { UInt(bitPattern: $0) }
        handed.withValue { $0 += addresses }
      }
      #expect(handed.current.count == 2_000)
      #expect(Set(handed.current).count == 2_000)
      try runThreads(1) { _ in
        let all = handed.withValue { nodes in
          defer { nodes = [] }
          return nodes
        }
        for address in all { NodeCache.items.give(UnsafeMutableRawPointer(bitPattern: address)!) }
      }
    }
  }

  private struct Overwritten: Error {}
}
