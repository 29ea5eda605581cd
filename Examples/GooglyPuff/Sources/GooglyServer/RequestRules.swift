// RequestRules — from whom a request is taken: a page of ours, on this machine.
//
// Any page that the browser shows may send requests to 127.0.0.1. A name that leads there by
// another's DNS has the wrong `Host`; a form or script of another site has the wrong `Origin` or
// `Sec-Fetch-Site`, and cannot set our header without asking first, which we never allow.

import GooglyPhotos

struct RequestRules: Sendable {
  static let header = "x-googlypuff"

  private let hosts: [String]
  private let mostHeaders: Int

  init(port: UInt16, limits: ServerLimits) {
    mostHeaders = limits.headLines
    hosts = ["127.0.0.1", "localhost", "[::1]"].map { "\($0):\(port)" }
  }

  /// Why a request with these headers is not taken; nil if it is. Names are in lower case.
  func refusal(
    of headers: [(name: String, value: String)], changes: Bool
  ) -> (status: Int, sentence: String)? {
    guard headers.count <= mostHeaders else { return (431, "These are too many headers.") }
    func values(_ name: String) -> [String] { headers.filter { $0.name == name }.map(\.value) }
    let host = values("host")
    guard host.count == 1 else { return (400, "A request needs one Host.") }
    guard hosts.contains(host[0].lowercased()) else {
      return (421, "This is GooglyPuff, not \(host[0]).")
    }
    guard values("content-length").count <= 1 else { return (400, "The length is said twice.") }
    if !values("content-length").isEmpty, !values("transfer-encoding").isEmpty {
      return (400, "The body has two lengths.")
    }
    guard changes else { return nil }
    let origins = values("origin")
    guard origins.allSatisfy({ $0 == "http://\(host[0])" }), origins.count <= 1 else {
      return (403, "Another site may change nothing here.")
    }
    // A browser says whence a request comes, whatever the page wants.
    guard values("sec-fetch-site").allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
      return (403, "Another site may change nothing here.")
    }
    guard values(Self.header) == ["1"] else {
      return (403, "What changes something needs the header X-GooglyPuff: 1.")
    }
    return nil
  }
}
