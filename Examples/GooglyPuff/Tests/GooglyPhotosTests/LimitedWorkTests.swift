import GooglyPhotos
import SignalboxDispatch
import Synchronization
import Testing

@Suite struct LimitedWorkTests {
  @Test func noMorePiecesRunThanTheLimitAndAllDo() {
    let limit = 3, count = 60
    let work = LimitedWork(limit: limit, label: "test.limited")
    let done = DispatchSemaphore(value: 0)
    let running = Mutex((now: 0, most: 0, ran: 0))
    let allAreIn = DispatchSemaphore(value: 0), oneTooMany = DispatchSemaphore(value: 0)
    for index in 0..<count {
      work.async {
        let now = running.withLock { running in
          running.now += 1
          running.most = max(running.most, running.now)
          return running.now
        }
        if now > limit {
          for _ in 0..<limit { oneTooMany.signal() }
        } else if index < limit {
          // However long the last of them takes to come.
          if now == limit { for _ in 0..<limit { allAreIn.signal() } }
          _ = arrives(allAreIn)
          // Gives a piece too many the time to come; none is needed where none does.
          _ = oneTooMany.wait(timeout: .now() + .milliseconds(300))
        }
        running.withLock {
          $0.now -= 1
          $0.ran += 1
        }
        done.signal()
      }
    }
    for _ in 0..<count { #expect(arrives(done)) }
    let totals = running.withLock { $0 }
    #expect(totals == (now: 0, most: limit, ran: count))
  }

  @Test func piecesOfALimitOfOneRunInOrder() {
    let work = LimitedWork(limit: 1, label: "test.one")
    let done = DispatchSemaphore(value: 0)
    let order = Mutex<[Int]>([])
    for index in 0..<100 {
      work.async {
        order.withLock { $0.append(index) }
        if index == 99 { done.signal() }
      }
    }
    #expect(arrives(done))
    #expect(order.withLock { $0 } == Array(0..<100))
  }
}
