// Heap — what the allocator has handed out, as the allocator itself tells it.
//
// `malloc_info` is looked up at run time: its header is not in the `Glibc`
// module, and its plain arguments, unlike the structure `mallinfo2` returns, can
// be passed from Swift on every architecture.

import Glibc

/// Bytes of memory handed out by the allocator and not yet returned, in all
/// arenas. Chunks in a thread's cache count as handed out: tests switch that
/// cache off with `GLIBC_TUNABLES`.
func bytesInUse() -> Int {
  var sizes: [Substring: Int] = [:]
  // Each heap has its own figures; the totals of all stand behind them, so the
  // last figure of a name is the one that counts.
  for line in allocatorReport().split(separator: "\n") {
    let fields = line.split(separator: "\"")
    guard fields.count > 3, let size = Int(fields[fields.count - 2]) else { continue }
    sizes[fields[0] + fields[1]] = size
  }
  guard
    let system = sizes["<system type=current"], let fast = sizes["<total type=fast"],
    let rest = sizes["<total type=rest"], let mapped = sizes["<total type=mmap"]
  else { fail("malloc_info says nothing of use") }
  return system + mapped - fast - rest
}

private typealias MallocInfo =
  @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32

private let mallocInfo: MallocInfo = {
  guard let symbol = dlsym(nil, "malloc_info") else {
    fail("this C library has no malloc_info")
  }
  return unsafeBitCast(symbol, to: MallocInfo.self)
}()

// SAFETY: only the main thread of a scenario measures.
nonisolated(unsafe) private let reportBuffer = UnsafeMutableRawBufferPointer.allocate(
  byteCount: 1 << 20, alignment: 16)

private func allocatorReport() -> String {
  guard let file = fmemopen(reportBuffer.baseAddress, reportBuffer.count, "w") else {
    fail("fmemopen: \(errno)")
  }
  let result = mallocInfo(0, file)
  let length = ftell(file)
  fclose(file)
  guard result == 0 else { fail("malloc_info: \(result)") }
  return String(decoding: reportBuffer[..<length], as: UTF8.self)
}
