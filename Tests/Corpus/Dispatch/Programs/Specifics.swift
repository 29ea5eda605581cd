// Specifics — values of a queue, seen from its closures and from queues that target it.

import Dispatch

enum Specifics {
  static func run() {
    let key = DispatchSpecificKey<String>()
    let number: DispatchSpecificKey<Int> = DispatchSpecificKey()
    let parent = DispatchQueue(label: "corpus.parent")
    let child = DispatchQueue(label: "corpus.child", target: parent)
    parent.setSpecific(key: key, value: "parent")
    parent.setSpecific(key: number, value: 1)
    child.setSpecific(key: number, value: 2)

    print(parent.getSpecific(key: key) ?? "none", child.getSpecific(key: number) ?? 0)
    print(child.getSpecific(key: key) ?? "none")
    print(DispatchQueue.getSpecific(key: key) ?? "none")
    child.sync {
      print(DispatchQueue.getSpecific(key: key) ?? "none")
      print(DispatchQueue.getSpecific(key: number) ?? 0)
    }
    parent.sync { print(DispatchQueue.getSpecific(key: number) ?? 0) }
    parent.setSpecific(key: key, value: nil)
    child.sync { print(DispatchQueue.getSpecific(key: key) ?? "none") }
  }
}
