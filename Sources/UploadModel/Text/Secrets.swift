import Digests
import Foundation
import ScalarText

/// Texts that must be neither shown nor stored when a server repeats them.
///
/// They are found as bytes, in every spelling that `EncodedText` knows. A secret of 1 to 3 bytes is hidden only if
/// there is no letter or digit beside it. Otherwise a secret "1" would be removed from every number, and the gaps would
/// reveal it.
package struct Secrets: Sendable {
  private var texts: Set<[UInt8]>

  /// What replaces a secret.
  static let mark = "(secret)"

  /// Shorter secrets are hidden only as words of their own.
  private static let shortest = 4

  /// Hides these texts, with and without the white space around them, which servers may drop.
  package init(_ texts: some Sequence<String>) {
    let spelled = texts.flatMap { [$0, $0.trimming(\.isWhiteSpace)] }
    self.texts = Set(spelled.map { Array($0.utf8) }).subtracting([[]])
  }

  /// Also hides what `more` hides.
  package mutating func add(_ more: Secrets) { texts.formUnion(more.texts) }

  /// `text` with every secret replaced. If the text was cut off, the beginning of a secret at its end is hidden too.
  package func hidden(in text: String, isCut: Bool = false) -> String {
    guard !texts.isEmpty, !text.isEmpty else { return text }
    let spelled = EncodedText(text)
    let ranges = texts.flatMap { secret in
      spelled.ranges(
        of: secret, asWord: secret.count < Self.shortest, leastAtEnd: isCut ? Self.shortest : nil)
    }
    return ranges.isEmpty ? text : spelled.replacing(ranges, with: Self.mark)
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { texts.isEmpty }

  /// Whether a text contains none of the secrets.
  package func areAbsent(from text: String) -> Bool { hidden(in: text) == text }

  /// Changes, with every secret replaced in the texts that the server sent.
  package func hidden(in changes: [(ItemID, ItemState)]) -> [(ItemID, ItemState)] {
    changes.map { ($0.0, hidden(in: $0.1)) }
  }

  /// A state, with every secret replaced in the texts that the server sent.
  package func hidden(in state: ItemState) -> ItemState {
    guard !texts.isEmpty else { return state }
    switch state {
    case .failed(let failure): return .failed(hidden(in: failure))
    case .retrying(let failure, let next, let attempts, let instant):
      return .retrying(hidden(in: failure), next: next, of: attempts, at: instant)
    case .done(let receipt): return .done(hidden(in: receipt))
    case .processing(var processing):
      processing.receipt = hidden(in: processing.receipt)
      processing.trouble = processing.trouble.map { hidden(in: $0) }
      // An address in which a secret was replaced would lead nowhere.
      if let url = processing.url?.absoluteString, hidden(in: url) != url { processing.url = nil }
      return .processing(processing)
    case .waiting, .preparing, .sending, .awaitingReply, .paused: return state
    }
  }

  private func hidden(in receipt: Receipt) -> Receipt {
    var receipt = receipt
    receipt.url = receipt.url.map { hidden(in: $0) }
    receipt.deletionURL = receipt.deletionURL.map { hidden(in: $0) }
    receipt.reply = hidden(in: receipt.reply)
    receipt.doubt = receipt.doubt.map { hidden(in: $0) }
    if let sent = receipt.sent { receipt.sent?.name = hidden(in: sent.name) }
    if let taken = receipt.skipped { receipt.fate?.skipped = taken.mapText { hidden(in: $0) } }
    return receipt
  }

  /// A failure, with every secret replaced in the texts that the server sent.
  package func hidden(in failure: Failure) -> Failure {
    var failure = failure
    failure.cause = failure.cause.mapText { hidden(in: $0) }
    failure.reply = hidden(in: failure.reply)
    return failure
  }

  private func hidden(in reply: Reply) -> Reply {
    var reply = reply
    // Only the part of a reply that is kept is searched.
    if reply.text.utf8.count > Reply.limit {
      reply.text = String(decoding: reply.text.utf8.prefix(Reply.limit), as: UTF8.self)
      reply.isCut = true
    }
    reply.text = hidden(in: reply.text, isCut: reply.isCut)
    reply.mediaType = reply.mediaType.map { hidden(in: $0) }
    return reply
  }
}

extension Target {
  /// Whether its requests carry anything that tells the server who sends them.
  package var hasCredentials: Bool {
    if tokenCommand != nil || digest != nil || sigV4 != nil || tls.clientCertificate != nil {
      return true
    }
    let address = url.absoluteString
    return ticket != nil || !secrets.isEmpty || SecretQuery.hidden(in: address) != address
      || (headers + fields + query).contains { SecretName.matches($0.name) }
  }

  /// Everything in the target that must be hidden.
  package var secrets: Secrets {
    let inAddress = addressStretches(with: .none).compactMap { stretch in
      if case .secret(let secret, _) = stretch { secret } else { nil }
    }
    let all = (templates.flatMap(\.secrets) + inAddress).map(\.value) + ingredients
    // Of "Bearer abc", servers may repeat only "abc"; "Bearer" is not secret.
    let words = all.flatMap { $0.split(scalar: " ", omittingEmptySubsequences: true).dropFirst() }
    // S3 repeats a request whose signature is wrong, once as text and once as bytes in hexadecimal.
    let spelled = [sigV4?.token].compactMap { token in
      token?.fixedText.utf8.map { [$0].hexadecimal }.joined(separator: " ")
    }
    return Secrets(all + words + spelled + inAddress.compactMap(\.value.removingPercentEncoding))
  }
}
