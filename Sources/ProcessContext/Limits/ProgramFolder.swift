import Foundation

package enum ProgramFolder {
  /// Checks that the program's folder can be accessed. Foundation reads it for `Bundle.main`, which URLSession uses,
  /// and crashes if it cannot. A program in a folder that it cannot read may still have been started, for instance by a
  /// process that dropped its privileges afterwards.
  package static func check() throws(UserError) {
    guard let program = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    else { return }
    let end = program.utf8.lastIndex(of: UInt8(ascii: "/")) ?? program.startIndex
    let folder = end == program.startIndex ? "/" : String(program[..<end])
    var status = stat()
    guard stat(folder, &status) != 0 else { return }
    let why = String(cString: strerror(errno))
    throw UserError(
      "\(folder), the folder of this program, cannot be accessed: \(why); move the program to a folder that "
        + "everyone can enter, such as /usr/local/bin (make install), or let everyone enter this one",
      status: .someFailed)
  }
}
