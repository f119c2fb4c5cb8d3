import UploadModel

/// The secrets of the targets in use. A server may repeat them in its reply, and what it says is kept.
public struct Secrets: Sendable {
  private var texts: [String]

  /// Texts that are to be hidden wherever they occur. Short ones are too common to be secrets.
  public init(_ texts: some Sequence<String> = []) {
    self.texts = Set(texts.filter { $0.utf8.count >= 6 }).sorted { $0.count > $1.count }
  }

  /// Hides further texts.
  public mutating func add(_ more: some Sequence<String>) { self = Secrets(texts + Array(more)) }

  /// `text` with every secret replaced.
  public func hidden(in text: String) -> String {
    texts.reduce(text) { $0.contains($1) ? $0.replacing($1, with: "(secret)") : $0 }
  }

  func hidden(in cause: Failure.Cause) -> Failure.Cause {
    guard !texts.isEmpty else { return cause }
    return CauseText.decode(hidden(in: CauseText.encode(cause)))
  }
}
