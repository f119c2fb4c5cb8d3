import UploadModel

/// Servers repeat what they were sent, in error pages above all. Whatever they say of a token is kept
/// from everybody: what is told ends up on screens, in logs and in the history.
extension BearerToken {
  /// The text with "(token)" in place of the token, also where a URL or a JSON text has it in another
  /// spelling.
  func hidden(in text: String) -> String {
    let (bytes, secret) = (Array(text.utf8), Array(self.text.utf8))
    var (kept, position, isFound) = ([UInt8](), 0, false)
    while position < bytes.count {
      if let end = Self.end(of: secret, in: bytes, from: position) {
        kept += Array(description.utf8)
        (position, isFound) = (end, true)
      } else {
        kept.append(bytes[position])
        position += 1
      }
    }
    return isFound ? String(decoding: kept, as: UTF8.self) : text
  }

  func hidden(in reply: Reply) -> Reply {
    var reply = reply
    reply.text = hidden(in: reply.text)
    return reply
  }

  func hidden(in failure: Failure) -> Failure {
    var failure = failure
    failure.cause = failure.cause.mapText(hidden)
    failure.reply = hidden(in: failure.reply)
    return failure
  }

  func hidden(in state: ItemState) -> ItemState {
    switch state {
    case .done(var receipt):
      receipt.url = receipt.url.map(hidden)
      receipt.reply = hidden(in: receipt.reply)
      return .done(receipt)
    case .failed(let failure): return .failed(hidden(in: failure))
    case .retrying(let failure, let next, let all, let moment):
      return .retrying(hidden(in: failure), next: next, of: all, at: moment)
    case .waiting, .preparing, .sending, .awaitingReply, .paused: return state
    }
  }

  /// Where the secret ends that begins at a position, if it does.
  private static func end(of secret: [UInt8], in text: [UInt8], from start: Int) -> Int? {
    var position = start
    for byte in secret {
      guard let next = after(byte, in: text, at: position) else { return nil }
      position = next
    }
    return position
  }

  /// The position behind a byte in any of its spellings: itself, `%2F` (RFC 3986 §2.1), `\/` and
  /// `\u002F` (RFC 8259 §7).
  private static func after(_ byte: UInt8, in text: [UInt8], at position: Int) -> Int? {
    guard position < text.count else { return nil }
    func isSpelled(by digits: Range<Int>) -> Bool {
      guard digits.upperBound <= text.count else { return false }
      return UInt32(String(decoding: text[digits], as: UTF8.self), radix: 16) == UInt32(byte)
    }
    let next = position + 1
    if text[position] == UInt8(ascii: "%"), isSpelled(by: next..<next + 2) { return next + 2 }
    if text[position] == UInt8(ascii: "\\"), next < text.count {
      if text[next] == UInt8(ascii: "u"), isSpelled(by: next + 1..<next + 5) { return next + 5 }
      if text[next] == byte, !isLetter(byte) { return next + 1 }
    }
    return text[position] == byte ? next : nil
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte & 0xDF)
  }
}
