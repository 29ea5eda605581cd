// Options — what the command line asks for.

package import SignalboxDispatch

package struct Options: Sendable {
  package var inputs: [FilePath] = []
  package var folder = FilePath("out")
  package var model = FaceDetector.standardModel
  package var limit = PhotoLimit.standard
  package var download = DownloadLimits.standard
  package var timeline: RunTimeline?
  /// How many photos are worked on side by side, where there are so many processors: each is held
  /// in memory whole.
  package var atATime = 3
  /// Works on photos on the main queue, which then answers nobody: the mistake that the tutorial
  /// begins with, to look at.
  package var worksOnMain = false
  /// The addresses of "Le Internet"; without any, those of `LeInternet`.
  package var internet: [String] = []
  /// Set where the program is an app in the browser.
  package var serve: Serve?

  package struct Serve: Sendable {
    /// 0 for a free one.
    package var port: UInt16 = 0
    package var limits = ServerLimits()
  }

  package init() {}

  /// Where photos are worked on.
  package var workQueue: DispatchQueue {
    worksOnMain ? .main : .global(qos: .userInitiated)
  }

  package enum Request: Sendable {
    case run(Options)
    case help
    /// The command line makes no sense, for this reason.
    case mistake(String)
  }

  package static let usage = """
    GooglyPuff puts googly eyes on the faces in photos.

    usage: GooglyPuff [options] [photo | folder | address]...
           GooglyPuff serve [options] [photo | folder | address]...

    Photos are JPEG or PNG files; addresses begin with http://, https:// or file://.
    Without any, they are read from standard input, one a line. "Le Internet" stands for photos
    that the program downloads from a small server of its own on this machine.

    With "serve" it is an app for the browser, on this machine alone: it says its address, and
    ends with Ctrl-C. Photos are added there, too.

      --out FOLDER          where the results go, with the page index.html (out)
      --timeline FILE       what the run's queues and threads did: FILE.html is a page, linked
                            with the photos' page beside it; .sbtrace, .json, .txt and
                            .perfetto-trace are written, too
      --timeout SECONDS     how long an address may keep silent (15)
      --max-megapixels N    the largest photo that is taken, in millions of pixels (64)
      --at-a-time N         how many photos are worked on side by side, 1 to 3 (3)
      --work-on QUEUE       where photos are worked on, "background" or "main": on main the main
                            queue answers nobody meanwhile (background)
      --model FILE          dlib's model of faces with 68 points
      --internet ADDRESS    a photo of "Le Internet" in place of those of its own server; may be
                            given again and again
      --port N              serve: the port to listen on (a free one)
      --limit NAME=N        serve: what is refused; may be given again and again
      --help                this text

    Exit status: 0 all photos done, 1 some failed or there were none, 2 wrong usage.

    What serve refuses, and from which number on:

    \(ServerLimits.list)
    """

  package static func parse(_ arguments: [FilePath]) -> Request {
    var options = Options()
    var rest = arguments[...]
    if rest.first?.description == "serve" {
      rest.removeFirst()
      options.serve = Serve()
    }
    var onlyInputs = false
    while let argument = rest.popFirst() {
      let text = argument.description
      guard !onlyInputs, text.hasPrefix("-"), text != "-" else {
        options.inputs.append(argument)
        continue
      }
      if text == "--" {
        onlyInputs = true
        continue
      }
      if text == "--help" || text == "-h" { return .help }
      guard both.contains(text) || onlyCommand.contains(text) || onlyServe.contains(text) else {
        return .mistake("unknown option \(text)")
      }
      if options.serve == nil ? onlyServe.contains(text) : onlyCommand.contains(text) {
        return .mistake(
          "\(text) belongs to GooglyPuff \(options.serve == nil ? "serve" : "without serve")")
      }
      guard let value = rest.popFirst(), !value.isEmpty else {
        return .mistake("\(text) needs a value")
      }
      switch text {
      case "--out": options.folder = value
      case "--model": options.model = value
      case "--timeline":
        guard FilePath(value.description) == value else {
          return .mistake("--timeline needs a name in UTF-8")
        }
        options.timeline = RunTimeline(path: value)
      case "--internet":
        guard value.description.contains("://") else {
          return .mistake("--internet needs an address: http://, https:// or file://")
        }
        options.internet.append(value.description)
      case "--work-on":
        guard ["background", "main"].contains(value.description) else {
          return .mistake("--work-on needs background or main")
        }
        options.worksOnMain = value.description == "main"
      case "--limit":
        if let mistake = options.serve?.limits.set(value.description) { return .mistake(mistake) }
      default:
        let most = largest[text]!
        guard let number = Int(value.description), (1...most).contains(number) else {
          return .mistake("\(text) needs a number from 1 to \(most)")
        }
        options.set(text, number)
      }
    }
    return .run(options)
  }

  private static let both = [
    "--timeline", "--timeout", "--max-megapixels", "--model", "--at-a-time", "--internet",
    "--work-on",
  ]
  private static let onlyCommand = ["--out"]
  private static let onlyServe = ["--port", "--limit"]

  /// 1,000 million pixels are 4 GB, more seconds than an hour no answer.
  private static let largest = [
    "--timeout": 3_600, "--max-megapixels": 1_000, "--at-a-time": 3, "--port": 65_535,
  ]

  private mutating func set(_ option: String, _ number: Int) {
    switch option {
    case "--timeout": download.silenceSeconds = number
    case "--at-a-time": atATime = number
    case "--port": serve?.port = UInt16(number)
    default: limit = PhotoLimit(megapixels: number)
    }
  }
}
