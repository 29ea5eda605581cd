// A program that imports SignalboxDispatch and nothing else.

import SignalboxDispatch

let group = DispatchGroup()
for label in ["org.example.orders", "org.example.log"] {
  let queue = DispatchQueue(label: label)
  for _ in 0..<10 { queue.async(group: group) {} }
  queue.sync {}
}
group.wait()
print("done")
