import Foundation

/// Something that kept hoist from doing what it was asked to: what, why, and what to do about it.
struct UserError: Error, CustomStringConvertible {
  var status = ExitStatus.usage
  let description: String

  init(_ description: String, status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }
}
