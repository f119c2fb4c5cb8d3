/// A header field of a target, as its requests need it.
enum HeaderLine: Sendable {
  /// The same in each request, filled in once.
  case fixed(RequestHead.Header)
  /// Filled in for each request; `isOfRun` says whether it has a value of the run.
  case template(Target.Field, isOfRun: Bool)

  /// Fields that only the transport writes. A target's own are ignored.
  private static let reserved = ["content-length", "transfer-encoding", "expect"]

  /// Nil if no request carries the field.
  init?(_ field: Target.Field) {
    guard !Self.reserved.contains(field.name.lowercased()) else { return nil }
    self = .template(field, isOfRun: field.value.asks(for: .opened))
    // If it cannot be sent, each request says so.
    guard field.value.fixed != nil, let header = try? field.header(with: .none) else { return }
    self = .fixed(header)
  }
}
