import Foundation
import JSONText

/// Texts that must not be shown nor kept, wherever a server repeats them.
public struct Secrets: Sendable {
  private var texts: [String] = []

  /// Nothing, so far.
  public init() {}

  /// These texts, as they are and in the forms in which servers repeat them. Short ones are too common
  /// to be secrets.
  public init(_ texts: some Sequence<String>) { add(texts) }

  /// Hides further texts.
  public mutating func add(_ more: some Sequence<String>) {
    let forms = more.filter { $0.utf8.count >= 6 }.flatMap { text in
      let json = JSONValue.escaped(text)
      return [text, json, json.replacing("/", with: "\\/"), PercentEncoding.encode(text)]
    }
    texts = Self.sorted(texts + forms)
  }

  /// Hides what others hide, too.
  public mutating func add(_ more: Secrets) { texts = Self.sorted(texts + more.texts) }

  /// The longest first: one may be a part of another.
  private static func sorted(_ texts: [String]) -> [String] {
    Set(texts).sorted { ($1.utf8.count, $0) < ($0.utf8.count, $1) }
  }

  /// `text` with every secret replaced.
  public func hidden(in text: String) -> String {
    texts.reduce(text) { $0.contains($1) ? $0.replacing($1, with: "(secret)") : $0 }
  }

  /// A state with every secret replaced in what the server said.
  public func hidden(in state: ItemState) -> ItemState {
    guard !texts.isEmpty else { return state }
    switch state {
    case .failed(let failure): return .failed(hidden(in: failure))
    case .retrying(let failure, let next, let attempts, let moment):
      return .retrying(hidden(in: failure), next: next, of: attempts, at: moment)
    case .done(var receipt):
      receipt.url = receipt.url.map { hidden(in: $0) }
      receipt.reply.text = hidden(in: receipt.reply.text)
      return .done(receipt)
    case .waiting, .preparing, .sending, .awaitingReply, .paused: return state
    }
  }

  private func hidden(in failure: Failure) -> Failure {
    var failure = failure
    failure.cause = hidden(in: failure.cause)
    failure.reply.text = hidden(in: failure.reply.text)
    return failure
  }

  /// A cause has texts in many places; as JSON they are all in one.
  private func hidden(in cause: Failure.Cause) -> Failure.Cause {
    guard let data = try? JSONEncoder().encode(cause) else { return cause }
    let text = String(decoding: data, as: UTF8.self)
    let hidden = hidden(in: text)
    if hidden == text { return cause }
    return (try? JSONDecoder().decode(Failure.Cause.self, from: Data(hidden.utf8))) ?? cause
  }
}

extension Target {
  /// Everything in it that is kept from view.
  public var secrets: Secrets {
    let calls = [server.list?.call, server.delete, server.create, ticket?.call].compactMap(\.self)
    let templates =
      (headers + fields + query).map(\.value) + [fileName].compactMap(\.self)
      + calls.flatMap { [$0.url] + [$0.json].compactMap(\.self) } + (prepare?.words ?? [])
    let values = Template.Values(now: Date(timeIntervalSince1970: 0), uuid: UUID())
    let inAddress = addressStretches(with: values).compactMap { stretch in
      if case .secret(let secret, _) = stretch { secret } else { nil }
    }
    let all = (templates.flatMap(\.secrets) + inAddress).map(\.value)
    // Of "Bearer abc" servers repeat the second half; the first one is no secret.
    let words = all.flatMap { $0.split(separator: " ").dropFirst().map(String.init) }
    return Secrets(all + words + inAddress.compactMap(\.value.removingPercentEncoding))
  }
}
