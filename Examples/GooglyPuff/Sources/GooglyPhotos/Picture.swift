// Picture — pixels in memory: 0xAARRGGBB, colours multiplied by alpha.
//
// Touching   whoever was handed the picture; it is never shared while written.

import CCairo
import CPictures
import Glibc

package final class Picture {
  package enum Format: Sendable {
    case jpeg
    case png

    package var fileExtension: String {
      switch self {
      case .jpeg: "jpg"
      case .png: "png"
      }
    }

    var code: cpictures_format {
      switch self {
      case .jpeg: cpictures_jpeg
      case .png: cpictures_png
      }
    }
  }

  /// Owns `pixels` and `profile`, both from `malloc`.
  var storage: cpictures_picture

  init(owning storage: cpictures_picture) {
    self.storage = storage
  }

  /// A picture of one colour.
  package init(width: Int, height: Int, colour: UInt32) throws(PhotoFailure) {
    guard let pixels = malloc(width * height * 4) else { throw .outOfMemory }
    pixels.initializeMemory(as: UInt32.self, repeating: colour, count: width * height)
    storage = cpictures_picture()
    storage.width = Int32(width)
    storage.height = Int32(height)
    storage.format = cpictures_png
    storage.transparent = colour >> 24 == 255 ? 0 : 1
    // SAFETY: nothing reads these bytes as another type than through raw pointers.
    storage.pixels = pixels.assumingMemoryBound(to: UInt8.self)
  }

  deinit {
    cpictures_free(&storage)
  }

  /// Has the memory of pictures go back to the system from now on, in programs that stay.
  package static func returnMemory() { cpictures_return_memory() }

  package var width: Int { Int(storage.width) }
  package var height: Int { Int(storage.height) }
  package var isTransparent: Bool { storage.transparent != 0 }

  /// The format of the file that the picture came from.
  package var format: Format { storage.format == cpictures_jpeg ? .jpeg : .png }

  /// The pixel in column `x` of row `y`.
  package subscript(x: Int, y: Int) -> UInt32 {
    get { pixel(x, y).loadUnaligned(as: UInt32.self) }
    set { pixel(x, y).storeBytes(of: newValue, as: UInt32.self) }
  }

  private func pixel(_ x: Int, _ y: Int) -> UnsafeMutableRawPointer {
    precondition(x >= 0 && x < width && y >= 0 && y < height, "no pixel (\(x), \(y))")
    return UnsafeMutableRawPointer(storage.pixels + (y * width + x) * 4)
  }

  /// Draws on the pixels.
  func draw<R>(_ body: (_ context: OpaquePointer) throws -> R) rethrows -> R {
    let surface = cairo_image_surface_create_for_data(
      storage.pixels, CAIRO_FORMAT_ARGB32, storage.width, storage.height, storage.width * 4)
    let context = cairo_create(surface)!
    defer {
      cairo_destroy(context)
      cairo_surface_finish(surface)
      cairo_surface_destroy(surface)
    }
    return try body(context)
  }

  /// A smaller copy whose longer side has `side` pixels; the picture itself if it
  /// has no more.
  package func reduced(toSide side: Int) throws(PhotoFailure) -> Picture {
    let longer = max(width, height)
    guard longer > side else { return self }
    let scale = Double(side) / Double(longer)
    let copy = try Picture(
      width: max(1, Int((Double(width) * scale).rounded())),
      height: max(1, Int((Double(height) * scale).rounded())), colour: 0)
    copy.storage.format = storage.format
    copy.storage.transparent = storage.transparent
    try copy.copyProfile(of: self)
    let source = cairo_image_surface_create_for_data(
      storage.pixels, CAIRO_FORMAT_ARGB32, storage.width, storage.height, storage.width * 4)
    defer {
      cairo_surface_finish(source)
      cairo_surface_destroy(source)
    }
    copy.draw { context in
      cairo_scale(
        context, Double(copy.width) / Double(width), Double(copy.height) / Double(height))
      cairo_set_source_surface(context, source, 0, 0)
      let pattern = cairo_get_source(context)
      cairo_pattern_set_filter(pattern, CAIRO_FILTER_GOOD)
      // Beyond the border stands the border, lest edges fade.
      cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
      cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
      cairo_paint(context)
    }
    return copy
  }

  private func copyProfile(of other: Picture) throws(PhotoFailure) {
    guard let profile = other.storage.profile else { return }
    let size = Int(other.storage.profile_size)
    guard let copy = malloc(size) else { throw .outOfMemory }
    memcpy(copy, profile, size)
    // SAFETY: fresh from `malloc`, filled as bytes.
    storage.profile = copy.assumingMemoryBound(to: UInt8.self)
    storage.profile_size = other.storage.profile_size
  }
}
