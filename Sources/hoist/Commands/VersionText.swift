import CCommit
import HTTPTransport
import UploadModel

/// What `hoist --version` prints, which is what a report of a fault needs: the version, the commit where the build was
/// told of it, and the libraries that requests go through.
enum VersionText {
  static var text: String {
    let commit = String(cString: hoist_commit())
    let program = "hoist \(UserAgent.version)" + (commit.isEmpty ? "" : " (\(commit))")
    return "\(program)\n\(UploadSession.libraries)"
  }
}
