// Old names, which the next version removes.

extension UploadReceiver.Configuration {
  /// The longest file, in bytes.
  @available(*, deprecated, renamed: "limits.fileBytes")
  public var maxFileBytes: Int64 {
    get { limits.fileBytes }
    set { limits.fileBytes = newValue }
  }

  /// The longest request body, in bytes.
  @available(*, deprecated, renamed: "limits.bodyBytes")
  public var maxRequestBytes: Int64 {
    get { limits.bodyBytes }
    set { limits.bodyBytes = newValue }
  }

  /// The most bytes of all form fields that are not files, plus the headers of all parts.
  @available(*, deprecated, renamed: "limits.allFieldBytes")
  public var maxFieldBytes: Int64 {
    get { limits.allFieldBytes }
    set { (limits.fieldBytes, limits.allFieldBytes) = (newValue, newValue) }
  }

  /// The most parts of a form, files and fields together.
  @available(*, deprecated, renamed: "limits.parts")
  public var maxParts: Int {
    get { limits.parts }
    set { limits.parts = newValue }
  }

  /// The most bytes of a request's head.
  @available(*, deprecated, renamed: "maxHeadBytes")
  public var maxHeaderBytes: Int {
    get { maxHeadBytes }
    set { maxHeadBytes = newValue }
  }
}
