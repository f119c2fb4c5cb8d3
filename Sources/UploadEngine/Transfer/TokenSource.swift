import UploadModel

/// The tokens that commands have printed. All requests of a session share one source, so that a command runs again only
/// after its last token was refused.
package actor TokenSource {
  private var last: [TokenCommand: BearerToken] = [:]
  /// The commands that are running, each with what it prints.
  private var running: [TokenCommand: Task<Result<BearerToken, Failure.Cause>, Never>] = [:]

  package init() {}

  /// The last token that a command printed. If it has printed no token yet, or that token is `refused`, the command
  /// runs and prints a new one. A command runs only once at a time.
  func token(
    of command: TokenCommand, insteadOf refused: BearerToken?
  ) async throws(Failure.Cause) -> (token: BearerToken, isNew: Bool) {
    while true {
      if let known = last[command], known.text != refused?.text { return (known, false) }
      guard let run = running[command] else {
        return (try await self.run(command).value.get(), true)
      }
      // It may print the token that was refused, or fail: then it runs again.
      _ = await run.value
    }
  }

  private func run(_ command: TokenCommand) -> Task<Result<BearerToken, Failure.Cause>, Never> {
    last[command] = nil
    let run = Task {
      let result: Result<BearerToken, Failure.Cause>
      do throws(Failure.Cause) {
        result = .success(try await BearerToken(command))
      } catch {
        result = .failure(error)
      }
      // Noted before anybody who waits goes on.
      (last[command], running[command]) = (try? result.get(), nil)
      return result
    }
    running[command] = run
    return run
  }
}
