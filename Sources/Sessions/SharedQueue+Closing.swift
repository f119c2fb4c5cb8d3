import ProcessContext
import Queue

extension SharedQueue {
  /// Stops sending, and says what keeps the shell from coming back, if that takes a moment.
  func close(isForced: Bool, sayingWhyOn output: Output) async {
    let words = Task {
      try? await Task.sleep(for: .milliseconds(300))
      guard !Task.isCancelled else { return }
      output.error("… waiting for replies to what is under way")
    }
    await close(isForced: isForced)
    words.cancel()
  }
}
