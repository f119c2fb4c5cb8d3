import UploadModel

/// The prompt for the bandwidth: "2 MB/s", or nothing for no limit.
struct LimitPrompt: Hashable, Sendable {
  var field = TextField()
  /// Whether what was typed last is no speed.
  var isRefused = false

  /// What stood there at first: rounded, so that it is no answer.
  private var original: String?

  init(_ limit: Int64?) {
    let text = limit.map { HumanReadable.speed(Double($0)) } ?? ""
    field.set(text)
    original = text
  }

  init(text: String) { field.set(text) }

  /// Whether what stood there at first stands there still.
  var isUntouched: Bool { field.text == original }

  /// What the person asks for; `nil` where it is no speed.
  var answer: Limit? {
    if isUntouched { return .asItIs }
    let text = field.text.lowercased().filter { !$0.isWhitespace }
    if ["", "off", "none", "0"].contains(text) { return .off }
    return ByteCount.speed(text).map(Limit.bytesPerSecond)
  }

  enum Limit: Hashable, Sendable {
    case asItIs
    case off
    case bytesPerSecond(Int64)
  }
}
