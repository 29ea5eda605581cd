import SignalboxFoundation
import Testing

struct DispatchDataTests {
  private var inPieces: DispatchData {
    var data = DispatchData(Data(repeating: 1, count: 100_000))
    data.append(DispatchData(Data(repeating: 2, count: 100_000)))
    return data
  }

  @Test func itIsDataOfSeveralRegions() {
    let regions = inPieces.regions
    #expect(regions.count == 2)
    #expect(regions.map(\.count) == [100_000, 100_000])
    #expect(regions[1].startIndex == 100_000)
    #expect(regions[1][100_000] == 2)
    #expect(regions[1].withUnsafeBytes { $0[0] } == 2)
    #expect(regions[0].regions.count == 1)
    #expect(DispatchData.empty.regions.isEmpty)
  }

  @Test func bytesConvertBothWays() {
    let bytes = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
    let shared = DispatchData(bytes)
    #expect(Data(shared) == bytes)
    #expect(DispatchData(Data()).count == 0)
    #expect(Data(DispatchData.empty).isEmpty)
    #expect(Data(DispatchData(Data([1, 2, 3]))) == Data([1, 2, 3]))
    #expect(Data(inPieces).count == 200_000)
    #expect(Data(inPieces)[150_000] == 2)
  }

  @Test func itCanBePassedAsData() {
    var data = Data([9])
    data.append(contentsOf: inPieces)
    #expect(data.count == 200_001)
    #expect(inPieces.firstRange(of: Data([1, 2])) == 99_999..<100_001)
    #expect(length(of: inPieces) == 200_000)
  }

  /// A change of the original `Data` does not change the shared bytes.
  @Test func aChangeAfterwardsIsNotSeen() {
    var bytes = Data(repeating: 1, count: 10_000)
    let shared = DispatchData(bytes)
    bytes[0] = 7
    #expect(shared[0] == 1)
  }

  private func length(of data: some DataProtocol) -> Int {
    data.regions.reduce(0) { $0 + $1.count }
  }
}
