import Foundation
import UploadModel

/// Where the socket of a queue's sender is: in a folder that nobody else may enter, named after the identity of
/// the queue's file rather than after one of its paths.
package struct SocketPlace: Hashable, Sendable {
  package let folder: String
  package let path: String

  /// The place for the queue at `path`: in the folder `hoist` under `$XDG_RUNTIME_DIR` or, if that is not set, under
  /// `/run/user/UID`; if neither exists, in `hoist-UID` under `$TMPDIR` or `/tmp`.
  package init(queue path: String, environment: [String: String]) throws(LinkError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw LinkError("the queue \(path) cannot be accessed", errno: errno)
    }
    folder = Self.folder(environment)
    self.path = "\(folder)/\(status.st_dev)-\(status.st_ino).socket"
  }

  private static func folder(_ environment: [String: String]) -> String {
    func named(_ name: String) -> String? {
      environment[name].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
    }
    if let folder = named("XDG_RUNTIME_DIR") { return "\(folder)/hoist" }
    // A session without the variable, such as cron's, must find the same socket.
    let usual = "/run/user/\(geteuid())"
    if access(usual, W_OK | X_OK) == 0 { return "\(usual)/hoist" }
    return "\(named("TMPDIR") ?? "/tmp")/hoist-\(geteuid())"
  }

  /// Creates the folder if it is missing, and checks it.
  func prepare() throws(LinkError) {
    if mkdir(folder, 0o700) != 0, errno != EEXIST {
      throw LinkError("the folder \(folder) cannot be created", errno: errno)
    }
    try check()
  }

  /// Checks that the folder belongs to this user and that nobody else may enter it.
  func check() throws(LinkError) {
    var status = stat()
    guard lstat(folder, &status) == 0 else {
      throw LinkError("the folder \(folder) cannot be accessed", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
      throw LinkError(
        "\(folder) is not a folder of this user; remove it, or set XDG_RUNTIME_DIR to another one")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw LinkError("other users can open \(folder); run: chmod 700 \(ShellWord.quoted(folder))")
    }
  }

  /// The socket's address for system calls, which limit the length of its path.
  func address() throws(LinkError) -> sockaddr_un {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw LinkError("the path \(path) is too long for a socket")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }
}
