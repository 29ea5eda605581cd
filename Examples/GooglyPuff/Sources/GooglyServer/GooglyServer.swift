// GooglyServer — the program as a local web app: a gallery, a server on 127.0.0.1, and their end.
//
// Touching  everything that varies: main queue only.

import Glibc
package import GooglyPhotos
import SignalboxDispatch
import SignalboxTrace

// SAFETY: what varies is confined to the main queue, see Touching above.
package final class GooglyServer: @unchecked Sendable {
  private let options: Options
  private let limits: ServerLimits
  private let display: ProgressDisplay
  private let exit: @Sendable (Int32) -> Void
  private let folder: PrivateFolder
  private let routes: Routes
  private let daemon: WebDaemon
  private let gallery: Gallery
  private let probe = AnswerProbe()
  private var signals: [any DispatchSourceSignal] = []
  private var isEnding = false

  /// `exit` ends the program with a status; it is called in the background.
  package init(
    options: Options, manager: PhotoManager = .shared, display: ProgressDisplay,
    exit: @escaping @Sendable (Int32) -> Void
  ) throws(PhotoFailure) {
    self.options = options
    limits = options.serve?.limits ?? ServerLimits()
    self.display = display
    self.exit = exit
    folder = try PrivateFolder()
    routes = Routes(folder: folder, limit: options.limit, limits: limits)
    daemon = WebDaemon(application: routes, limits: limits)
    let board = StateBoard(queue: daemon.queue, probe: probe, limits: limits)
    gallery = Gallery(options: options, limits: limits, folder: folder, manager: manager) {
      [queue = daemon.queue] state in
      queue.async { board.take(state) }
    }
    routes.board = board
    routes.gallery = gallery
  }

  /// Called once, on the main queue.
  package func start() {
    dispatchPrecondition(condition: .onQueue(.main))
    // The kernel's answer to a signal is otherwise to end the program at once, files and all.
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler { self.end(0) }
      source.activate()
      signals.append(source)
    }
    guard options.model.status != nil else {
      display.failure(
        options.model.description,
        "the model of faces is missing (on Debian: package libdlib-data)")
      return end(1)
    }
    // Before the first request, which is answered on another queue.
    let port: UInt16
    do throws(PhotoFailure) {
      port = try daemon.start(port: options.serve?.port ?? 0) { [routes, limits] port in
        routes.rules = RequestRules(port: port, limits: limits)
      }
    } catch {
      display.failure("server", error.description)
      return end(1)
    }
    probe.start()
    gallery.viewDidLoad()
    display.line("\(ProgressDisplay.program): http://127.0.0.1:\(port)/")
    display.status("Ctrl-C ends it")
  }

  /// Closes the server, takes its files away and writes the timeline if one is wanted.
  private func end(_ status: Int32) {
    dispatchPrecondition(condition: .onQueue(.main))
    guard !isEnding else { return }
    isEnding = true
    display.status(nil)
    daemon.stop {
      DispatchQueue.global(qos: .userInitiated).async { [self] in
        folder.removeAll()
        var status = status
        if let timeline = options.timeline {
          do throws(PhotoFailure) {
            try timeline.write()
          } catch {
            status = 1
            let description = error.description
            return DispatchQueue.main.async { [self] in
              display.failure(timeline.path.description, description)
              exit(1)
            }
          }
        }
        exit(status)
      }
    }
  }
}
