// Routes — what the page may ask for, and who answers.
//
// Touching  everything here: in items of the server's queue only.

import Glibc
import GooglyPhotos
import SignalboxDispatch

// SAFETY: what varies is set before the first request, or confined to the server's queue.
final class Routes: WebApplication, @unchecked Sendable {
  typealias Reply = @Sendable (WebResponse) -> Void

  private let folder: PrivateFolder
  private let limit: PhotoLimit
  private let limits: ServerLimits
  private let timeline: TimelineFiles
  private let room: UploadRoom
  private var lastUpload = 0
  var rules: RequestRules!
  var board: StateBoard!
  var gallery: Gallery!

  init(folder: PrivateFolder, limit: PhotoLimit, limits: ServerLimits) {
    self.folder = folder
    self.limit = limit
    self.limits = limits
    room = UploadRoom(bytes: limits.storedBytes)
    timeline = TimelineFiles(folder: folder)
  }

  /// What can be done with a path; empty for those that lead nowhere.
  private static func methods(for path: [String]) -> [String] {
    switch path.count {
    case 1:
      switch path[0] {
      case "state", "healthz", "timeline", "timeline.json": ["GET", "HEAD"]
      case "photos", "internet": ["POST"]
      default: PageFile(path[0]) != nil ? ["GET", "HEAD"] : []
      }
    case 2 where path[0] == "photos" && number(path[1]) != nil: ["DELETE"]
    case 3 where path[0] == "notice" && path[2] == "seen" && number(path[1]) != nil: ["POST"]
    case 3 where path[0] == "photos" && number(path[1]) != nil:
      switch path[2] {
      case "work": ["POST"]
      case "thumbnail", "original", "googly", "before", "after": ["GET", "HEAD"]
      default: []
      }
    default: []
    }
  }

  private static func number(_ text: String) -> Int? { plainNumber(text, upTo: 1 << 40) }

  // MARK: - The head

  func admit(_ request: WebRequest) -> WebResponse? {
    let target: RequestTarget
    do throws(RequestTarget.Mistake) {
      target = try RequestTarget(request.rawTarget, longest: limits.addressBytes)
    } catch {
      return error == .tooLong
        ? .error(414, "An address has at most \(limits.addressBytes) bytes.")
        : .error(400, "This address makes no sense.")
    }
    request.target = target
    let changes = request.method != "GET" && request.method != "HEAD"
    if let (status, sentence) = rules.refusal(of: request.headers, changes: changes) {
      return .error(status, sentence)
    }
    let methods = Self.methods(for: target.path)
    guard !methods.isEmpty else { return .notThere() }
    guard methods.contains(request.method) else {
      var response = WebResponse.error(
        405, "This can be done here: \(methods.joined(separator: ", ")).")
      response.headers["Allow"] = methods.joined(separator: ", ")
      return response
    }
    let length = request.header("content-length").map { Int($0) ?? Int.max } ?? 0
    guard target.path == ["photos"] else {
      return length > 0 ? .error(413, "No body belongs here.") : nil
    }
    return admitUpload(request, target, length: length)
  }

  private func admitUpload(
    _ request: WebRequest, _ target: RequestTarget, length: Int
  ) -> WebResponse? {
    guard let name = target.query["name"], isLabel(name, longest: limits.nameBytes) else {
      return .error(
        400, "A photo needs a name of 1 to \(limits.nameBytes) bytes, without controls.")
    }
    guard request.header("content-type") == "application/octet-stream" else {
      return .error(415, "A photo is sent as application/octet-stream.")
    }
    guard length <= limits.photoBytes else {
      return .refusal(UploadFile.tooLarge(limits.photoBytes))
    }
    guard board.state.photos.count < limits.photos else {
      return .refusal(Gallery.tooMany(limits.photos))
    }
    lastUpload += 1
    do throws(PhotoFailure) {
      request.upload = try UploadFile(
        number: lastUpload, in: folder.originals, room: room, most: limits.photoBytes)
    } catch {
      return .error(507, error.description)
    }
    return nil
  }

  // MARK: - The answer

  func answer(_ request: WebRequest, _ reply: @escaping Reply) {
    guard let target = request.target else { return reply(.notThere()) }
    let path = target.path
    switch path.count {
    case 1:
      switch path[0] {
      case "state": answerState(target, reply)
      case "healthz":
        reply(WebResponse(status: 200, type: "text/plain", body: .bytes(Array("ok".utf8))))
      case "timeline": timeline.page(reply)
      case "timeline.json": timeline.story(reply)
      case "internet": command(202, reply) { $0.internet($1) }
      case "photos": answerUpload(request, target.query["name"] ?? "", reply)
      default: answerPage(path[0], reply)
      }
    case 2: command(204, reply) { $0.delete(Self.number(path[1])!, $1) }
    default:
      guard let id = Self.number(path[1]) else { return reply(.notThere()) }
      if path[0] == "notice" {
        command(204, reply) { $0.seen(id, $1) }
      } else if path[2] == "work" {
        command(202, reply) { $0.work(on: id, $1) }
      } else {
        answerPicture(id, path[2], target.query["v"], reply)
      }
    }
  }

