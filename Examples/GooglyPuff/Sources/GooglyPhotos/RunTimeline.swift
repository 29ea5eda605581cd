// RunTimeline — what the queues and threads of a run did, in a file of its own.

import SignalboxTrace

package struct RunTimeline: Sendable {
  package let path: FilePath

  package init(path: FilePath) {
    self.path = path
  }

  /// Has everything recorded from now on. A recording that the environment has asked for
  /// (`SIGNALBOX_TRACE`) is under way already, and goes on.
  package func begin() throws(PhotoFailure) {
    if TraceRecorder.isOn { return }
    do throws(TraceRecorderError) {
      try TraceRecorder.start()
    } catch {
      throw .timeline(error.description)
    }
  }

  /// Writes what was recorded until now, in the form that the path's extension says. Blocks.
  package func write() throws(PhotoFailure) {
    do throws(TraceRecorderError) {
      try TraceRecorder.write(to: path.description)
    } catch {
      throw .timeline(error.description)
    }
  }

  /// Its address on a page in `folder`, where it lies beside the page and a browser shows it.
  func address(in folder: FilePath) -> String? {
    let name = path.lastComponent.description
    guard name.hasSuffix(".html"), path.folder.isSameFile(as: folder) else { return nil }
    return PhotoPage.address(name)
  }

  /// Whether the page of `folder` would take its place.
  func isPage(of folder: FilePath) -> Bool {
    path.lastComponent.description == OutputFolder.pageName && path.folder.isSameFile(as: folder)
  }
}
