// A program that imports SignalboxLocks and nothing else.

import SignalboxLocks

let lock = NSLock()
lock.name = "org.example.lock"
for _ in 0..<2000 {
  lock.lock()
  lock.unlock()
}
print("done")
