import Foundation
import HTTPTransport
import UploadModel

/// The questions to servers about files that they have accepted but not yet finished with.
///
/// Each server has its own line, so that one that does not answer holds up no others. The questions take no lanes.
/// `JobMachine` decides when to ask, and what an answer means.
final class Questions {
  /// The most files that a server is asked about at once.
  private static let most = 8

  private struct Line {
    /// The next files, and where to ask about them, in order.
    var next: ArraySlice<(UploadEngine.Job, URL)> = []
    /// How many files the server is being asked about.
    var asked = 0
  }

  private var lines: [Origin: Line] = [:]

  /// Asks a server whether it has finished with a file.
  func ask(about job: UploadEngine.Job, at url: URL, on engine: isolated UploadEngine) {
    guard let origin = Origin(url) else { return }
    lines[origin, default: Line()].next.append((job, url))
    askNext(at: origin, on: engine)
  }

  private func askNext(at origin: Origin, on engine: isolated UploadEngine) {
    while let asked = lines[origin]?.asked, asked < Self.most,
      let (job, url) = lines[origin]?.next.popFirst()
    {
      guard job.isProcessed, !job.isAsked else { continue }
      guard let rule = job.upload.target.wait, origin == job.upload.target.origin else {
        // The configuration has changed in the meantime. The machine decides what that means.
        engine.handle(.retry, for: job.id)
        continue
      }
      lines[origin]?.asked += 1
      job.isAsked = true
      var call = rule.call
      call.address = .own(Template(literal: url.absoluteString))
      let client = ServerClient(
        to: job.upload.destination, on: engine.runs.occasion(of: job),
        token: engine.access.token(on: job.route), from: engine.tokenSource,
        cookies: engine.cookies(of: job), time: engine.time)
      Task { [call] in
        let answer = await Self.answer(to: call, client, rule, url)
        lines[origin]?.asked -= 1
        job.isAsked = false
        engine.handle(.answered(answer, wall: engine.time.date()), for: job.id)
        askNext(at: origin, on: engine)
      }
    }
    if let line = lines[origin], line.asked == 0, line.next.isEmpty { lines[origin] = nil }
  }

  private static func answer(
    to call: Call, _ client: ServerClient, _ rule: WaitRule, _ url: URL
  ) async -> WaitRule.Answer {
    do throws(Failure) {
      return rule.answer(in: try await client.reply(to: call, client.values()))
    } catch {
      return rule.answer(in: error, from: url)
    }
  }
}
