// A program that imports SignalboxFoundation and nothing else.

import SignalboxFoundation

let queue = DispatchQueue(label: "org.example.bytes")
let size = queue.sync { Data("text".utf8).count }
print(size == 4 ? "done" : "lost")
