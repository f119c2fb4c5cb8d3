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
  /// The number of the latest preview, the only one that is wanted.
  private nonisolated let latest = Atomic(0)

  /// How long to wait before a preview is made. Someone who scrolls through a list rarely stays on a file so long.
  private static let pause = DispatchTimeInterval.milliseconds(60)

  init(_ loop: ScreenLoop, environment: [String: String]) {
    self.loop = loop
    decoder = PictureDecoder(environment: environment)
  }

  /// Previews a file, and abandons the previous preview.
  func preview(_ request: FilePreview.Request?) {
    let number = latest.add(1, ordering: .relaxed).newValue
    guard let request else { return }
    queue.asyncAfter(deadline: .now() + Self.pause) { [decoder, weak self] in
      let isCancelled = { self?.latest.load(ordering: .relaxed) != number }
      guard !isCancelled() else { return }
      let preview = FilePreview(of: request, decoder, isCancelled: isCancelled)
      onMain { self?.loop.handle([.filePreview(request, preview)]) }
    }
  }
}
