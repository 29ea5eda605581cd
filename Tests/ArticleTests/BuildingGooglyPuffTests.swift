// The code of "Building GooglyPuff", part by part. `ProgramTests` runs it as the program that it is.

import SignalboxDispatch
import SignalboxTestSupport
import Testing

@testable import ArticleProgram

@Suite("Building GooglyPuff") struct BuildingGooglyPuffTests {
  private let screen = DispatchQueue(label: "stands for the main queue")

  @Test func detailWorkGoesToTheBackgroundAndComesBack() throws {
    let shown = EventLog<String>()
    let done = EventCounter()
    detail(of: Photo(name: "ada", status: .ready), screen: screen) { picture in
      shown.append(picture)
      done.increment()
    }
    try done.wait(for: 1)
    #expect(shown.all == ["ada with googly eyes"])
  }

  @Test func theNoticeComesWhenThePhotoIsThere() throws {
    let seen = EventLog<Int>()
    let told = EventCounter()
    let manager = PhotoManager(noticeQueue: screen)
    manager.observe {
      seen.append(manager.photos.count)
      told.increment()
    }
    for name in ["ada", "grace", "alan"] {
      manager.add(Photo(name: name, status: .ready))
    }
    try told.wait(for: 3)
    let counts = seen.all
    #expect(zip(counts, 1...).allSatisfy { $0 >= $1 } && manager.photos.count == 3)
  }

  @Test func completionComesAfterTheLast() throws {
    let manager = PhotoManager(noticeQueue: screen)
    let counts = EventLog<Int>()
    let done = EventCounter()
    manager.download(["ada", "grace", "alan"]) { name in
      Photo(name: name, status: name == "alan" ? .failed : .ready)
    } completion: {
      counts.append(manager.photos.count)
      done.increment()
    }
    try done.wait(for: 1)
    #expect(counts.all == [3])
  }

  @Test func thePromptIsDecidedAtTheEnd() throws {
    let manager = PhotoManager(noticeQueue: screen)
    let prompt = Prompt(screen: screen, delay: .milliseconds(20))
    screen.sync { prompt.reload(of: manager) }
    screen.sync { prompt.pending }?.wait()
    #expect(screen.sync { prompt.text } == "Add photos with faces to Googlyify them!")
    manager.add(Photo(name: "ada", status: .ready))
    screen.sync { prompt.reload(of: manager) }
    screen.sync { prompt.pending }?.wait()
    #expect(screen.sync { prompt.text } == nil)
  }
}
