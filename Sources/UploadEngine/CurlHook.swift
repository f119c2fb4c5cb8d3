import CCurlHook

/// What libcurl is told beyond what URLSession lets one say.
enum CurlHook {
  /// The most that libcurl takes from the body at once, in bytes. Its own 64 KiB cost two thirds of
  /// the throughput of a fast line; beyond a mebibyte nothing is gained, and URLSession holds
  /// several buffers of this size for each transfer.
  static let uploadBufferBytes = 1024 * 1024

  /// Puts the hook in force for every transfer from now on.
  static func install() {
    hoist_curl_hook_install { _, options in
      options?.pointee.upload_buffer_bytes = CurlHook.uploadBufferBytes
    }
  }

  /// Whether transfers really go through the hook. Known after the first one.
  static var isInForce: Bool { hoist_curl_hook_transfers() > 0 }

  /// Bounds what the whole process sends, in bytes a second; nil for no bound.
  static func limit(_ bytesPerSecond: Int64?) {
    hoist_curl_hook_limit(bytesPerSecond ?? 0)
  }
}
