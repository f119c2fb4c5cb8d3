import Dispatch
import Screens
import Synchronization

/// Looks into files for the screen, one at a time, away from what answers keys. A look ends as soon as it is no longer
/// wanted.
@MainActor
final class FilePreviewer {
  private let loop: ScreenLoop
  private let decoder: PictureDecoder
  private let queue = DispatchQueue(label: "hoist.preview", qos: .utility)
  private let wanted = Wanted()

  /// The number of the look that is wanted.
  private final class Wanted: Sendable {
    private let number = Atomic(0)

    func next() -> Int { number.add(1, ordering: .relaxed).newValue }
    func isWanted(_ number: Int) -> Bool { self.number.load(ordering: .relaxed) == number }
  }

  /// Whoever goes through a list stays on hardly any file for as long as this.
  private static let pause = DispatchTimeInterval.milliseconds(60)

  init(_ loop: ScreenLoop, environment: [String: String]) {
    self.loop = loop
    decoder = PictureDecoder(environment: environment)
  }

  /// Looks into a file, and no longer into the one before.
  func look(_ request: FilePreview.Request?) {
    let number = wanted.next()
    guard let request else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [wanted, decoder, weak loop] in
      let isCancelled: @Sendable () -> Bool = { !wanted.isWanted(number) }
      guard !isCancelled() else { return }
      let preview = FilePreview(of: request, decoder, isCancelled: isCancelled)
      onMain { loop?.handle([.looked(request, preview)]) }
    }
  }
}
