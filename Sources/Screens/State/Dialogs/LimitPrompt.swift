import UploadModel

/// The prompt for the bandwidth: "2 MB/s", or nothing for no limit.
struct LimitPrompt: Hashable, Sendable {
  var field = TextField()
  /// Whether the last input was not a speed.
  var isRefused = false

  /// The initial text. It is rounded, so it does not count as an answer.
  private var original: String?

  init(_ limit: Int64?) {
    let text = limit.map { HumanReadable.speed(Double($0)) } ?? ""
    field.set(text)
    original = text
  }

  init(text: String) { field.set(text) }

  /// Whether the text is still the initial one.
  var isUntouched: Bool { field.text == original }

  /// The limit that the user asks for, in bytes a second, 0 for none; `nil` if the text is not a speed.
  var answer: Int64? {
    let text = field.text.lowercased().filter { !$0.isWhitespace }
    return ["", "off", "none", "0"].contains(text) ? 0 : ByteCount.speed(text)
  }
}
