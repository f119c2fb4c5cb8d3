import Foundation
import ProcessContext
import Queue
import Screens
import Settings
import UploadModel

/// Makes rules of targets from replies that seem to say no, and judges the files in the queue by them.
@MainActor
struct SessionRules {
  let loop: ScreenLoop
  let targets: SessionTargets
  let queue: SharedQueue
  let book: TargetCatalog

  /// Shows the rule that the reply to a doubtful file makes.
  func draft(_ id: ItemID) {
    guard let item = loop.state.item(id), let configuration = book.configuration else { return }
    loop.answer({ [book] in
      Result { try Rule(for: item, book, in: configuration.load()) }
    }) { result in
      switch result {
      case .success(let rule):
        let url = rule.isNew ? TargetURL.shown(rule.url) : nil
        return [
          .ruleDrafted(
            RuleDraft(item: id, target: rule.target, url: url, text: TargetText.of([rule.rule])))
        ]
      case .failure(let error): return [.message("\(error)")]
      }
    }
  }

  /// Writes a rule into the configuration, after a target for it if there is none, and judges the doubtful files that
  /// went to the target.
  func save(_ draft: RuleDraft) {
    guard let item = loop.state.item(draft.item), let configuration = book.configuration else {
      return
    }
    loop.answer({ [book] in
      Result { () throws -> Rule in
        let rule = try Rule(for: item, book, in: configuration.load())
        try configuration.change { edit in
          guard rule.isNew else { return try edit.writing(rule.rule, to: rule.target) }
          var target = Target(name: rule.target, url: rule.url)
          target.response.failures = [rule.rule]
          return try NewTarget.adding(target.name, in: configuration) {
            try edit.adding(target, named: rule.target)
          }
        }
        return rule
      }
    }) { result in
      switch result {
      case .success(let rule):
        queue.judgeAnew(item.target, by: rule.rule, isOfBatch: rule.isOfBatch)
        if rule.isNew { queue.send(filesFor: item.target, to: rule.target) }
        let isCurrent = rule.isNew && item.target == book.current.name
        targets.read(selecting: isCurrent ? rule.target : nil)
        return [
          .message("saved: from now on, such a reply from \(rule.target) counts as a failure")
        ]
      case .failure(let error): return [.message("\(error)")]
      }
    }
  }

  /// The rule that a doubtful reply makes, and the target that gets it.
  private struct Rule {
    var rule: FailureRule
    var target: String
    var url: URL
    /// Whether the target is a bare address, which has no place for a rule.
    var isNew: Bool
    var isOfBatch: Bool

    init(for item: UploadItem, _ book: TargetCatalog, in settings: Settings) throws {
      let name = SafeText.line(item.target)
      guard TargetName(item.target).options.isEmpty else {
        throw UserError(
          "\(name) has options that are not stored: give the target a name in the configuration first"
        )
      }
      let known: Target
      do throws(Failure.Cause) { known = try book.target(of: item).get().target } catch {
        throw UserError(Failure(error).sentence)
      }
      isOfBatch = known.batch != nil
      guard let receipt = item.state.receipt, let doubt = Doubt(in: receipt, isOfBatch: isOfBatch)
      else {
        throw UserError(
          "only a part of the reply was kept: write fail_when into the configuration yourself")
      }
      (rule, url) = (doubt.rule, known.url)
      isNew = !settings.targetNames.contains(known.name)
      target = isNew ? NewTarget.name(for: url, taken: settings.targetNames) : known.name
    }
  }
}
