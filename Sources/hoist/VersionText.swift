import CCommit
import HTTPTransport
import UploadModel

/// The output of `hoist --version`, which belongs in every bug report: the version, the commit if the build knows it,
/// and the libraries that requests go through.
enum VersionText {
  static var text: String {
    let commit = String(cString: hoist_commit())
    let program = "hoist \(UserAgent.version)" + (commit.isEmpty ? "" : " (\(commit))")
    return "\(program)\n\(UploadSession.libraries)"
  }
}
