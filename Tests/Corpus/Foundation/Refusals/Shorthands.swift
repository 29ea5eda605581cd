// Shorthands — a dot without its type, where Foundation takes its own type and the face ours:
// where both fit alike, the type must be written down.

import Foundation

func shorthands(_ at: InputStream, _ handle: FileHandle, _ queue: OperationQueue) {
  at.schedule(in: .current, forMode: .default)  // refused by SignalboxFoundation: ambiguous use of
  at.remove(from: .main, forMode: .default)  // refused by SignalboxFoundation: ambiguous use of
  handle.readInBackgroundAndNotify(forModes: [.default])
  at.schedule(in: RunLoop.current, forMode: .default)
  at.remove(from: RunLoop.main, forMode: .common)
  handle.readInBackgroundAndNotify(forModes: [RunLoop.Mode.default])
  handle.readInBackgroundAndNotify(forModes: nil)
  handle.waitForDataInBackgroundAndNotify()
  let center = NotificationCenter.default
  _ = center.addObserver(forName: nil, object: nil, queue: .main) { _ in }
  _ = center.addObserver(forName: nil, object: nil, queue: nil) { _ in }
  _ = center.addObserver(forName: nil, object: nil, queue: queue) { _ in }
  _ = center.addObserver(forName: nil, object: nil, queue: OperationQueue()) { _ in }
  _ = center.addObserver(forName: nil, object: nil, queue: .current) { _ in }
}
