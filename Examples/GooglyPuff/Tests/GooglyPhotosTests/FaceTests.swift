import Glibc
import GooglyPhotos
import SignalboxDispatch
import Synchronization
import Testing

@Suite struct FaceTests {
  private static let detector = FaceDetector()

  @Test func astronautHasOneFaceWithTwoEyes() throws {
    let picture = try SamplePhotos.read(SamplePhotos.astronaut)
    let faces = try Self.detector.faces(in: picture)
    try #require(faces.count == 1)
    // By eye: at (206, 107) and (240, 107), give or take a few pixels.
    #expect(hypot(faces[0].leftEye.x - 204, faces[0].leftEye.y - 104) < 10)
    #expect(hypot(faces[0].rightEye.x - 246, faces[0].rightEye.y - 104) < 10)
    #expect((10...30).contains(faces[0].leftEye.width))
    #expect((10...30).contains(faces[0].rightEye.width))
  }

  @Test(arguments: SamplePhotos.withoutFaces)
  func photosOfThingsHaveNoFace(path: String) throws {
    let faces = try Self.detector.faces(in: SamplePhotos.read(path))
    #expect(faces.isEmpty)
  }

  @Test func facesAreFoundByThreadsSideBySide() throws {
    let detector = Self.detector
    let counts = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      let faces = try? detector.faces(in: SamplePhotos.read(SamplePhotos.astronaut))
      counts.withLock { $0.append(faces?.count ?? -1) }
    }
    #expect(counts.withLock { $0 } == [1, 1, 1, 1])
  }

  @Test func eyesCoverTheEyesAndNothingElse() throws {
    let before = try SamplePhotos.read(SamplePhotos.astronaut)
    let after = try SamplePhotos.read(SamplePhotos.astronaut)
    let faces = try Self.detector.faces(in: before)
    try #require(faces.count == 1)
    GooglyEyes.draw(on: faces, in: after, seed: "astronaut")
    var dice = GooglyEyes.Dice(seed: "astronaut")
    let balls = GooglyEyes.balls(over: faces[0], dice: &dice)
    try #require(balls.count == 2)
    let distance = hypot(balls[0].x - balls[1].x, balls[0].y - balls[1].y)
    #expect(distance > balls[0].radius + balls[1].radius)
    let changed = differences(before, after)
    for (ball, eye) in zip(balls, [faces[0].leftEye, faces[0].rightEye]) {
      #expect(ball.radius > eye.width / 2)
      let inside = changed.count { ball.distance(toX: $0.x, y: $0.y) < ball.radius }
      #expect(Double(inside) > 0.95 * Double.pi * ball.radius * ball.radius)
    }
    for place in changed {
      // The shadow reaches a little further than the ball.
      #expect(
        balls.contains { $0.distance(toX: place.x, y: place.y) < 1.3 * $0.radius + 1 })
    }
  }

  @Test(arguments: ["/nowhere/model.dat", SamplePhotos.rocket])
  func modelThatIsNoneIsNamed(path: String) throws {
    let detector = FaceDetector(model: FilePath(path))
    let astronaut = try SamplePhotos.read(SamplePhotos.astronaut)
    // A failure is no state: the second search fails like the first.
    for _ in 0..<2 {
      #expect {
        _ = try detector.faces(in: astronaut)
      } throws: { error in
        guard case .faceSearch(let reason) = error as? PhotoFailure else { return false }
        return reason.hasPrefix("\(path): ")
      }
    }
    #expect(try detector.faces(in: SamplePhotos.read(SamplePhotos.rocket)).isEmpty)
  }
}

extension GooglyEyes.Ball {
  fileprivate func distance(toX x: Int, y: Int) -> Double {
    hypot(Double(x) - self.x, Double(y) - self.y)
  }
}
