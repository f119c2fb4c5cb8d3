@testable import Scheduling
@testable import Screens
@testable import UploadModel

/// News of the queue as events, which most tests are about.
extension AppEvent {
  static func added(_ items: [UploadItem]) -> AppEvent { .queue(.added(items)) }
  static func removed(_ ids: [ItemID]) -> AppEvent { .queue(.removed(ids)) }
  static func reordered(_ order: [ItemID]) -> AppEvent { .queue(.reordered(order)) }
  static func engine(_ changes: [(ItemID, ItemState)], at now: Instant) -> AppEvent {
    .queue(.changed(changes, at: now))
  }
  static func joined(_ changes: [(ItemID, ItemState)], at now: Instant) -> AppEvent {
    .queue(.joined(changes, at: now))
  }
  static func resumePoint(_ id: ItemID, _ point: ResumePoint?) -> AppEvent {
    .queue(.resumePoint(id, point))
  }
  static func figures(_ figures: SendingFigures) -> AppEvent { .queue(.figures(figures)) }
  static func reachability(server: String, _ news: Reachability) -> AppEvent {
    .queue(.reachability(server: server, news))
  }
  static func refusal(target: String, _ trouble: CredentialTrouble?) -> AppEvent {
    .queue(.refusal(target: target, trouble))
  }
  static func pace(target: String, until: Instant?) -> AppEvent {
    .queue(.pace(target: target, until: until))
  }
  static func urls(_ urls: [String: String]) -> AppEvent { .queue(.urls(urls)) }
  static var queueRead: AppEvent { .queue(.read(hasHistory: false)) }
  static func aside(_ isAside: Bool) -> AppEvent { .queue(.aside(isAside)) }
  static func settings(_ settings: SenderSettings) -> AppEvent { .queue(.settings(settings)) }
  static func stopped(_ isStopped: Bool) -> AppEvent { .queue(.stopped(isStopped)) }
  static func held(_ reason: String) -> AppEvent { .queue(.held(reason)) }
  static func notice(_ text: String?) -> AppEvent { .queue(.notice(text)) }
}
