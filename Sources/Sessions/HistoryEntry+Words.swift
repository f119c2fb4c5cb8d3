import Foundation
import ScalarText
import Screens
import UploadModel
import UploadStore

extension HistoryEntry {
  /// How the file grew while it was sent; nil if it did not.
  package var growthWords: String? { growth.map(Receipt.words(ofGrowth:)) }

  /// How the attempt ended, in one word; "sending" if it has not.
  package var word: String { outcome?.rawValue ?? "sending" }

  /// When the attempt ended, or when it began if it has not ended.
  package var moment: Date { ended ?? began }

  /// How the attempt ended, for people: the HTTP status if that is enough, otherwise the outcome in words.
  package var outcomeWords: String {
    let proof = verified.map { ", verified \($0)" } ?? ""
    return switch outcome {
    case .done:
      doubt.map { "\(status ?? 200), but \(Receipt.words(ofDoubt: $0))" }
        ?? growthWords.map { "\(status ?? 200), but \($0)" }
        ?? (status.map { Failure.statusLine($0) } ?? "sent") + proof
    case .wasThere: growthWords.map { "there already, but \($0)" } ?? "there already\(proof)"
    case .skipped: "skipped, the name is taken"
    case .confirmed: "arrived, confirmed by hand"
    case .withdrawn: message.map { "not sent: \($0)" } ?? "not sent"
    case nil: "under way"
    default:
      headline + (hasUnclearWords ? ", may have arrived" : "")
    }
  }

  /// Whether only the status says why it failed.
  var isRefused: Bool {
    status.map { word == Failure(.refused, status: $0).code } ?? false
  }

  private var isOutcomeUnknown: Bool { word == Failure(.outcomeUnknown("")).code }

  /// Whether the words for it end by saying that the file may have arrived.
  private var hasUnclearWords: Bool { arrival == .unclear && (isRefused || isOutcomeUnknown) }

  /// How it failed, in a few words.
  private var headline: String {
    if isRefused { return Failure.statusLine(status) }
    if isOutcomeUnknown {
      // In the queue's words.
      return status.map { Failure.statusLine($0) }
        ?? message.flatMap(Failure.doubt).map { SafeText.beginning(of: $0) } ?? "no complete answer"
    }
    return Failure.headline(ofCode: word)
  }

  /// Why it failed, in the words by which failures are gathered.
  package var failureReason: FailureReason {
    FailureReason(
      headline, status: status, said: failure.said, of: name,
      isUnclear: hasUnclearWords)
  }

  /// Why it failed, beyond `outcomeWords`, in a phrase: the server's own message, or else the beginning of hoist's. Nil if
  /// it did not fail, or if the status says it all.
  package var reason: String? {
    guard end == .failed else { return nil }
    if failure.reply.message != nil { return failure.said }
    return isRefused ? nil : message.map(Self.firstSentence)
  }

  private static func firstSentence(_ text: String) -> String {
    if let end = text.range(scalars: ". ") { return String(text[..<end.lowerBound]) }
    return text.hasSuffix(scalars: ".") ? String(text.dropLast()) : text
  }

  private var failure: Failure {
    Failure(isRefused ? .refused : .rejected(""), status: status, reply: Reply(text: reply ?? ""))
  }

  /// How the attempt ended, in the categories of the screen and the report page.
  package var end: HistoryRow.End {
    switch outcome {
    case .done where doubt != nil, _ where growth != nil: .doubtful
    case .done, .wasThere, .confirmed: .sent
    case .skipped: .skipped
    case nil, .paused, .stopped, .withdrawn: .open
    default: arrival == .unclear ? .unknown : .failed
    }
  }
}
