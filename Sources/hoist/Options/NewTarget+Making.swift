import Foundation
import Screens
import Settings
import UploadModel

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension NewTarget {
  /// Why a person's answers make no target.
  struct Refusal: Error {
    let words: String
    /// Whether all that is wrong is what answers at the URL, which may change.
    var isGoodEnough = false
  }

  /// Makes a target of a person's answers: tries it, unless it is good enough, and writes it into the
  /// configuration, as the usual one where it is the first. Returns its name.
  static func make(
    _ answers: TargetAnswers, isGoodEnough: Bool, in config: ConfigOption
  ) async throws(Refusal) -> String {
    do {
      let settings = try config.load()
      let new = try NewTarget(answers, taken: settings.targetNames)
      if !isGoodEnough, let problem = await problem(at: new.target.url) {
        throw Refusal(words: problem, isGoodEnough: true)
      }
      let isFirst = settings.defaultTarget == nil && settings.targetNames.isEmpty
      try new.write(to: config.path, asUsual: isFirst)
      return new.target.name
    } catch let error as Refusal {
      throw error
    } catch { throw Refusal(words: "\(error)") }
  }

  /// Why nothing seems to take uploads at the URL; nil where something may. A place for uploads may well refuse to
  /// be asked, but it is there, and a 405 says in its `Allow` what it takes (RFC 9110, section 15.5.6).
  private static func problem(at url: URL) async -> String? {
    var request = URLRequest(url: url, timeoutInterval: 8)
    request.httpMethod = "HEAD"
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    do {
      guard let reply = try await session.data(for: request).1 as? HTTPURLResponse else {
        return nil
      }
      let allowed = reply.value(forHTTPHeaderField: "Allow")?.uppercased() ?? ""
      let isTaken = ["POST", "PUT", "PATCH"].contains { allowed.contains(scalars: $0) }
      guard [404, 405, 410].contains(reply.statusCode), !isTaken else { return nil }
      return "\(url.host ?? "it") answers \(Failure.statusLine(reply.statusCode)) there"
    } catch {
      return "no answer from \(url.host ?? "there"): \((error as NSError).localizedDescription)"
    }
  }
}
