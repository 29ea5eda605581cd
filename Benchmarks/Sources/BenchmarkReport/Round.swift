public import BenchmarkRecord

/// One round of a row.
public struct Round: AtADistance, Sendable {
  /// A failed one is missing.
  public var signalbox: Record?
  public var toolchain: Record?
  public var transfers: Transfers?

  /// A row that only Signalbox has is complete without the toolchain.
  var isComplete: Bool { signalbox.map { $0.goal.isAlone || toolchain != nil } ?? false }

  public init(signalbox: Record?, toolchain: Record?, transfers: Transfers? = nil) {
    self.signalbox = signalbox
    self.toolchain = toolchain
    self.transfers = transfers
  }
}

/// One round of a row beside other languages' runtimes.
public struct PeerRound: AtADistance, Sendable {
  /// A side whose process failed is missing.
  public var samples: [PeerSide: PeerSample]
  public var transfers: Transfers?

  var isComplete: Bool { samples[.signalbox] != nil && samples.count > 1 }

  public init(_ samples: [PeerSide: PeerSample], transfers: Transfers? = nil) {
    self.samples = samples
    self.transfers = transfers
  }
}
