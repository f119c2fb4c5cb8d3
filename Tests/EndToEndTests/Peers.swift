import Foundation
import TestSupport
import Testing

/// A server from elsewhere that keeps what is uploaded and answers with what it saw.
struct Peer {
  let url: String
  private let programs: [Program]

  /// Flask, as people start with it.
  static func flask(_ person: Person) async throws -> Peer {
    let python = Person.repository.appendingPathComponent(".build/peers/bin/python3").path
    try #require(
      FileManager.default.isExecutableFile(atPath: python), "\(python) is missing: run make setup")
    let program = try Program(
      python, [script("flask_app.py"), person.folder.path], environment: person.environment,
      directory: person.folder.path)
    let port = try await wait(for: "Flask", otherwise: { program.errors }) {
      program.output.firstMatch(of: /port (\d+)/).map { String($0.1) }
    }
    return Peer(url: "http://127.0.0.1:\(port)/upload", programs: [program])
  }

  /// PHP's own server.
  static func php(_ person: Person) async throws -> Peer {
    var environment = person.environment
    environment["KEEP"] = person.folder.path
    return try await started(needs: "php-cli") { port in
      try Program(
        "php",
        [
          "-d", "upload_max_filesize=64M", "-d", "post_max_size=64M", "-S", "127.0.0.1:\(port)",
          script("upload.php"),
        ], environment: environment, directory: person.folder.path)
    }
  }

  /// nginx in front of Flask. It takes a mebibyte and no more, except under `/large`.
  static func nginx(_ person: Person) async throws -> Peer {
    let flask = try await flask(person)
    let folder = person.folder.path("nginx")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let peer = try await started(needs: "nginx-light") { port in
      // Workers of root's nginx would become another user, who may not write here.
      let user = getuid() == 0 ? "user root;" : ""
      try """
      \(user) daemon off; master_process off; pid nginx.pid; error_log stderr;
      events {}
      http {
        access_log off;
        client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
        uwsgi_temp_path uwsgi; scgi_temp_path scgi;
        client_max_body_size 1m;
        server {
          listen 127.0.0.1:\(port);
          location /upload { proxy_pass \(flask.url); }
          location /large { client_max_body_size 64m; proxy_pass \(flask.url); }
        }
      }
      """.write(toFile: "\(folder)/nginx.conf", atomically: true, encoding: .utf8)
      var environment = person.environment
      environment["PATH", default: ""] += ":/usr/sbin"
      return try Program(
        "nginx", ["-p", folder, "-c", "nginx.conf", "-e", "stderr"], environment: environment,
        directory: folder)
    }
    return Peer(url: peer.url, programs: peer.programs + flask.programs)
  }

  /// Starts a server that has to be told its port, and waits until it listens there. Somebody else
  /// may have taken the port meanwhile; then another one is tried.
  private static func started(
    needs package: String, _ start: (_ port: Int) throws -> Program
  ) async throws -> Peer {
    var errors = ""
    for _ in 1...3 {
      let port = try HostileServer.closedPort()
      let program = try start(port)
      let listens = try await wait(for: package, otherwise: { program.errors }) { () -> Bool? in
        if program.hasEnded { return false }
        return (try? RawClient(port: port)).map { _ in true }
      }
      if listens {
        return Peer(url: "http://127.0.0.1:\(port)/upload", programs: [program])
      }
      errors += program.errors
    }
    throw WaitedInVain(
      description: "\(package) does not start (is it missing? run make setup)\n\(errors)")
  }

  private static func script(_ name: String) -> String {
    Person.repository.appendingPathComponent("Tests/EndToEndTests/Peers/\(name)").path
  }
}
