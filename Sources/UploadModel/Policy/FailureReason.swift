import ScalarText

/// Why a file failed, in the words by which failures are gathered: the cause and what the server said.
package struct FailureReason: Hashable, Sendable {
  /// What became of the file. Lists of reasons are in this order: what has failed can be mended here, whereas somebody
  /// has to look at the server for the rest.
  package enum Fate: Int, Sendable { case failed, mayHaveArrived, doubtful }

  /// "403, not yours", "404 Not Found", "file is missing", "500, disk full, may have arrived", "no reply within 5 s, may
  /// have arrived", "doubtful: 200, quota exceeded".
  package var words: String {
    switch fate {
    case .failed: cause
    case .mayHaveArrived: "\(cause), may have arrived"
    case .doubtful: "doubtful: \(cause)"
    }
  }
  /// The same without what became of the file.
  package let cause: String
  package private(set) var fate: Fate

  package init(_ failure: Failure, of name: String) {
    self.init(failure, said: failure.said, of: name)
  }

  /// - Parameter said: `failure.said`, which takes time to find.
  package init(_ failure: Failure, said: String?, of name: String) {
    self.init(
      failure.causeInWords, status: failure.status, said: said, of: name,
      isUnclear: failure.isOutcomeUnknown)
  }

  /// - Parameters:
  ///   - headline: The cause in a few words; the status line, if the status says it all.
  ///   - said: What the server said; nil if it said nothing.
  ///   - name: The name of the file. In the server's words, it gives way to an ellipsis, so that the same words about
  ///     two files are the same reason.
  ///   - isUnclear: Whether the file may have arrived, which the headline does not say.
  package init(
    _ headline: String, status: Int?, said: String?, of name: String, isUnclear: Bool = false
  ) {
    var words = headline
    if let said {
      let status = status.map(String.init)
      let isOfStatus = status.map { headline == $0 || headline.hasPrefix(scalars: $0 + " ") }
      let cause = isOfStatus == true ? status ?? headline : headline
      words = "\(cause), \(Self.replacing(name, in: SecretQuery.hidden(in: Reply.stem(said))))"
    }
    cause = words
    fate = isUnclear ? .mayHaveArrived : .failed
  }

  /// Why a file that was sent is doubtful; nil if it is not.
  package init?(_ receipt: Receipt, of name: String) {
    guard let because = receipt.doubtfulBecause else { return nil }
    let (status, doubt) = ("\(receipt.status)", receipt.doubt)
    // How much of a reply arrived, and by how much a file has grown, differ from file to file.
    if let doubt, !Receipt.isBreak(doubt) {
      self.init(status, status: receipt.status, said: because, of: name)
    } else {
      let headline = doubt == nil ? "the file has grown" : "reply broke off"
      self.init("\(status), \(headline)", status: nil, said: nil, of: name)
    }
    fate = .doubtful
  }

  /// A text with an ellipsis for a name, where the name is not a part of a longer word.
  private static func replacing(_ name: String, in text: String) -> String {
    let (name, text) = (Array(name.utf8), Array(text.utf8))
    guard !name.isEmpty, text.count >= name.count else {
      return String(decoding: text, as: UTF8.self)
    }
    func isOfWord(_ place: Int) -> Bool {
      text.indices.contains(place) && (text[place].isAlphanumeric || text[place] >= 0x80)
    }
    var (result, place) = ([UInt8](), 0)
    while place < text.count {
      let end = place + name.count
      if text[place...].starts(with: name), !isOfWord(place - 1), !isOfWord(end) {
        result += "…".utf8
        place = end
      } else {
        result.append(text[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension Failure {
  /// The server's message, unless it only repeats the status, as the titles of many pages do.
  package var said: String? {
    reply.message.flatMap { words in
      if cause == .refused, Markup.isStatus(words) { return nil }
      // The headings of pages often begin with it.
      let isPage = reply.text.unicodeScalars.first { !$0.isWhiteSpace } == "<"
      return status.flatMap { isPage ? words.removingPrefix(scalars: "\($0) ") : nil } ?? words
    }
  }

  /// Why it failed, in a few words, without saying that the file may have arrived.
  fileprivate var causeInWords: String {
    guard case .outcomeUnknown(let why) = cause else { return headline }
    return status.map { Self.statusLine($0) } ?? SafeText.beginning(of: why)
  }

  /// The cause in a few words and what the server said: one line, safe and not too long.
  package var line: String {
    if case .outcomeUnknown = cause {
      return "\(headline): \(SafeText.beginning(of: doubt))"
    }
    guard let said else { return headline }
    return "\(headline), the server said: \(SafeText.beginning(of: SecretQuery.hidden(in: said)))"
  }
}
