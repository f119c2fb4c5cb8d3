import Scheduling
import UploadModel

/// The requests before the first file of a run and after its last.
extension ServerClient {
  /// Sends the request before the first file. Returns the values in the reply, and whether a server other than the
  /// target's own sent it.
  func opening(
    by call: Call
  ) async -> Result<(values: [String: String], isFromAway: Bool), Failure> {
    do throws(Failure) {
      let end = try await reply(to: call, values())
      switch call.values.found(in: end) {
      case .success(let values): return .success((values, Origin(end.url) != target.origin))
      case .failure(let missing):
        throw failure(.unusable(missing.description), after: end, attempts: 0)
      }
    } catch {
      var failure = error
      failure.step = .open
      // The request may have been accepted. A second one would orphan whatever the first has created.
      if failure.mayBeTaken, !failure.cause.isUnreachable {
        // A redirect may lead to the answer.
        let why =
          if failure.status == 302, case .outcomeUnknown(let why) = failure.cause { why } else {
            "its answer was lost (\(failure.headline))"
          }
        failure.cause = .unusable(why)
      }
      return .failure(failure)
    }
  }

  /// Sends the request after the last file; `attempt` counts from 1. The outcome is done, refused or unknown.
  func ending(by call: Call, attempt: Int) async -> RunMachine.Event {
    do throws(Failure) {
      _ = try await reply(to: call, values())
      return .done
    } catch {
      var failure = error
      // The request was already sent with as many nonces as may be.
      failure.attempts =
        failure.cause == .nonceExpired ? max(attempt, RetryPolicy.mostNonces) : attempt
      return failure.mayBeTaken ? .unknown(failure) : .refused(failure)
    }
  }
}

extension Failure {
  /// Whether the server may have carried out the request.
  fileprivate var mayBeTaken: Bool {
    switch cause {
    case .nameNotResolved, .connectionRefused, .proxyUnreachable, .denied, .unresumable: false
    case .outcomeUnknown: true
    default: status.map { StatusMeaning($0).leavesDoubt } ?? !cause.isLocal
    }
  }
}
