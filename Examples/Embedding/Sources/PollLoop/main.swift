// PollLoop — a server's own loop, as it has been written since 1986: poll(2), and handle what
// is ready. Beside its own descriptors it polls the guest's.
//
//     PollLoop [SECONDS OF IDLENESS]

import Errands
import Glibc
import SignalboxRunLoop

final class PollLoop: Host {
  let guest = RunLoopHost()
  private(set) var wakeUps = 0

  func turn() {
    // A server has more of them here.
    var polled = [pollfd(fd: guest.fileDescriptor, events: Int16(POLLIN), revents: 0)]
    poll(&polled, nfds_t(polled.count), guest.milliseconds)
    wakeUps += 1
    guest.drain()
  }
}

let host = PollLoop()
Errands.run(on: host, idleSeconds: idleSeconds())
host.guest.end()
