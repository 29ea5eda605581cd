// GooglyEyes — a ball over each eye, its pupil rolled somewhere.

import CCairo
import Glibc

package enum GooglyEyes {
  /// Draws two eyes on each face. The same `seed` rolls the pupils the same way.
  package static func draw(on faces: [Face], in picture: Picture, seed: String) {
    var dice = Dice(seed: seed)
    picture.draw { context in
      for face in faces {
        for eye in balls(over: face, dice: &dice) { draw(eye, context) }
      }
    }
  }

  package struct Ball: Equatable {
    package var x: Double
    package var y: Double
    package var radius: Double
    var pupilAngle: Double
    var pupilRadius: Double
  }

  /// The two balls of a face: a little larger than the eyes, one larger than the
  /// other, never overlapping.
  package static func balls(over face: Face, dice: inout Dice) -> [Ball] {
    let (left, right) = (face.leftEye, face.rightEye)
    let distance = hypot(right.x - left.x, right.y - left.y)
    let smaller = 0.88
    let radius = min(0.98 * max(left.width, right.width), 0.99 * distance / (1 + smaller))
    let leftIsLarger = dice.roll(0..<1) < 0.5
    return [(left, leftIsLarger), (right, !leftIsLarger)].map { eye, isLarger in
      Ball(
        x: eye.x, y: eye.y, radius: isLarger ? radius : radius * smaller,
        pupilAngle: dice.roll(0..<2 * Double.pi), pupilRadius: dice.roll(0.46..<0.56))
    }
  }

  private static func draw(_ ball: Ball, _ context: OpaquePointer) {
    cairo_save(context)
    defer { cairo_restore(context) }
    cairo_translate(context, ball.x, ball.y)
    cairo_scale(context, ball.radius, ball.radius)

    // From here on the ball has radius 1. Its shadow on the face:
    disc(context, x: 0.06, y: 0.14, radius: 1.12) {
      $0.stop(0.82, white: 0, alpha: 0.42)
      $0.stop(1, white: 0, alpha: 0)
    }
    // The plastic, lit from the upper left, and its rim.
    disc(context, x: 0, y: 0, radius: 1, lightX: -0.28, lightY: -0.34) {
      $0.stop(0, white: 1, alpha: 1)
      $0.stop(0.72, white: 0.97, alpha: 1)
      $0.stop(0.93, white: 0.84, alpha: 1)
      $0.stop(1, white: 0.62, alpha: 1)
    }
    cairo_arc(context, 0, 0, 0.975, 0, 2 * Double.pi)
    cairo_set_source_rgba(context, 0.1, 0.1, 0.12, 0.85)
    cairo_set_line_width(context, 0.05)
    cairo_stroke(context)
    // The pupil lies against the rim, where it has rolled.
    let reach = 0.93 - ball.pupilRadius
    let (x, y) = (reach * cos(ball.pupilAngle), reach * sin(ball.pupilAngle))
    disc(context, x: x, y: y, radius: ball.pupilRadius, lightX: -0.2, lightY: -0.25) {
      $0.stop(0, white: 0.2, alpha: 1)
      $0.stop(0.7, white: 0.05, alpha: 1)
      $0.stop(1, white: 0, alpha: 1)
    }
    // The window's light on the dome.
    cairo_save(context)
    cairo_translate(context, -0.38, -0.5)
    cairo_rotate(context, -0.7)
    cairo_scale(context, 0.34, 0.19)
    disc(context, x: 0, y: 0, radius: 1) {
      $0.stop(0, white: 1, alpha: 0.95)
      $0.stop(0.6, white: 1, alpha: 0.6)
      $0.stop(1, white: 1, alpha: 0)
    }
    cairo_restore(context)
  }

  /// A disc filled by a gradient whose centre lies a little off the disc's.
  private static func disc(
    _ context: OpaquePointer, x: Double, y: Double, radius: Double, lightX: Double = 0,
    lightY: Double = 0, stops: (OpaquePointer) -> Void
  ) {
    let gradient = cairo_pattern_create_radial(
      x + lightX * radius, y + lightY * radius, 0, x, y, radius)!
    stops(gradient)
    cairo_set_source(context, gradient)
    cairo_arc(context, x, y, radius, 0, 2 * Double.pi)
    cairo_fill(context)
    cairo_pattern_destroy(gradient)
  }

  /// SplitMix64 (Steele, Lea, Flood 2014), seeded by a text's FNV-1a hash.
  package struct Dice {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    package init(seed: String) {
      for byte in seed.utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func roll(_ range: Range<Double>) -> Double {
      state &+= 0x9e37_79b9_7f4a_7c15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
      bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
      bits ^= bits >> 31
      let share = Double(bits >> 11) / Double(1 << 53)
      return range.lowerBound + share * (range.upperBound - range.lowerBound)
    }
  }
}

extension OpaquePointer {
  /// Adds a colour stop to the gradient.
  fileprivate func stop(_ place: Double, white: Double, alpha: Double) {
    cairo_pattern_add_color_stop_rgba(self, place, white, white, white, alpha)
  }
}
