// Program — runs the walk-throughs and figures of the documents under the recorder.

import COneProcessor
import Glibc
import SignalboxDispatch
import SignalboxTrace

@main
struct Program {
  static let usage = """
    QueuePictures runs the walk-throughs of the documents' visual review of queueing, their four
    figures, and scenes of the guidance under the recorder, each in a process of its own, and writes
    what was recorded.

    usage: QueuePictures [--tries N] [--step] FOLDER [NAME]...   all of them, or those named
           QueuePictures --list                                  their names
           QueuePictures --help                                  this text

    Of several tries the shortest run is kept, which other programs disturbed least.

    For each there are in the folder
      NAME.html              the timeline of the run, to be opened in a browser
      NAME.txt               the document's steps, and the recorded events that show them
      NAME.svg, NAME~dark.svg  the same as a picture
      NAME.json              the recording
      NAME.step.html         with --step: the picture one event at a time, with the code beside it
    Exit status: 0 all steps are shown by their runs, 1 some are not, 2 wrong usage.

    """

  static func main() {
    var words = Array(CommandLine.arguments.dropFirst())
    var tries = 1
    var hasSteps = false
    while let option = words.first, ["--tries", "--step"].contains(option) {
      words.removeFirst()
      if option == "--step" {
        hasSteps = true
        continue
      }
      guard let number = words.first.flatMap({ Int($0) }), (1...1000).contains(number) else {
        misused("--tries needs a number")
      }
      tries = number
      words.removeFirst()
    }
    switch words.first {
    case "--help", "-h": print(usage, terminator: "")
    case "--list":
      for scene in Scene.all {
        print(scene.name + String(repeating: " ", count: 18 - scene.name.count) + scene.title)
      }
    case "--run" where words.count == 3:
      run(scene(words[1]), folder: words[2], hasSteps: hasSteps)
    case nil: misused("which folder?")
    case let option? where option.hasPrefix("-"): misused("there is no option \(option)")
    case let folder?:
      let scenes = words.count == 1 ? Scene.all : words.dropFirst().map(scene)
      make(folder)
      let failed = scenes.filter {
        !isKept($0, ofTries: tries, folder: folder, hasSteps: hasSteps)
      }
      exit(failed.isEmpty ? 0 : 1)
    }
  }

  private static func scene(_ name: String) -> Scene {
    guard let scene = Scene.all.first(where: { $0.name == name }) else {
      misused("there is no “\(name)”; --list tells the names")
    }
    return scene
  }

  // MARK: In this process

  private static func run(_ scene: Scene, folder: String, hasSteps: Bool) -> Never {
    if scene.needsOneProcessor {
      let error = keep_to_one_processor()
      if error != 0 { fail("sched_setaffinity: \(String(cString: strerror(error)))") }
    }
    Workers.make()
    do { try TraceRecorder.start() } catch { fail("\(error)") }
    scene.perform {
      TraceRecorder.stop()
      do {
        try Output(scene: scene, folder: folder, hasSteps: hasSteps).write()
      } catch {
        fail("\(scene.name): \(error)")
      }
      exit(0)
    }
    dispatchMain()
  }

  // MARK: In processes of their own

  /// Runs a scene so many times, and keeps what the shortest of the runs has left.
  private static func isKept(
    _ scene: Scene, ofTries tries: Int, folder: String, hasSteps: Bool
  ) -> Bool {
    let endings = Output.endings(hasSteps: hasSteps)
    let place = "\(folder)/.try"
    make(place)
    defer { rmdir(place) }
    var least = Int.max
    for _ in 0..<tries {
      guard isRun(scene, folder: place, hasSteps: hasSteps),
        let length = length(of: scene, in: place)
      else {
        for ending in endings { unlink("\(place)/\(scene.name)\(ending)") }
        return false
      }
      for ending in endings {
        let file = "\(scene.name)\(ending)"
        if length >= least {
          unlink("\(place)/\(file)")
        } else if rename("\(place)/\(file)", "\(folder)/\(file)") != 0 {
          fail("\(folder)/\(file): \(String(cString: strerror(errno)))")
        }
      }
      least = min(least, length)
    }
    print("\(scene.name): \(scene.steps.count) steps in \(least / 1000) µs")
    if hasSteps { print("  \(folder)/\(scene.name).step.html") }
    return true
  }

  private static func length(of scene: Scene, in folder: String) -> Int? {
    guard let json = try? Output.read("\(folder)/\(scene.name).json"),
      let story = try? StoryFile(json: json)
    else { return nil }
    let times = RecordedRun(story).events.map(\.time)
    return (times.max() ?? 0) - (times.min() ?? 0)
  }

  private static func make(_ folder: String) {
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else {
      fail("\(folder): \(String(cString: strerror(errno)))")
    }
  }

  private static func isRun(_ scene: Scene, folder: String, hasSteps: Bool) -> Bool {
    // By its own path, so that the recording has the program's name.
    let command = [program] + (hasSteps ? ["--step"] : []) + ["--run", scene.name, folder]
    var words = command.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process = pid_t()
    let error = posix_spawn(&process, program, nil, nil, &words, environ)
    guard error == 0 else { fail("posix_spawn: \(String(cString: strerror(error)))") }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    return status == 0
  }

  private static var program: String {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else {
      fail("/proc/self/exe: \(String(cString: strerror(errno)))")
    }
    return path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  private static func misused(_ message: String) -> Never {
    fail("\(message)\n\(usage)", status: 2)
  }

  private static func fail(_ message: String, status: Int32 = 1) -> Never {
    "QueuePictures: \(message)\n".withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
  }
}
