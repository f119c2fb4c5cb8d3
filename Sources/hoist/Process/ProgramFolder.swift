import Foundation

enum ProgramFolder {
  /// Foundation reads the program's folder for `Bundle.main`, which URLSession uses, and crashes if it
  /// cannot. A program in such a folder can still be started, for instance by a process that dropped its
  /// privileges afterwards.
  /// - Throws: `UserError` if the folder cannot be read.
  static func check() throws(UserError) {
    guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return }
    let end = program.utf8.lastIndex(of: UInt8(ascii: "/")) ?? program.startIndex
    let folder = String(program[..<end])
    var status = stat()
    guard stat(folder.isEmpty ? "/" : folder, &status) != 0 else { return }
    let why = String(cString: strerror(errno))
    throw UserError(
      "\(folder), in which this program lies, cannot be accessed: \(why); move the program to where "
        + "everybody may enter, such as /usr/local/bin (make install), or allow that there",
      status: .someFailed)
  }
}
