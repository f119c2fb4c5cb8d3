import UploadModel

/// The requests before the first file of a run and after its last.
extension ServerClient {
  /// Sends the request before the first file.
  ///
  /// - Returns: the values in the reply, and whether a server other than the target's own sent it.
  func opening(
    by call: PieceCall
  ) async -> Result<(values: [String: String], isFromAway: Bool), Failure> {
    do throws(Failure) {
      let end = try await answer(to: call).end
      switch call.values.found(in: end) {
      case .success(let values): return .success((values, Origin(end.url) != target.origin))
      case .failure(let missing):
        throw hidden(
          in: Failure(.unusable(missing.description), status: end.status, reply: end.reply))
      }
    } catch {
      var failure = error
      failure.step = .open
      // The request may have been accepted. A second one would orphan whatever the first has created.
      if failure.mayBeTaken, !failure.cause.isUnreachable {
        failure.cause = .unusable("its answer was lost (\(failure.headline))")
      }
      return .failure(failure)
    }
  }

  /// Sends the request after the last file. The outcome is done, refused or unknown.
  ///
  /// - Parameter attempt: the number of times it has been sent, including this one.
  func ending(by call: PieceCall, attempt: Int) async -> RunMachine.Event {
    do throws(Failure) {
      _ = try await answer(to: call)
      return .done
    } catch {
      var failure = error
      failure.attempts = attempt
      return failure.mayBeTaken ? .unknown(failure) : .refused(failure)
    }
  }

  private func answer(to call: PieceCall) async throws(Failure) -> Answer {
    let values = target.runValues(now: time.date())
    let request: ResumeRequest
    do throws(Failure.Cause) { request = try ResumeRequest(call, of: target, values) } catch {
      throw Failure(error)
    }
    return try await reply(to: request, call.rules, values)
  }
}

extension Failure {
  /// Whether the server may have carried out the request.
  fileprivate var mayBeTaken: Bool {
    switch cause {
    case .nameNotResolved, .connectionRefused, .proxyUnreachable, .denied, .unresumable: false
    case .outcomeUnknown: true
    default: status.map(Failure.serverErrors.contains) ?? !cause.isLocal
    }
  }
}
