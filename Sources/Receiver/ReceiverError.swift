import Foundation

/// Why a receiver could not start.
@nonexhaustive
public enum ReceiverError: Error, Hashable, Sendable {
  /// The folder could not be created or opened; with the value of `errno`.
  case folder(path: String, code: Int32)
  /// The folder is not writable; with the value of `errno`.
  case folderNotWritable(path: String, code: Int32)
  /// The receiver could not listen on the port.
  case listen(host: String, port: Int, reason: String)
  /// The host is not an address of this machine.
  case address(host: String, reason: String)
  /// ``UploadReceiver/start()`` was called on a receiver that is running or was stopped.
  case alreadyStarted
}

extension ReceiverError: CustomStringConvertible, LocalizedError {
  /// What failed, why, and what to do about it.
  public var description: String {
    switch self {
    case .folder(let path, let code):
      "Cannot open the folder \(path) to store files in: \(errorText(code)). Name another folder."
    case .folderNotWritable(let path, let code):
      "Cannot write into the folder \(path): \(errorText(code)). "
        + "Change its permissions or name another folder."
    case .listen(let host, let port, let reason):
      "Cannot listen on \(host) port \(port): \(reason). "
        + "Choose another port, or 0 for one that is free."
    case .address(let host, let reason):
      "Cannot listen on \(host): \(reason). "
        + "Name an address of this machine: 127.0.0.1 to be reached only from here, 0.0.0.0 or :: from anywhere."
    case .alreadyStarted: "This receiver has already been started. Make a new one."
    }
  }

  /// The same text, for `localizedDescription`.
  public var errorDescription: String? { description }
}

/// The C library's message for a value of `errno`.
func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }
