import FileDiscovery
import Foundation

/// Writes files completely or not at all: nobody sees a partial file, and if the disk is full, the old file stays.
package enum AtomicFile {
  /// Checks early whether a file can be written.
  package static func check(_ path: String) throws(UserError) {
    let (file, name) = try begin(path, mode: 0o600)
    close(file)
    unlink(name)
  }

  /// Replaces the file at `path`. A link stays a link, and the old file's permissions are kept; those of a new file are
  /// `mode`, less the umask.
  package static func write(_ bytes: some Sequence<UInt8>, to path: String, mode: mode_t = 0o666)
    throws(UserError)
  {
    let place = resolved(path)
    let (file, name) = try begin(place, mode: mode)
    var status = stat()
    if stat(place, &status) == 0 { fchmod(file, status.st_mode & 0o7777) }
    var code = writeAll(Array(bytes)[...], to: file)
    // Wait until the bytes are on disk.
    if code == 0, fsync(file) != 0 { code = errno }
    close(file)
    if code == 0, rename(name, place) != 0 { code = errno }
    if code == 0 { return }
    unlink(name)
    throw refusal(path, code)
  }

  private static func refusal(_ path: String, _ code: Int32) -> UserError {
    UserError("\(path) cannot be written: \(String(cString: strerror(code)))", status: .someFailed)
  }

  private static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  private static func begin(_ path: String, mode: mode_t) throws(UserError) -> (Int32, String) {
    let place = resolved(path)
    var status = stat()
    if stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      throw refusal(path, EISDIR)
    }
    let slash = place.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { Substring(place.utf8[...$0]) } ?? ""
    let name = "\(folder).hoist-\(UInt64.random(in: .min ... .max)).part"
    let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw refusal(path, errno) }
    return (file, name)
  }
}
