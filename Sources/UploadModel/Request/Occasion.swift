import Foundation
import JSONText

/// What the present run and ticket add to the requests for a file. The target itself holds what the configuration says,
/// and nothing else.
///
/// It belongs to one attempt. It knows neither the file nor what the replies to the file's own requests give.
package struct Occasion: Hashable, Sendable {
  /// Form fields that go before the target's own.
  package private(set) var fields: [Target.Field] = []
  /// Header fields for whichever server takes the file. They are not secret.
  package private(set) var headers: [Target.Field] = []
  /// Where the ticket says that the file goes; nil without a ticket.
  package private(set) var address: URL?
  /// Whether the file must not take the place of another one.
  package var keepsOthers = false
  /// The reply to the request for the ticket.
  package private(set) var ticket: JSONValue?
  /// The values of the run; nil outside a run, and before they are known.
  private var opened: [String: String]?
  /// Whether a server other than the target's own gave these values.
  private var isFromAway = false
  /// Which placeholders stay as they are.
  private var gaps = Template.Values.Gaps.none

  /// Nothing is added.
  package init() {}

  /// What a run adds. Before its first request has been answered, that is nothing.
  package init(_ run: RunPoint?) {
    guard let run, run.phase != .opening else { return }
    (opened, isFromAway) = (run.values, run.isFromAway)
  }

  /// Requests that are only shown, so that what replies give stays a placeholder. `isInRun` is false for the request
  /// that opens the run.
  package static func shown(isInRun: Bool = true) -> Occasion {
    var shown = Occasion()
    shown.gaps = .ofReplies
    if isInRun { shown.opened = [:] }
    return shown
  }

  /// The same occasion with what a ticket adds.
  package func with(_ grant: Ticket.Grant) -> Occasion {
    var copy = self
    (copy.fields, copy.headers) = (grant.fields, grant.headers)
    (copy.address, copy.ticket) = (grant.url, grant.reply)
    return copy
  }

  /// The same occasion for a request other than the file's own, without what the ticket adds to that one.
  package func aside() -> Occasion {
    var copy = self
    (copy.fields, copy.headers, copy.address) = ([], [], nil)
    copy.keepsOthers = false
    return copy
  }

  /// The values for requests that belong to a run but not to a single file.
  package func values(now: Date) -> Template.Values {
    var values = Template.Values(now: now, uuid: .random())
    fill(&values)
    return values
  }

  /// Adds what is known to the values of a file.
  func fill(_ values: inout Template.Values) {
    (values.gaps, values.ticket, values.opened) = (gaps, ticket, opened)
    values.upload.isFromAway = isFromAway
  }
}
