import Foundation

/// A file in memory that is written back to it.
public final class MappedFile {
  private let memory: UnsafeMutableRawBufferPointer

  /// Maps the file's first bytes.
  public init(_ path: String, _ size: Int) throws {
    let file = open(path, O_RDWR)
    defer { close(file) }
    guard let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
      start != MAP_FAILED
    else { throw WaitedInVain(description: "\(path) cannot be mapped") }
    memory = UnsafeMutableRawBufferPointer(start: start, count: size)
  }

  deinit { munmap(memory.baseAddress, memory.count) }

  /// Overwrites all of it.
  public func fill(with byte: UInt8) {
    memory.initializeMemory(as: UInt8.self, repeating: byte)
  }
}
