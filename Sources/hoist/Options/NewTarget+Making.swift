import Foundation
import Screens
import Settings
import UploadEngine
import UploadModel

extension NewTarget {
  /// Why the user's answers do not make a target.
  struct Refusal: Error {
    let words: String
    /// Whether the only problem is what answers at the URL, which may change.
    var isGoodEnough = false
  }

  /// Makes a target from the user's answers: tries it, unless it is good enough, and writes it into the
  /// configuration, as the default if it is the first. Returns its name. If cancelled, it writes nothing.
  static func make(
    _ answers: TargetAnswers, isGoodEnough: Bool, in config: ConfigSource
  ) async throws(Refusal) -> String {
    do {
      let settings = try config.load()
      let new = try NewTarget(answers, taken: settings.targetNames)
      if !isGoodEnough, let obstacle = await ServerClient(target: new.target).obstacle() {
        throw Refusal(words: obstacle, isGoodEnough: true)
      }
      try Task.checkCancellation()
      let isFirst = settings.defaultTarget == nil && settings.targetNames.isEmpty
      try new.write(to: config, asUsual: isFirst)
      return new.target.name
    } catch let error as Refusal {
      throw error
    } catch { throw Refusal(words: "\(error)") }
  }
}
