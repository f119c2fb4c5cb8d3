/// How an attempt to send a file ended: one word, which the history stores and scripts read.
package enum AttemptOutcome: RawRepresentable, Hashable, Sendable {
  /// The server took the file.
  case done
  /// The server had the file already.
  case wasThere
  /// The user paused the attempt.
  case paused
  /// hoist was quit, or told to end, while the attempt was under way.
  case stopped
  /// The file was put back in line, for a reason that has nothing to do with the file itself.
  case withdrawn
  /// hoist ended in the middle of the attempt, without a chance to record that.
  case interrupted
  /// The attempt failed, with this `Failure.code`.
  case failed(String)

  private static let named: [Self] = [
    .done, .wasThere, .paused, .stopped, .withdrawn, .interrupted,
  ]

  /// Takes a word that names no other outcome for the code of a failure.
  package init(rawValue: String) {
    self = Self.named.first { $0.rawValue == rawValue } ?? .failed(rawValue)
  }

  package var rawValue: String {
    switch self {
    case .done: "done"
    case .wasThere: "there-already"
    case .paused: "paused"
    case .stopped: "stopped"
    case .withdrawn: "withdrawn"
    case .interrupted: "interrupted"
    case .failed(let code): code
    }
  }

  /// Nobody can tell whether the server took the file: no answer came, or the answer could not be judged.
  package static let unknown = Self.failed(Failure(.outcomeUnknown("")).code)
  /// Outcomes after which the server may have the file even though the attempt failed (`Failure.mayHaveArrived`).
  package static let doubtful = Failure.codesOfDoubt.map(Self.failed)
  /// Outcomes that do not count as failures.
  package static let harmless: [Self] = [.done, .wasThere, .paused, .stopped, .withdrawn]
}
