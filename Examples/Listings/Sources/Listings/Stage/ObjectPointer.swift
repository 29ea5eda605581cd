// ObjectPointer — an object as the `info` of a C-style context.

/// What a context needs to keep the object that its pointer is to.
enum ObjectPointer {
  /// The object's address. It keeps nothing: for as long as it is followed, somebody else must.
  static func to(_ object: AnyObject) -> UnsafeMutableRawPointer {
    // SAFETY: whoever follows the pointer keeps the object, by `retain` or otherwise.
    Unmanaged.passUnretained(object).toOpaque()
  }

  /// A context's `retain`.
  static func retain(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
    // SAFETY: `release` balances it.
    if let info { _ = Unmanaged<AnyObject>.fromOpaque(info).retain() }
    return info
  }

  /// A context's `release`.
  static func release(_ info: UnsafeRawPointer?) {
    // SAFETY: it balances `retain`.
    if let info { Unmanaged<AnyObject>.fromOpaque(info).release() }
  }

  /// The object at the address, which somebody keeps.
  static func object<Object: AnyObject>(
    at info: UnsafeMutableRawPointer?, as type: Object.Type
  ) -> Object {
    // SAFETY: the context that the pointer comes from has retained an object of this class.
    Unmanaged<Object>.fromOpaque(info!).takeUnretainedValue()
  }
}