  /// Has the gallery do something, on the main queue.
  private func command(
    _ status: Int, _ reply: @escaping Reply,
    _ body: @escaping @Sendable (Gallery, @escaping Gallery.Reply<Void>) -> Void
  ) {
    DispatchQueue.main.async { [gallery] in
      body(gallery!) { result in
        switch result {
        case .success: reply(.empty(status))
        case .failure(let refusal): reply(.refusal(refusal))
        }
      }
    }
  }

  private func answerState(_ target: RequestTarget, _ reply: @escaping Reply) {
    var version: Int?
    if let after = target.query["after"] {
      version = plainNumber(after, upTo: Int.max)
      guard version != nil else { return reply(.error(400, "after needs a version.")) }
    }
    var seconds = 0
    if let wait = target.query["wait"] {
      guard let number = plainNumber(wait, upTo: limits.waitSeconds) else {
        return reply(
          .error(400, "wait needs a number of seconds from 0 to \(limits.waitSeconds)."))
      }
      seconds = number
    }
    board.wait(after: version, seconds: seconds, reply)
  }

  private func answerPage(_ name: String, _ reply: @escaping Reply) {
    guard let file = PageFile(name) else { return reply(.notThere()) }
    reply(
      WebResponse(
        status: 200, type: file.type, body: .page(file), headers: ["Cache-Control": "no-cache"]))
  }

  private func answerUpload(_ request: WebRequest, _ name: String, _ reply: @escaping Reply) {
    guard let upload = request.upload else { return reply(.notThere()) }
    if let refusal = upload.close() { return reply(.refusal(refusal)) }
    // From here on the file belongs to whoever holds it.
    request.upload = nil
    DispatchQueue.global(qos: .userInitiated).async { [limit, gallery] in
      do throws(PhotoFailure) {
        _ = try Picture.measure(upload.path, limit: limit)
      } catch {
        upload.discard()
        return reply(.error(415, "This is no photo for us: \(error)."))
      }
      DispatchQueue.main.async {
        gallery!.add(upload, name: name) { result in
          switch result {
          case .success(let id):
            var text = JSONText()
            text.object { $0.member("id", id) }
            reply(.json(201, text.bytes))
          case .failure(let refusal):
            DispatchQueue.global(qos: .utility).async { upload.discard() }
            reply(.refusal(refusal))
          }
        }
      }
    }
  }

  private func answerPicture(
    _ id: Int, _ which: String, _ tag: String?, _ reply: @escaping Reply
  ) {
    guard let photo = board.state.photo(id) else { return reply(.refusal(.noPhoto)) }
    if which == "original" { return answerOriginal(photo, reply) }
    let name =
      switch which {
      case "googly": photo.result
      case "after": photo.after
      case "before": photo.before
      default: photo.edition == 2 ? photo.after : photo.before
      }
    guard let name else { return reply(.error(409, "It has not been made yet.")) }
    do throws(PhotoFailure) {
      let file = try folder.openFile("results/\(name)")
      let isFinal = which == "thumbnail" && tag != nil && tag == photo.thumbnail
      reply(
        WebResponse(
          status: 200, type: name.hasSuffix(".png") ? "image/png" : "image/jpeg", body: .file(file),
          headers: ["Cache-Control": isFinal ? "private, max-age=31536000, immutable" : "no-store"]
        ))
    } catch {
      reply(.error(500, "It cannot be read: \(error)."))
    }
  }

  /// Background: an owner's file may lie on a slow disk.
  private func answerOriginal(_ photo: GalleryPhoto, _ reply: @escaping Reply) {
    guard let path = photo.original, let format = photo.format else {
      return reply(.error(409, "The photo is not there."))
    }
    DispatchQueue.global(qos: .userInitiated).async {
      do throws(PhotoFailure) {
        reply(
          WebResponse(
            status: 200, type: format == .png ? "image/png" : "image/jpeg",
            body: .file(try OpenFile(path)), headers: ["Cache-Control": "no-store"]))
      } catch {
        reply(.error(404, "It cannot be read: \(error)."))
      }
    }
  }
}
