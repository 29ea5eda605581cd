// IOLine — elements that wait for their turn, first come, first served.
//
// An array with an index of its first element, so that taking an element costs the same for any
// length.

struct IOLine<Element> {
  private var elements: [Element?] = []
  private var front = 0

  var isEmpty: Bool { front == elements.count }
  var first: Element? { isEmpty ? nil : elements[front] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[front]
    elements[front] = nil
    front += 1
    if front == elements.count {
      removeAll()
    } else if front >= 64 && front * 2 >= elements.count {
      elements.removeFirst(front)
      front = 0
    }
    return element
  }

  /// Removes all elements that satisfy the condition, and returns them in order.
  mutating func removeAll(where condition: (Element) -> Bool) -> [Element] {
    var removed: [Element] = []
    var kept: [Element?] = []
    for case let element? in elements[front...] {
      if condition(element) { removed.append(element) } else { kept.append(element) }
    }
    elements = kept
    front = 0
    return removed
  }

  private mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    front = 0
  }
}
