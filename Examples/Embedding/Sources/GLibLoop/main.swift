// GLibLoop — GLib's main loop, which runs every GTK program, with the main run loop as one of
// its sources.
//
//     GLibLoop [SECONDS OF IDLENESS]

import Errands
import SignalboxRunLoop

let host = GLibLoop()
Errands.run(on: host, idleSeconds: idleSeconds())
host.end()
