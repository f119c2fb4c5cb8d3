import ProcessContext
import Queue
import UploadEngine
import UploadModel

extension SharedQueue {
  /// Stops sending, and says what keeps the shell from coming back, if that takes a moment.
  func close(isForced: Bool, sayingWhyOn output: Output) async {
    let words = Task {
      try? await Task.sleep(for: .milliseconds(300))
      guard !Task.isCancelled else { return }
      let seconds = HumanReadable.seconds(UploadEngine.replyPatience)
      output.error("… waiting up to \(seconds) for what is under way to end")
    }
    await close(isForced: isForced)
    words.cancel()
  }
}
