// Times — sums that have no meaning, and those whose type the operands do not
// determine.

import Dispatch

func times(_ time: DispatchTime, _ wall: DispatchWallTime, _ count: Int, _ float: Float) {
  let one: DispatchTime = .now() + 1
  let half: DispatchTime = .now() + 1.5
  let interval: DispatchTime = .now() + .seconds(count)
  let wallOne: DispatchWallTime = .now() + 1
  let wallHalf = DispatchWallTime.now() - 0.5
  let wallInterval: DispatchWallTime = .now() - .milliseconds(count)
  _ = (one < half, interval == time, wallOne < wallHalf, wallInterval >= wall)
  _ = time + count  // refused
  _ = time + float  // refused
  _ = 1 + time  // refused
  _ = time - time  // refused
  _ = time < wall  // refused
  _ = time == wall  // refused
  _ = .now() + 1  // refused
  _ = DispatchTimeInterval.seconds(1) + .seconds(2)  // refused
  _ = DispatchTimeInterval.seconds(1) < .seconds(2)  // refused
  _ = DispatchTimeInterval.seconds(1.5)  // refused
  _ = DispatchTime(rawValue: 1)  // refused
  _ = DispatchWallTime(rawValue: 1)  // refused
  var changed = time
  changed += 1  // refused
}

func deadlines(_ queue: DispatchQueue, _ seconds: Double, _ time: DispatchTime) {
  queue.asyncAfter(deadline: .now() + seconds) {}
  queue.asyncAfter(deadline: .now() + 1) {}
  queue.asyncAfter(deadline: .now() + .never) {}
  queue.asyncAfter(wallDeadline: .now() + seconds) {}
  queue.asyncAfter(wallDeadline: time) {}  // refused
  queue.asyncAfter(deadline: 1) {}  // refused
  queue.asyncAfter(deadline: .seconds(1)) {}  // refused
}
