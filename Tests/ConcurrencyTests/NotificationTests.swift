// NotificationTests — `AsyncNotification`: tasks wait for the next post.

@testable import SignalboxConcurrency
import SignalboxTestSupport
import Testing

@Suite(.guarded)
struct NotificationTests {
  @Test func aPostWithoutWaitersIsNotKept() async {
    let notification = AsyncNotification()
    notification.post()
    let task = ending { try await notification.posted() }
    await until { notification.waitingCount == 1 }
    notification.post()
    #expect(await task.value == .came)
  }

  @Test func atMostOnePostToOneIsKept() async throws {
    let notification = AsyncNotification()
    for _ in 0..<3 { notification.postOne() }
    try await notification.posted()
    let task = ending { try await notification.posted() }
    await until { notification.waitingCount == 1 }
    notification.postOne()
    #expect(await task.value == .came)
  }

  @Test func aPostToOneWakesTheTaskThatHasWaitedLongest() async {
    let notification = AsyncNotification()
    var tasks: [Task<Ending, Never>] = []
    for number in 0..<10 {
      tasks.append(ending { try await notification.posted() })
      await until { notification.waitingCount == number + 1 }
    }
    tasks[3].cancel()
    #expect(await tasks[3].value == .cancelled)
    for number in [0, 1, 2, 4, 5] {
      notification.postOne()
      #expect(await tasks[number].value == .came)
    }
    #expect(notification.waitingCount == 4)
    notification.post()
    for number in 6..<10 { #expect(await tasks[number].value == .came) }
  }

  @Test func aPostSinceAMomentIsNotMissed() async throws {
    let notification = AsyncNotification()
    let moment = notification.moment
    notification.post()
    try await notification.posted(since: moment)
    // The post is not consumed: a task that has looked since takes a new moment.
    try await notification.posted(since: moment)
    let now = notification.moment
    #expect(now != moment)
    let task = ending { try await notification.posted(since: now) }
    await until { notification.waitingCount == 1 }
    notification.post()
    #expect(await task.value == .came)
  }

  @Test func aPostToAllDoesNotConsumeAKeptPost() async throws {
    let notification = AsyncNotification()
    notification.postOne()
    notification.post()
    try await notification.posted()
    let task = ending { try await notification.posted() }
    await until { notification.waitingCount == 1 }
    task.cancel()
    #expect(await task.value == .cancelled)
  }

  /// The loop of the documentation: a woken task takes everything there is, then waits.
  @Test func noLetterIsLeftInTheInbox() async throws {
    var random = SeededGenerator.announced()
    for _ in 0..<20 {
      let arrived = AsyncNotification()
      let inbox = Guarded<[Int]>([])
      let (senders, letters) = (3, 200)
      let reader = Task {
        var read = 0
        while read < senders * letters {
          read += inbox.withValue { letters in
            defer { letters = [] }
            return letters.count
          }
          if read < senders * letters { try await arrived.posted() }
        }
        return read
      }
      for _ in 0..<senders {
        var random = random.split()
        Task.detached {
          for letter in 0..<letters {
            inbox.withValue { $0.append(letter) }
            arrived.postOne()
            idle(Int.random(in: 0...80, using: &random))
          }
        }
      }
      #expect(try await reader.value == senders * letters)
    }
  }

  /// Posts to one waiter, as many as there are tasks. No post is lost to a task that is
  /// cancelled in between: with as many posts as remaining tasks, all of them wake.
  @Test func aPostToOneIsNotLostWithACancelledTask() async {
    var random = SeededGenerator.announced()
    for round in 0..<100 {
      let notification = AsyncNotification()
      let tasks = (0..<8).map { _ in ending { try await notification.posted() } }
      await until { notification.waitingCount == tasks.count }
      let cancelled = tasks.indices.filter { _ in Bool.random(using: &random) }
      let delay = Int.random(in: 0...300, using: &random)
      let posts = Task.detached {
        for _ in tasks.indices.dropFirst(cancelled.count) {
          notification.postOne()
          idle(delay)
        }
      }
      for index in cancelled {
        idle(delay)
        tasks[index].cancel()
      }
      await posts.value
      var came = 0
      for index in cancelled where await tasks[index].value == .came { came += 1 }
      // Tasks that were woken before their cancellation have used up their posts.
      for _ in 0..<came { notification.postOne() }
      for index in tasks.indices where !cancelled.contains(index) {
        #expect(await tasks[index].value == .came, "round \(round)")
      }
      #expect(notification.waitingCount == 0, "round \(round)")
    }
  }

  /// The kept post went to a task that was cancelled before it queued.
  @Test func aKeptPostIsNotLostWithACancelledTask() async throws {
    let notification = AsyncNotification()
    let cancelled = LineWaiter(on: notification, seen: notification.moment.posts)
    _ = cancelled.take()
    notification.postOne()
    notification.register(cancelled)
    #expect(notification.waitingCount == 0)
    try await notification.posted()
  }

  /// A post to one that occurs during a post to all is for another waiter.
  @Test func aPostToOneDuringAPostToAllIsKept() async throws {
    for _ in 0..<200 {
      let notification = AsyncNotification()
      let tasks = (0..<6).map { _ in ending { try await notification.posted() } }
      await until { notification.waitingCount == tasks.count }
      let all = Task.detached { notification.post() }
      await until { notification.moment != AsyncNotification().moment }
      notification.postOne()
      await all.value
      for task in tasks { #expect(await task.value == .came) }
      try await notification.posted()
    }
  }
}
