// ObjectTests — identity, hashing and description of the objects, as with NSObject.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct ObjectTests {
  @Test func objectsAreHashableByIdentity() {
    let first = DispatchQueue(label: "test.first")
    let second = DispatchQueue(label: "test.first")
    #expect(first == first)
    #expect(first != second)
    #expect(first.hashValue == first.hashValue)
    #expect(Set([first, second, first, .main, .main, .global(), .global()]).count == 4)
    let counts = [first: 1, second: 2]
    #expect(counts[first] == 1 && counts[second] == 2)

    let groups = [DispatchGroup(), DispatchGroup()]
    #expect(Set(groups + groups).count == 2)
    #expect(groups[0] == groups[0] && groups[0] != groups[1])
    let semaphores = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
    #expect(Set(semaphores + semaphores).count == 2)
    #expect(semaphores[0] != semaphores[1])
  }

  @Test func objectsOfDifferentKindsShareOneSet() {
    let queue = DispatchQueue(label: "test.queue")
    let group = DispatchGroup()
    let semaphore = DispatchSemaphore(value: 1)
    let objects: [DispatchObject] = [queue, group, semaphore, queue]
    #expect(Set(objects).count == 3)
    #expect(objects[0] == objects[3])
    #expect(objects[0] != objects[1])
  }

  @Test func descriptionNamesTheKindAndTheLabel() {
    let queue = DispatchQueue(label: "test.described")
    #expect(queue.description.contains("test.described"))
    #expect("\(queue)".contains("test.described"))
    #expect(DispatchQueue.main.description.contains("com.apple.main-thread"))
    #expect(DispatchQueue.global().description.contains("com.apple.root.default-qos"))
    for object in [DispatchGroup(), DispatchSemaphore(value: 3)] as [DispatchObject] {
      #expect(!object.description.isEmpty)
    }
  }

  @Test func describingABusyQueueFromManyThreadsIsSafe() throws {
    let queue = DispatchQueue(label: "test.busy", attributes: .concurrent)
    let done = EventCounter("items")
    try runThreads(3) { index in
      for _ in 0..<200 {
        if index == 0 {
          queue.async { done.increment() }
        } else {
          #expect(queue.description.contains("test.busy"))
        }
      }
    }
    try done.wait(for: 200)
  }
}
