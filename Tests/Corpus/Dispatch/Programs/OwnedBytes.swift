// OwnedBytes — bytes whose ownership passes to data, with a way to free them.

import Dispatch
import Glibc

enum OwnedBytes {
  static func run() {
    let block = malloc(3)!
    memset(block, 9, 3)
    let owned = UnsafeRawBufferPointer(start: block, count: 3)
    let freed = DispatchData(bytesNoCopy: owned, deallocator: .free)
    let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)!
    let mapped = UnsafeRawBufferPointer(start: page, count: 4096)
    let unmapped = DispatchData(bytesNoCopy: mapped, deallocator: .unmap)
    let byDefault = DispatchData(bytesNoCopy: UnsafeRawBufferPointer(start: malloc(1)!, count: 1))
    print(Array(freed), unmapped.count, byDefault.count)
  }
}
