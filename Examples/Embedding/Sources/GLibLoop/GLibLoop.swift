// GLibLoop — the main run loop as a source of GLib's.
//
// A source of GLib's is asked before each wait how long that may last, and afterwards
// whether it is ready; then it is dispatched. These are the guest's time-out, its descriptor
// and its drain.

import CGLib
import Errands
import SignalboxRunLoop

final class GLibLoop: Host {
  private let source: UnsafeMutablePointer<GuestSource>
  // SAFETY: GLib keeps the address until the source is destroyed.
  private let functions: UnsafeMutablePointer<GSourceFuncs>
  private(set) var wakeUps = 0

  init() {
    functions = .allocate(capacity: 1)
    functions.initialize(to: GSourceFuncs())
    functions.pointee.prepare = { source, timeout in
      let milliseconds = GuestSource.of(source).pointee.host.milliseconds
      timeout?.pointee = milliseconds
      return milliseconds == 0 ? 1 : 0
    }
    functions.pointee.check = { source in
      let guest = GuestSource.of(source)
      let ready = g_source_query_unix_fd(source, guest.pointee.tag)
      return ready.rawValue != 0 || guest.pointee.host.milliseconds == 0 ? 1 : 0
    }
    functions.pointee.dispatch = { source, _, _ in
      GuestSource.of(source).pointee.host.drain()
      return 1
    }
    let raw = g_source_new(functions, guint(MemoryLayout<GuestSource>.size))!
    source = GuestSource.of(raw)
    let host = RunLoopHost()
    // SAFETY: given back by `end`.
    source.pointee.guest = Unmanaged.passRetained(host)
    source.pointee.tag = g_source_add_unix_fd(raw, host.fileDescriptor, G_IO_IN)
    // So that loops nested in a call-back go on serving it, as a modal dialogue's.
    g_source_set_can_recurse(raw, 1)
    g_source_attach(raw, nil)
  }

  /// A program of GTK's calls `gtk_main()`, or `g_application_run()`, instead.
  func turn() {
    g_main_context_iteration(nil, 1)
    wakeUps += 1
  }

  func end() {
    let guest = source.pointee.guest
    UnsafeMutableRawPointer(source).withMemoryRebound(to: GSource.self, capacity: 1) {
      g_source_destroy($0)
      g_source_unref($0)
    }
    // SAFETY: retained by `init`; GLib's source is gone.
    guest?.takeUnretainedValue().end()
    guest?.release()
    functions.deallocate()
  }
}

/// A source of GLib's with the guest behind it.
// SAFETY: GLib makes it, filled with zeros, and passes its first field.
struct GuestSource {
  var base = GSource()
  var guest: Unmanaged<RunLoopHost>?
  var tag: gpointer?

  // SAFETY: retained from before the source is attached until it is destroyed.
  var host: RunLoopHost { guest!.takeUnretainedValue() }

  static func of(_ source: UnsafeMutablePointer<GSource>?) -> UnsafeMutablePointer<GuestSource> {
    // SAFETY: GLib passes the source that `init` had it make, in this size.
    UnsafeMutableRawPointer(source!).assumingMemoryBound(to: GuestSource.self)
  }
}
