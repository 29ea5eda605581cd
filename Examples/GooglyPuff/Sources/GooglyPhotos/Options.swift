// Options — what the command line asks for.

package struct Options: Sendable {
  package var inputs: [FilePath] = []
  package var folder = FilePath("out")
  package var model = FaceDetector.standardModel
  package var limit = PhotoLimit.standard
  package var download = DownloadLimits.standard
  package var timeline: RunTimeline?

  package init() {}

  package enum Request: Sendable {
    case run(Options)
    case help
    /// The command line makes no sense, for this reason.
    case mistake(String)
  }

  package static let usage = """
    GooglyPuff puts googly eyes on the faces in photos.

    usage: GooglyPuff [options] [photo | folder | address]...

    Photos are JPEG or PNG files; addresses begin with http://, https:// or file://.
    Without any, they are read from standard input, one a line.

      --out FOLDER          where the results go, with the page index.html (out)
      --timeline FILE       what the run's queues and threads did: FILE.html is a page, linked
                            with the photos' page beside it; .sbtrace, .json, .txt and
                            .perfetto-trace are written, too
      --timeout SECONDS     how long an address may keep silent (15)
      --max-megapixels N    the largest photo that is taken, in millions of pixels (64)
      --model FILE          dlib's model of faces with 68 points
      --help                this text

    Exit status: 0 all photos done, 1 some failed or there were none, 2 wrong usage.

    """

  package static func parse(_ arguments: [FilePath]) -> Request {
    var options = Options()
    var rest = arguments[...]
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
      guard ["--out", "--timeline", "--timeout", "--max-megapixels", "--model"].contains(text)
      else {
        return .mistake("unknown option \(text)")
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
      default:
        // 1,000 million pixels are 4 GB, more seconds than an hour no answer.
        let most = text == "--timeout" ? 3_600 : 1_000
        guard let number = Int(value.description), (1...most).contains(number) else {
          return .mistake("\(text) needs a number from 1 to \(most)")
        }
        if text == "--timeout" {
          options.download.silenceSeconds = number
        } else {
          options.limit = PhotoLimit(megapixels: number)
        }
      }
    }
    return .run(options)
  }
}
