import Foundation

/// A request to a target's server that is not an upload: its placeholders are filled in each time.
public struct ServerCall: Hashable, Sendable {
  /// Where it goes: a whole URL once it is filled in.
  public var url: Template
  /// The HTTP method, in upper case.
  public var method: String
  /// The body, JSON once it is filled in; nil for none.
  public var json: Template?
  /// How its reply is judged.
  public var rules: ReplyRules

  /// A call.
  public init(
    url: Template, method: String = "GET", json: Template? = nil, rules: ReplyRules = ReplyRules()
  ) {
    self.url = url
    self.method = method
    self.json = json
    self.rules = rules
  }
}
