import Dispatch
import Screens
import Synchronization

/// Makes previews of files for the screen, one at a time and not on the main queue, which answers keys. A preview is
/// abandoned as soon as it is no longer wanted.
@MainActor
final class FilePreviewer {
  private let loop: ScreenLoop
  private let decoder: PictureDecoder
  private let queue = DispatchQueue(label: "hoist.preview", qos: .utility)
  private let wanted = Wanted()

  /// The number of the latest preview, the only one that is wanted.
  private final class Wanted: Sendable {
    private let number = Atomic(0)

    func next() -> Int { number.add(1, ordering: .relaxed).newValue }
    func isWanted(_ number: Int) -> Bool { self.number.load(ordering: .relaxed) == number }
  }

  /// How long to wait before a preview is made. Someone who scrolls through a list rarely stays on a file for this
  /// long.
  private static let pause = DispatchTimeInterval.milliseconds(60)

  init(_ loop: ScreenLoop, environment: [String: String]) {
    self.loop = loop
    decoder = PictureDecoder(environment: environment)
  }

  /// Previews a file, and abandons the previous preview.
  func preview(_ request: FilePreview.Request?) {
    let number = wanted.next()
    guard let request else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [wanted, decoder, weak loop] in
      let isCancelled: @Sendable () -> Bool = { !wanted.isWanted(number) }
      guard !isCancelled() else { return }
      let preview = FilePreview(of: request, decoder, isCancelled: isCancelled)
      onMain { loop?.handle([.filePreview(request, preview)]) }
    }
  }
}
