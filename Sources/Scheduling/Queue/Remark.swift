import UploadModel

/// A line about something that has happened to a queue, made safe only where it is shown.
package struct Remark: Hashable, Sendable {
  package enum Tone: Sendable {
    case plain
    /// A step on the way, which is soon followed by another.
    case step
    case good, warning, bad
  }

  /// How a file ended, as far as it is the same for many files.
  package struct End: Hashable, Sendable {
    /// "sent", "failed".
    package var word: String
    /// Why, if it failed.
    package var reason: String?

    package var hasFailed: Bool { word == "failed" }
    /// Whether the file was not sent, or perhaps not, or not for certain.
    package var isProblem: Bool { ["failed", "may have arrived", "doubtful"].contains(word) }

    /// A person says that the file has arrived.
    fileprivate static let confirmed = "confirmed by hand"

    /// The sign before a line about it.
    package var sign: String {
      switch word {
      case "skipped": "·"
      case "sent", "there already", Self.confirmed: "✓"
      case "doubtful": "!"
      case "to be tried again": "↻"
      case "failed": "✗"
      default: "?"
      }
    }
  }

  package var text: String
  package var tone: Tone
  /// Whether it is said to the user at once, in addition to being logged.
  package var isMessage = false
  /// Why files wait for credentials, if the remark is about that. It then goes on to say how to correct that, which
  /// differs from observer to observer.
  package var trouble: CredentialTrouble?
  /// The target that has this trouble.
  package var target = ""
  /// The files that are left to finish, if it is about that.
  package private(set) var spared: [ItemID] = []
  /// How a file has ended, if it is about that.
  package var end: End?
  /// What that file is called, and its name without its target.
  package var file = "", fileName = ""

  package init(
    _ text: String, _ tone: Tone = .plain, isMessage: Bool = false,
    correcting trouble: CredentialTrouble? = nil
  ) {
    (self.text, self.tone) = (text, tone)
    (self.isMessage, self.trouble) = (isMessage, trouble)
  }

  private init(
    _ text: String, _ tone: Tone, _ word: String, because reason: String? = nil, of file: String,
    _ item: UploadItem
  ) {
    (self.text, self.tone, self.file, fileName) = (text, tone, file, item.fileName)
    end = End(word: word, reason: reason)
  }

  /// The sign before a line about the end of an attempt; nil if it is not about that.
  package var sign: String? { end?.sign }

  /// Says that items are paused; nil if no items are given. Create it only once they are paused: an item that is being
  /// sent may arrive instead.
  package init?(paused names: [String]) {
    guard let first = names.first else { return nil }
    self.init(
      names.count == 1
        ? "\(first): paused" : "\(HumanReadable.count(names.count, "file")) paused")
  }

  /// Says that files were to be paused, and are left to finish.
  package init(spared items: [UploadItem]) {
    self.init(
      items.count == 1
        ? "\(items[0].fileName) is left to finish: the server may have it"
        : "\(HumanReadable.count(items.count, "file")) are left to finish: the server may have them",
      isMessage: true)
    spared = items.map(\.id)
  }

  /// Says that a file has grown while it was sent.
  package init(grew name: String) {
    self.init(
      "\(name): the file has grown, and is sent again from its beginning", isMessage: true)
  }

  /// What is said of an item, by a name, that has become `new`; nil if that is not worth a line.
  package init?(
    _ item: UploadItem, called name: String, became new: ItemState, at now: Instant
  ) {
    // Of many files, in the words by which failures are gathered. That they may have arrived is said beside it.
    func reason(_ failure: Failure) -> String { FailureReason(failure, of: item.fileName).cause }
    switch new {
    case .done(let receipt) where receipt.isDoubtful:
      self.init(
        "\(name): \(receipt.words)", .warning, "doubtful", because: receipt.doubtfulBecause,
        of: name, item)
    case .done(let receipt):
      let word =
        receipt.skipped != nil
        ? "skipped"
        : receipt.isConfirmed ? End.confirmed : receipt.wasThere ? "there already" : "sent"
      self.init("\(name): \(receipt.words)", .good, word, of: name, item)
    case .failed(let failure):
      let word = failure.mayHaveArrived ? "may have arrived" : "failed"
      self.init("\(name): \(failure.line)", .bad, word, because: reason(failure), of: name, item)
    case .retrying(let failure, let next, let limit, let instant):
      let wait = HumanReadable.seconds(max(0, instant - now))
      self.init(
        "\(name): \(failure.line); try \(ItemState.attempt(next, of: limit)) in \(wait)", .warning,
        "to be tried again", because: reason(failure), of: name, item)
    case .preparing(let attempt):
      self.init("\(name): \(attempt > 1 ? "try \(attempt)" : "begun")", .step)
    case .processing(let processing): self.init("\(name): \(processing.words)", .step)
    case .waiting, .sending, .awaitingReply, .paused: return nil
    }
  }
}
