/// An error for the user at the command line: what failed, why, and what to do about it.
struct UserError: Error, CustomStringConvertible {
  var status = ExitStatus.usage
  let description: String

  init(_ description: String, status: ExitStatus = .usage) {
    self.description = description
    self.status = status
  }
}
