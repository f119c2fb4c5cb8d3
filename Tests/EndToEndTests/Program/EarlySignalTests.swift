import Foundation
import TestSupport
import Testing

extension EndToEnd {
  /// Dispatch learns of a signal some time after it was asked to, on a thread of its own. Here that takes until the
  /// test says so.
  @Suite("A signal that comes while its handler is being set up")
  struct EarlySignalTests {
    /// Holds `signalfd` up, by which Dispatch gets its first signal, until a file is gone.
    private static let holdUp = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <fcntl.h>
      #include <signal.h>
      #include <stdlib.h>
      #include <unistd.h>
      int signalfd(int fd, const sigset_t *mask, int flags) {
        const char *path = getenv("HELD_UP");
        static int calls;
        if (calls++ == 0) {
          close(open(path, O_WRONLY | O_CREAT, 0600));
          while (access(path, F_OK) == 0) usleep(1000);
        }
        int (*real)(int, const sigset_t *, int) = dlsym(RTLD_NEXT, "signalfd");
        return real(fd, mask, flags);
      }
      """

    @Test("is not lost: it ends a push", arguments: [SIGINT, SIGTERM, SIGHUP])
    func push(signal: Int32) async throws {
      let person = try Person()
      try person.folder.write("hold.c", Array(Self.holdUp.utf8))
      try Tool.run(
        "clang",
        [
          "-shared", "-fPIC", "-o", person.folder.path("hold.so"), person.folder.path("hold.c"),
          "-ldl",
        ])
      // It is over when it is stopped, and not before.
      let server = try HostileServer { connection, _ in
        _ = connection.readRequest()
        connection.stall()
      }
      defer { server.stop() }
      try person.folder.write("a.txt", [65])
      let mark = person.folder.path("held up")
      let push = try person.shell(
        "HELD_UP='\(mark)' LD_PRELOAD=./hold.so exec hoist push a.txt --to \(server.url().absoluteString)"
      )
      try await wait(for: "the handler", otherwise: { push.errors }) {
        access(mark, F_OK) == 0 ? true : nil
      }
      push.signal(signal)
      // A signal that was ignored would be lost by now, as the system drops it at once.
      unlink(mark)
      let outcome = try await push.end()
      #expect([130, 128 + signal].contains(outcome.status), "\(outcome)")
    }
  }
}
