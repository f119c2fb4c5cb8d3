import Foundation
import Queue
import ScalarText
import Screens
import Settings
import Synchronization
import UploadModel

/// The targets that a session can send to: the one it was started with, and those of the configuration, which
/// items already in the queue may name.
///
/// Looking up a target can take time, because commands may supply its secrets. Results are cached.
package final class TargetCatalog: TargetBook {
  /// The file with the targets, which can be changed; nil without a configuration.
  let configuration: ConfigSource?
  private let content: Mutex<Content>
  // Under a lock of its own: reading the configuration again can take a while, and replies do not wait for that.
  private let allSecrets: Mutex<Secrets>

  private struct Content {
    var current: SendPlan
    var settings: Settings
    var found: [String: Result<SendPlan, Failure.Cause>] = [:]
    /// The targets that have changed since `takeChanged` was last called.
    var changed: Set<String> = []
  }

  package init(_ current: Target, settings: Settings, configuration: ConfigSource? = nil) {
    self.configuration = configuration
    content = Mutex(Content(current: SendPlan(current), settings: settings))
    allSecrets = Mutex(current.secrets)
  }

  /// The secrets of every target that has been looked up. They are removed from server replies before anything else
  /// sees the replies: no screen, file or line of output ever contains them.
  package var secrets: Secrets { allSecrets.withLock { $0 } }

  /// The configuration's default target.
  var usual: String? { content.withLock { $0.settings }.defaultTarget }

  /// The targets that can be chosen, sorted by name.
  var rows: [TargetRow] {
    let settings = content.withLock { $0.settings }
    return settings.targetNames.compactMap { name in
      settings.blueprint(of: name).map { target in
        TargetRow(
          name: name, url: TargetURL.shown(target.url), isUsual: name == settings.defaultTarget,
          concurrency: target.concurrency,
          limits: target.rateLimit.map { "at most \(HumanReadable.speed(Double($0)))" } ?? "",
          isBatched: target.batch != nil,
          namesFiles: target.body == .multipart && target.fileName != nil,
          takesSameNames: target.takesSameNames,
          unsetVariable: settings.unsetVariable(of: name))
      }
    }
  }

  /// All settings of a target, line by line and without secrets; nil if no target has that name.
  func lines(of name: String) -> [String]? {
    content.withLock { $0.settings }.blueprint(of: name).map {
      SafeText.lines(TargetText.of($0, named: name, showsDefaults: true)).dropLast()
    }
  }

  func reload() throws(ConfigError) {
    guard let settings = try configuration?.load() else { return }
    content.withLock { content in
      let names = Set(settings.targetNames).union(content.settings.targetNames)
      let changed = names.filter {
        settings.blueprint(of: $0) != content.settings.blueprint(of: $0)
      }
      content.settings = settings
      for name in changed { content.found[name] = nil }
      content.changed.formUnion(changed)
    }
  }

  /// The names of the targets that have changed since the last call.
  func takeChanged() -> Set<String> {
    content.withLock { content in
      defer { content.changed = [] }
      return content.changed
    }
  }

  /// The target for files that are added now.
  package var current: Target { content.withLock { $0.current }.target }

  /// Selects another target for files that are added from now on.
  func select(_ name: String) -> Result<SendPlan, Failure.Cause> {
    let result = lookUp(name)
    if case .success(let target) = result { content.withLock { $0.current = target } }
    return result
  }

  /// The target of an item, or why it cannot be used.
  package func target(of item: UploadItem) -> Result<SendPlan, Failure.Cause> {
    let current = content.withLock { $0.current }
    if item.target.isEmpty || item.target == current.target.name { return .success(current) }
    let isConfigured = content.withLock { $0.settings }.targetNames.contains(item.target)
    if !isConfigured, let why = Self.missing(for: item.target) { return .failure(.unsendable(why)) }
    return known(item.target)
  }

  /// Why a target that was used with options cannot be used without them; nil if there were none.
  static func missing(for target: String) -> String? {
    let name = TargetName(target)
    guard !name.options.isEmpty else { return nil }
    return
      "it was queued for \(name.base) with options whose values are not stored: start hoist with "
      + "\(TargetName.words(name.options)) as before, or give the target a name in the configuration"
  }

  package func address(of plan: SendPlan) -> String { TargetURL.shown(plan.target.url) }

  /// The target of this name; nil if it cannot be used.
  func target(named name: String) -> Target? { try? known(name).get().target }

  /// The target of this name as it was last looked up; nil if it was not.
  func lastFound(_ name: String) -> Target? {
    content.withLock { content in
      name == content.current.target.name
        ? content.current.target : (try? content.found[name]?.get())?.target
    }
  }

  /// Looks up the targets of these items in advance.
  package func lookUp(for items: [UploadItem]) {
    for name in Set(items.lazy.map(\.target)) where TargetName(name).options.isEmpty {
      if !name.isEmpty { _ = known(name) }
    }
  }

  /// Forgets the cached result for a target, so that its secrets are read again.
  func forget(_ name: String) {
    content.withLock { content in
      content.found[name] = nil
      content.changed.insert(name)
    }
  }

  package func forgetFailures(andRefused refused: Set<String>) {
    // If the configuration cannot be read now, the targets stay as they were last read.
    try? reload()
    let current = content.withLock { content -> String? in
      content.found = content.found.filter { name, plan in
        !refused.contains(name) && (try? plan.get()) != nil
      }
      let name = content.current.target.name
      // A target with options from the command line is not in the configuration.
      guard content.settings.targetNames.contains(name) else { return nil }
      let isRefused = refused.contains(name) || refused.contains("")
      return isRefused || content.changed.contains(name) ? name : nil
    }
    if let current { _ = select(current) }
  }

  /// Whether the target of this name takes a second copy without harm.
  package func isRepeatable(_ name: String) -> Bool { target(named: name)?.isIdempotent ?? false }

  /// Whether the target of this name keeps files where their names or paths say.
  func placesFiles(_ name: TargetName) -> Bool { target(named: name.text)?.placesFiles ?? false }

  /// The target of this name, or why it cannot be used.
  package func known(_ name: String) -> Result<SendPlan, Failure.Cause> {
    let known = content.withLock { content in
      name == content.current.target.name ? .success(content.current) : content.found[name]
    }
    return known ?? lookUp(name)
  }

  private func lookUp(_ name: String) -> Result<SendPlan, Failure.Cause> {
    var settings = content.withLock { $0.settings }
    // Unless the name is a URL, its target may have been added to the file since the file was read.
    let isNamed = !name.utf8.contains { ":/@".utf8.contains($0) }
    if isNamed, !settings.targetNames.contains(name), (try? reload()) != nil {
      settings = content.withLock { $0.settings }
    }
    let result = Result { () throws(ConfigError) in SendPlan(try settings.target(name)) }
      .mapError { Failure.Cause.unsendable("its target cannot be used now: \($0.reasonFirst)") }
    if case .success(let target) = result { allSecrets.withLock { $0.add(target.secrets) } }
    content.withLock { $0.found[name] = result }
    return result
  }
}
