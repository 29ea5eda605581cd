// FrameLoop — a game's loop, as SDL's examples have it: while something moves, a frame every
// sixtieth of a second; while the game is paused, nothing until an event comes.
//
//     FrameLoop [SECONDS OF IDLENESS]

import Errands
import Glibc
import SignalboxDispatch
import SignalboxRunLoop

/// A game in which something moves for half a second.
final class FrameLoop: Host {
  let guest = RunLoopHost()
  private(set) var wakeUps = 0
  private(set) var frames = 0
  private let framesThatMove = 30
  private let frameLength: UInt64 = 1_000_000_000 / 60
  private var nextFrame = DispatchTime.now().uptimeNanoseconds

  private var isPaused: Bool { frames >= framesThatMove }

  func turn() {
    waitForEvent(isPaused ? guest.milliseconds : sooner(guest.milliseconds, untilNextFrame))
    wakeUps += 1
    guest.drain()
    if isPaused || untilNextFrame > 0 { return }
    // Here a game moves its world by one step and draws it.
    frames += 1
    nextFrame += frameLength
  }

  private var untilNextFrame: Int32 {
    let now = DispatchTime.now().uptimeNanoseconds
    return nextFrame > now ? Int32((nextFrame - now - 1) / 1_000_000 + 1) : 0
  }

  private func sooner(_ one: Int32, _ other: Int32) -> Int32 { one < 0 ? other : min(one, other) }

  /// Where SDL's is `SDL_WaitEventTimeout`, which polls descriptors as well.
  private func waitForEvent(_ milliseconds: Int32) {
    var polled = pollfd(fd: guest.fileDescriptor, events: Int16(POLLIN), revents: 0)
    poll(&polled, 1, milliseconds)
  }

  /// Until the game is paused.
  func play() { while !isPaused { turn() } }
}

let host = FrameLoop()
host.play()
print("frames=\(host.frames)")
Errands.run(on: host, idleSeconds: idleSeconds())
host.guest.end()
