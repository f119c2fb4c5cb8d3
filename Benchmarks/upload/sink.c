// An HTTP server that throws away whatever it is sent, as fast as the kernel lets it: the other end
// of the upload benchmarks. It must cost less than either client, so bodies are discarded inside the
// kernel (MSG_TRUNC) and never copied.
//
//   sink [delay-in-milliseconds]     prints its port, serves until it is killed
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD = 64 * 1024, PIECE = 4 * 1024 * 1024 };
static int delay_ms;

static const char *field(const char *head, const char *name) {
  const char *found = strcasestr(head, name);
  return found ? found + strlen(name) : NULL;
}

static void *serve(void *argument) {
  int client = (int)(long)argument, on = 1;
  setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  char *head = malloc(HEAD + 1);
  size_t filled = 0;
  for (;;) {
    char *end;
    head[filled] = 0;
    while ((end = strstr(head, "\r\n\r\n")) == NULL) {
      ssize_t count = filled < HEAD ? recv(client, head + filled, HEAD - filled, 0) : 0;
      if (count <= 0) goto done;
      filled += (size_t)count;
      head[filled] = 0;
    }
    size_t size = (size_t)(end - head) + 4;
    *end = 0;
    const char *length = field(head, "\r\nContent-Length:");
    long long left = length ? atoll(length) : 0;
    if (field(head, "\r\nExpect:")) send(client, "HTTP/1.1 100 Continue\r\n\r\n", 25, MSG_NOSIGNAL);
    size_t early = filled - size;
    if ((long long)early > left) early = (size_t)left;
    left -= (long long)early;
    filled -= size + early;
    memmove(head, head + size + early, filled);
    while (left > 0) {
      ssize_t count = recv(client, NULL, left < PIECE ? (size_t)left : PIECE, MSG_TRUNC);
      if (count <= 0) goto done;
      left -= count;
    }
    if (delay_ms) usleep((useconds_t)delay_ms * 1000);
    static const char reply[] = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    if (send(client, reply, sizeof reply - 1, MSG_NOSIGNAL) < 0) goto done;
  }
done:
  free(head);
  close(client);
  return NULL;
}

int main(int count, char **arguments) {
  signal(SIGPIPE, SIG_IGN);
  delay_ms = count > 1 ? atoi(arguments[1]) : 0;
  int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 512)
      || getsockname(listener, (struct sockaddr *)&address, &size)) {
    perror("sink");
    return 1;
  }
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    if (client < 0) continue;
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void *)(long)client) == 0) pthread_detach(thread);
  }
}
