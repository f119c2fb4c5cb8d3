import Dispatch
import Queue
import Screens

/// Makes previews of files for the screen, one at a time and not on the main queue, which answers keys. A preview that
/// is no longer wanted is left out.
@MainActor
final class FilePreviewer {
  private let loop: ScreenLoop
  private let queue = DispatchQueue(label: "hoist.preview", qos: .utility)
  private let requests = LatestRequest()

  /// How long to wait before a preview is made. Someone who scrolls through a list rarely stays on a file so long.
  private static let delay = DispatchTimeInterval.milliseconds(60)

  init(_ loop: ScreenLoop) { self.loop = loop }

  /// Previews a file, and abandons the previous preview.
  func preview(_ request: FilePreview.Request?) {
    let number = requests.next()
    guard let request else { return }
    queue.asyncAfter(deadline: .now() + Self.delay) { [weak self, requests] in
      guard let self, requests.isLast(number) else { return }
      let preview = FilePreview(of: request)
      onMain { self.loop.handle([.filePreview(request, preview)]) }
    }
  }
}
