import UploadModel

/// The prompt for the bandwidth: "2 MB/s", or nothing for no limit.
struct LimitPrompt: Hashable, Sendable {
  var field = TextField()
  /// Whether what was typed last is no speed.
  var isRefused = false

  init(_ limit: Int64?) {
    if let limit { field.set(Wording.speed(Double(limit))) }
  }

  init(text: String) { field.set(text) }

  /// What the person asks for; `nil` where it is no speed.
  var answer: Limit? {
    let text = field.text.lowercased().filter { !$0.isWhitespace }
    if ["", "off", "none", "0"].contains(text) { return .off }
    return ByteCount.speed(text).map(Limit.bytesPerSecond)
  }

  enum Limit: Hashable, Sendable {
    case off
    case bytesPerSecond(Int64)
  }
}
