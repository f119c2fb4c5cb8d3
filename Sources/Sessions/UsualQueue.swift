import UploadModel
import UploadStore

/// The queue that commands use unless they are given another one.
package enum UsualQueue {
  package static func path(_ environment: [String: String]) -> String {
    environment["HOIST_QUEUE"].flatMap { $0.isEmpty ? nil : $0 }
      ?? UploadStore.usualPath(environment: environment)
  }

  /// The option that a command needs to act on the queue at `path`, with a space before it; empty for the usual queue.
  package static func option(for path: String, _ environment: [String: String]) -> String {
    path == self.path(environment) ? "" : " --queue \(ShellWord.quoted(SafeText.line(path)))"
  }
}
