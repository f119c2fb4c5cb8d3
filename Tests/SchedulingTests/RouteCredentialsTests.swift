import Testing

@testable import Scheduling
@testable import UploadModel

@Suite("The credentials of a route")
struct RouteCredentialsTests {
  private let first = ItemID(1)
  private let second = ItemID(2)
  private let third = ItemID(3)
  private let refused = Failure(.refused, status: 401)

  /// Credentials that the server has refused, and that the user tries again.
  private func tried() -> RouteCredentials {
    var credentials = closed()
    credentials.change(hasCommand: nil) { $0.tryAgain() }
    return credentials
  }

  private func closed() -> RouteCredentials {
    var credentials = RouteCredentials()
    credentials.change(hasCommand: false, because: refused) {
      _ = $0.recordRefused(ItemID(1), status: 401, with: 0, isSecondTime: false)
    }
    return credentials
  }

  @Test("until they are needed, files start, or the command runs that gives the token")
  func unneeded() {
    var credentials = RouteCredentials()
    #expect(credentials.permission(hasCommand: false) == .go)
    #expect(credentials.permission(hasCommand: true) == .renew)
    credentials.change(hasCommand: nil) { $0.tryAgain() }
    #expect(credentials.permission(hasCommand: true) == .renew, "there is nothing to change yet")
  }

  @Test("once they are closed, the reason is the first failure")
  func reason() {
    var credentials = closed()
    #expect(credentials.isClosed && credentials.failure == refused)
    #expect(credentials.trouble == .refused)
    credentials.change(hasCommand: nil, because: Failure(.denied("no"))) { _ in }
    #expect(credentials.failure == refused)
  }

  @Test("one file probes them; if its request says nothing, the next one does")
  func probing() {
    var credentials = tried()
    #expect(credentials.permission(hasCommand: false) == .probe)
    credentials.recordStarted(first, on: 7)
    #expect(credentials.probe?.id == first && credentials.permission(hasCommand: false) == .wait)
    credentials.recordLeft(8)
    #expect(credentials.permission(hasCommand: false) == .wait, "another request's lane")
    credentials.recordLeft(7)
    #expect(credentials.permission(hasCommand: false) == .probe)
  }

  @Test("a start with open credentials probes nothing")
  func open() {
    var credentials = RouteCredentials()
    credentials.recordStarted(first, on: 7)
    credentials.choose(first) { _ in true }
    #expect(credentials.probe == nil)
  }

  @Test("those that the user chooses probe one after the other, if they still wait")
  func chosen() {
    var credentials = tried()
    credentials.choose(first) { _ in true }
    credentials.choose(first) { _ in true }
    credentials.choose(second) { _ in true }
    credentials.choose(third) { _ in true }
    #expect(credentials.probe?.id == first && credentials.probe?.next == [second, third])
    var isLast = credentials.giveUpProbing(with: first) { $0 != second }
    #expect(!isLast && credentials.probe?.id == third && credentials.probe?.next == [])
    isLast = credentials.giveUpProbing(with: second) { _ in true }
    #expect(!isLast && credentials.probe?.id == third, "another file does not probe")
    isLast = credentials.giveUpProbing(with: third) { _ in true }
    #expect(isLast && credentials.probe == nil)
  }

  @Test("one that the user chose but that waits no longer makes way for the next choice")
  func replaced() {
    var credentials = tried()
    credentials.choose(first) { _ in true }
    credentials.choose(second) { $0 != first }
    #expect(credentials.probe?.id == second)
  }

  @Test("a probe that nobody chose leaves its place to whichever comes next")
  func unchosen() {
    var credentials = tried()
    credentials.recordStarted(first, on: 7)
    let isLast = credentials.giveUpProbing(with: first) { _ in true }
    #expect(!isLast && credentials.probe == nil)
  }
}
