import Dispatch
import Testing

@testable import Screens
@testable import Sessions

@Suite("The loop of a screen")
@MainActor
struct ScreenLoopTests {
  /// An interface that counts what it is to show.
  private final class Frames: UserInterface {
    var onEvents: ([AppEvent]) -> Void = { _ in }
    var wordsOnSuspension: () -> String? = { nil }
    let isUTF8 = true
    let size = Size(width: 80, height: 24)
    let showsEachState: Bool
    private(set) var messages: [String?] = []

    init(showsEachState: Bool) { self.showsEachState = showsEachState }

    func show(_ state: AppState) { messages.append(state.message) }
    func redraw() {}
    func ring() {}
    func suspend() {}
    func copy(_: String) {}
    func notify(_: String) {}
    func restore() {}
  }

  private static func loop(on frames: Frames) -> ScreenLoop {
    ScreenLoop(AppState(target: "nas", url: "https://nas/"), on: frames, time: .system)
  }

  /// Waits until the main queue has done what it was given so far.
  private static func nextTurn() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }

  @Test("News that comes at once is shown in one frame, and a key in a frame of its own")
  func frames() async {
    let frames = Frames(showsEachState: false)
    let loop = Self.loop(on: frames)
    for number in 1...3 { loop.receive([.message("news \(number)")]) }
    #expect(frames.messages.isEmpty)
    await Self.nextTurn()
    // The clock may have shown it again since.
    #expect(frames.messages.first == "news 3")
    let before = frames.messages.count
    loop.receive([.message("news 4")])
    loop.handle([.message("a key's answer")])
    #expect(frames.messages.dropFirst(before) == ["a key's answer"])
  }

  @Test("Plain lines tell each piece of news")
  func lines() {
    let frames = Frames(showsEachState: true)
    let loop = Self.loop(on: frames)
    for number in 1...3 { loop.receive([.message("news \(number)")]) }
    #expect(frames.messages == ["news 1", "news 2", "news 3"])
  }
}
