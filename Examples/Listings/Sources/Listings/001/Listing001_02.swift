import SignalboxDispatch

extension Listing {
  static let number001_02 = Listing(
    "001-02", heading: "Background tasks with async",
    shows: "five short names for the main queue and four global queues",
    outcome: "each name means one queue, the same at every request",
    rows: ["Q3", "Q4"]
  ) { story in
    let names: [(String, () -> DispatchQueue, DispatchQueue)] = [
      ("main", { globalMainQueue }, .main),
      ("user-interactive", { globalUserInteractiveQueue }, .global(qos: .userInteractive)),
      ("user-initiated", { globalUserInitiatedQueue }, .global(qos: .userInitiated)),
      ("utility", { globalUtilityQueue }, .global(qos: .utility)),
      ("background", { globalBackgroundQueue }, .global(qos: .background)),
    ]
    for (name, queue, expected) in names {
      story.check(queue() === expected && queue() === queue(), "\(name): the same queue each time")
    }
    story.check(
      Set(names.map { ObjectIdentifier($0.2) }).count, is: 5, "five names, five queues")

    for (name, queue, _) in names.dropFirst() {
      let place = Cell("")
      let hasRun = DispatchSemaphore(value: 0)
      queue().async {
        place.value = Place.name
        hasRun.signal()
      }
      hasRun.wait()
      story.check(place.value, is: "another thread", "\(name): an item runs off main")
    }
    let place = globalMainQueue.sync { Place.name }
    story.check(place, is: "the main thread", "main: an item runs on the main thread")
  }
}

var globalMainQueue: DispatchQueue { .main }
var globalUserInteractiveQueue: DispatchQueue { .global(qos: .userInteractive) }
var globalUserInitiatedQueue: DispatchQueue { .global(qos: .userInitiated) }
var globalUtilityQueue: DispatchQueue { .global(qos: .utility) }
var globalBackgroundQueue: DispatchQueue { .global(qos: .background) }
