import Foundation
import MultipartForm
import UploadModel

/// Decides what the result of a request means for each file in it.
package struct BatchEnd: Sendable {
  /// One of the request's files.
  package struct File: Hashable, Sendable {
    package let id: ItemID
    /// How many of the file's bytes were handed over.
    package var bytes: Int64 = 0
    /// The fault of this file alone, if any.
    package var cause: Failure.Cause?
    /// Whether the user stopped the file's upload.
    package var isStopped = false
    /// The file as the request described it to the server.
    package var sent: SentFile?
    /// The digests of the content sent, if known.
    package var digests: ContentDigests?
    /// The moment whose content was sent, if it was recorded.
    package var moment: FileMoment?
    /// By how many bytes the file has grown since it was opened, if it may grow.
    package var growth: Int64?

    package init(id: ItemID) { self.id = id }
  }

  package enum Outcome: Hashable, Sendable {
    /// The file's request has ended like this, and this is what that means for the file.
    indirect case ended(TransferEnd, Verdict)
    /// The file is sent again, and this attempt does not count.
    case startsOver
  }

  /// The outcome for each file, in the order of the request.
  package private(set) var outcomes: [(id: ItemID, outcome: Outcome)] = []
  /// Groups of files that start over, each in a request of its own. Files in no group are free to join any request.
  package private(set) var groups: [[ItemID]] = []

  /// Judges the end of a request as a whole and for each of its files, in order. `attempt` counts from 1, and
  /// `redirects` is the number of redirects that it has followed. `now` is the wall clock, for a `Retry-After` that names
  /// a date.
  package init(
    _ end: TransferEnd, files: [File], target: Target, attempt: Int, redirects: Int = 0, now: Date
  ) {
    let isBrokenOff = files.count > 1 && Self.isBrokenOff(end, files)
    for (index, file) in files.enumerated() {
      var own = end
      (own.bytes, own.sent) = (file.bytes, file.sent)
      own.moment = file.moment ?? own.moment
      own.growth = file.growth
      own.digests = file.digests ?? own.digests
      // The reply to one file may have been about several, like that to a question.
      if files.count > 1 { own.place = TransferEnd.Place(index, of: files.count) }
      if let cause = file.cause {
        own.trouble = cause
      } else if isBrokenOff, file.isStopped {
        own.trouble = .cancelled
      } else if isBrokenOff {
        guard end.sentAll else {
          outcomes.append((file.id, .startsOver))
          continue
        }
        // The server may have all of the file, so its reply counts, if there is one.
        own.trouble =
          end.status == nil
          ? .connectionLost("the request was cut off because of another file") : nil
      }
      let verdict = Verdict.judge(
        own, target: target, attempt: attempt, redirects: redirects, now: now)
      outcomes.append((file.id, .ended(own, verdict)))
    }
    guard !isBrokenOff, Self.isSplit(end, files, target: target, attempt: attempt, now: now)
    else { return }
    for index in files.indices where !files[index].isStopped {
      outcomes[index].outcome = .startsOver
    }
    let again = files.filter { !$0.isStopped }.map(\.id)
    groups = [again.prefix((again.count + 1) / 2), again.suffix(again.count / 2)]
      .map(Array.init).filter { !$0.isEmpty }
  }

  /// Whether the request was cancelled because of some of its files.
  private static func isBrokenOff(_ end: TransferEnd, _ files: [File]) -> Bool {
    files.contains { $0.cause != nil }
      || end.trouble == .cancelled && files.contains(where: \.isStopped)
  }

  /// Whether to split the request because all files would fail over a fault that may lie with only one of them.
  private static func isSplit(
    _ end: TransferEnd, _ files: [File], target: Target, attempt: Int, now: Date
  ) -> Bool {
    guard files.count > 1, target.batch?.splitsRefused == true else { return false }
    var target = target
    // What the rules say about individual files does not count as a refusal of the whole request.
    target.response = target.response.ofWholeRequest
    guard
      case .failed(let failure) = Verdict.judge(
        end, target: target, attempt: attempt, redirects: 0, now: now)
    else { return false }
    // Files that may have been stored are not sent again automatically, in halves or as a whole.
    return failure.mayConcernOneFile && !failure.mayHaveArrived
      && target.delay(after: failure, at: end.url, random: 0) == nil
  }
}
