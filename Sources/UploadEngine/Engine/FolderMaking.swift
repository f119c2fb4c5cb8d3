import Foundation
import HTTPTransport
import UploadModel

extension Folders {
  /// A folder that is being made, and the attempts that wait for it. It goes on even if the attempt that has begun it is
  /// taken back, since others may wait for it as well.
  final class Making {
    let path: FolderPath
    /// Which of the path's folders is being made.
    let index: Int
    /// The upload on whose behalf the server is asked.
    let job: UploadEngine.Job
    let authorization: Authorization
    private let client: ServerClient
    /// Why it could not be made, once that is known.
    var obstacle: Obstacle?
    private var waiting: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]

    init(
      _ index: Int, of path: FolderPath, _ attempt: Attempt, _ job: UploadEngine.Job,
      on engine: isolated UploadEngine
    ) {
      (self.index, self.path, self.job) = (index, path, job)
      authorization = engine.access.authorization(
        of: attempt.files.map(\.id), like: job, to: job.route.origin, on: engine)
      client = ServerClient(
        to: job.upload.destination, on: attempt.occasion.aside(), token: authorization.token,
        from: nil, cookies: engine.cookies(of: job), time: engine.time)
    }

    var address: String { path.folders[index].address }

    /// Sends the request that makes a folder.
    func ask(
      for folder: FolderPath.Folder, on engine: isolated UploadEngine
    ) async -> Result<Void, Failure> {
      guard let rule = job.upload.target.folders, let request = ResumeRequest(folder, by: rule)
      else { return .failure(Failure(.unsendable("its address is invalid"))) }
      return await Task.detached { [client, request] in
        do throws(Failure) {
          _ = try await client.reply(to: request, by: rule.rules, client.values())
          return .success(())
        } catch {
          return .failure(error)
        }
      }.value
    }

    /// What the failure of the request for a folder means for the files in it.
    func obstacle(
      of folder: FolderPath.Folder, _ failure: Failure, on engine: isolated UploadEngine
    ) -> Obstacle {
      var failure = failure
      (failure.attempts, failure.step) = (1, .folder)
      // Nothing of the files was sent, whatever the server made of this request.
      if case .outcomeUnknown(let why) = failure.cause { failure.cause = .unusable(why) }
      failure.arrival = .notArrived
      let restart = engine.access.settleRefusal(&failure, of: job, authorization, on: engine)
      if restart == nil, failure.cause == .refused {
        failure.isTemporary = failure.isTransient ? true : nil
        failure.cause = .noFolder(folder.name, Failure.statusLine(failure.status))
      }
      return Obstacle(failure: client.token.hidden(in: failure), restart: restart)
    }

    // MARK: Waiting

    /// Returns once the folder is made, or cannot be, or the attempt is taken back.
    func end(for attempt: Attempt, on engine: isolated UploadEngine) async {
      await withCheckedContinuation { waiting[ObjectIdentifier(attempt)] = $0 }
    }

    func release(_ attempt: Attempt) {
      waiting.removeValue(forKey: ObjectIdentifier(attempt))?.resume()
    }

    func end() {
      for waiter in waiting.values { waiter.resume() }
      waiting = [:]
    }
  }
}
