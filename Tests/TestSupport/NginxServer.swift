import Foundation
import Synchronization

/// nginx on a loopback port, with one TLS site for each host name. It takes every upload and answers
/// 201; what it was asked for is in its log.
public final class NginxServer {
  /// One host name and what its server shows and asks for.
  public struct Site: Sendable {
    let host: String
    /// What its server shows.
    public let certificate: Certificate
    let extra: String

    /// - Parameter extra: further directives of nginx's `server` block.
    public init(_ host: String, _ certificate: Certificate, extra: String = "") {
      self.host = host
      self.certificate = certificate
      self.extra = extra
    }
  }

  /// A request that was answered.
  public struct Request: Equatable, Sendable {
    /// The host name that was asked.
    public let host: String
    /// `HTTP/1.1` or `HTTP/2.0`.
    public let version: String
    /// The status that was answered.
    public let status: Int
    /// nginx's opinion of the client's certificate: `NONE`, `SUCCESS` or `FAILED:…`.
    public let client: String
  }

  /// The port that all sites share.
  public let port: Int
  private let folder: ScratchDirectory
  private let process: pid_t
  private var isStopped = false

  private static let counter = Mutex(0)

  /// A host name under `localhost` that this process has not used yet, for what libcurl and the engine
  /// remember of an origin must not pass from one test to another. libcurl finds them on loopback.
  public static func freshHost() -> String {
    counter.withLock {
      $0 += 1
      return "t\($0).localhost"
    }
  }

  /// Returns when nginx answers, on this port or on a free one.
  public init(_ sites: [Site], port chosen: Int? = nil) throws {
    folder = try ScratchDirectory()
    port = try chosen ?? HostileServer.closedPort()
    var servers = ""
    for site in sites {
      servers += """
        server {
          listen 127.0.0.1:\(port) ssl http2;
          server_name \(site.host);
          ssl_certificate \(site.certificate.file);
          ssl_certificate_key \(site.certificate.key);
          \(site.extra)
          location / { return 201 "stored"; }
        }

        """
    }
    let configuration = """
      daemon off;
      worker_processes 1;
      \(geteuid() == 0 ? "user root;" : "")
      pid \(folder.path("nginx.pid"));
      error_log \(folder.path("error.log"));
      events { }
      http {
        client_max_body_size 0;
        lingering_timeout 2s;
        client_body_temp_path \(folder.path("body"));
        proxy_temp_path \(folder.path("proxy"));
        fastcgi_temp_path \(folder.path("fastcgi"));
        uwsgi_temp_path \(folder.path("uwsgi"));
        scgi_temp_path \(folder.path("scgi"));
        log_format plain '$host $server_protocol $status $ssl_client_verify';
        access_log \(folder.path("access.log")) plain;
      \(servers)
      }

      """
    try folder.write("nginx.conf", Array(configuration.utf8))
    process = try Tool.spawn(
      "nginx",
      ["-p", folder.path, "-c", folder.path("nginx.conf"), "-e", folder.path("error.log")])
    let limit = ContinuousClock.now + .seconds(60)
    while !HostileServer.isListening(on: port) {
      let hasEnded = waitpid(process, nil, WNOHANG) != 0
      guard !hasEnded, .now < limit else {
        isStopped = hasEnded
        let log = try? String(contentsOfFile: folder.path("error.log"), encoding: .utf8)
        throw Tool.Failed(description: "nginx did not start: \(log ?? "")")
      }
      usleep(2000)
    }
  }

  /// `https://host:port/upload`.
  public func url(_ host: String) -> URL {
    URL(string: "https://\(host):\(port)/upload") ?? URL(fileURLWithPath: "/")
  }

  /// Ends nginx, if it still runs, and gives all that it has answered.
  public func stop() -> [Request] {
    if !isStopped {
      isStopped = true
      // A worker that is asked to quit reads the rest of each body first, and writes its line of the log behind it.
      kill(process, SIGQUIT)
      let limit = ContinuousClock.now + .seconds(30)
      while waitpid(process, nil, WNOHANG) == 0 {
        usleep(2000)
        if .now > limit { kill(process, SIGTERM) }
      }
    }
    let log = (try? String(contentsOfFile: folder.path("access.log"), encoding: .utf8)) ?? ""
    return log.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      guard words.count == 4, let status = Int(words[2]) else { return nil }
      return Request(host: words[0], version: words[1], status: status, client: words[3])
    }
  }

  deinit { _ = stop() }
}
