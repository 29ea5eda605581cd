#if !BUILDING_DOCUMENTATION
  @_exported import Foundation
#endif
