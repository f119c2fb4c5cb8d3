// A long line on one machine: carries the packets of a tunnel, whose two ends exchange their addresses (Tests/Attack/link.py),
// with a delay, packets that are lost, and an uplink with a queue in front of it. It does what link.Line does in Python, at
// a rate that Python cannot keep up with.
//
//   line TUNNEL DELAY LOSS [PORT RATE QUEUE]
//
// TUNNEL is an open file descriptor, DELAY in seconds each way, LOSS the share of packets that are lost. What goes to the
// TCP port PORT goes over the uplink: RATE bytes a second, behind a queue of at most QUEUE seconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { SLOTS = 1 << 14, LONGEST = 2048 };

// Packets in the order of their arrival.
struct way {
  struct {
    double due;
    size_t size;
    uint8_t bytes[LONGEST];
  } slots[SLOTS];
  unsigned first, end;
};
static struct way up, down;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double chance(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) / (double)(1ull << 53);
}

static int goes_to(const uint8_t *packet, size_t size, int port) {
  size_t head = (size_t)(packet[0] & 15) * 4;
  return packet[9] == 6 && size >= head + 4 && (packet[head + 2] << 8 | packet[head + 3]) == port;
}

static void deliver(int tunnel, struct way *way, double time) {
  while (way->first != way->end && way->slots[way->first % SLOTS].due <= time) {
    unsigned slot = way->first++ % SLOTS;
    uint8_t *packet = way->slots[slot].bytes, source[4];
    // A sum over both addresses does not change when they change places.
    memcpy(source, packet + 12, 4);
    memcpy(packet + 12, packet + 16, 4);
    memcpy(packet + 16, source, 4);
    if (write(tunnel, packet, way->slots[slot].size) < 0 && errno != EINVAL) perror("line");
  }
}

int main(int count, char **words) {
  if (count != 4 && count != 7) return fprintf(stderr, "usage: line TUNNEL DELAY LOSS [PORT RATE QUEUE]\n"), 2;
  int tunnel = atoi(words[1]), port = count > 4 ? atoi(words[4]) : -1;
  double delay = atof(words[2]), loss = atof(words[3]);
  double rate = count > 4 ? atof(words[5]) : 0, queue = count > 4 ? atof(words[6]) : 0, isFree = 0;
  fcntl(tunnel, F_SETFL, O_NONBLOCK);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // It ends with the benchmark, even if that is broken off.
  for (;;) {
    double time = now();
    for (int some = 0; some < 64; some++) {
      uint8_t packet[LONGEST];
      ssize_t size = read(tunnel, packet, LONGEST);
      if (size <= 0) break;
      // IPv4 only.
      if (packet[0] >> 4 != 4 || chance() < loss) continue;
      int rises = goes_to(packet, (size_t)size, port);
      struct way *way = rises ? &up : &down;
      if (way->end - way->first == SLOTS) continue;
      double leaves = time;
      if (rises) {
        if (isFree < time) isFree = time;
        if (isFree - time > queue) continue;
        leaves = isFree += (double)size / rate;
      }
      unsigned slot = way->end++ % SLOTS;
      way->slots[slot].due = leaves + delay;
      way->slots[slot].size = (size_t)size;
      memcpy(way->slots[slot].bytes, packet, (size_t)size);
    }
    time = now();
    deliver(tunnel, &up, time);
    deliver(tunnel, &down, time);
    double next = time + 1;
    if (up.first != up.end) next = up.slots[up.first % SLOTS].due;
    if (down.first != down.end && down.slots[down.first % SLOTS].due < next) next = down.slots[down.first % SLOTS].due;
    double rest = next > time ? next - time : 0;
    struct timespec wait = {.tv_sec = (time_t)rest, .tv_nsec = (long)((rest - (double)(time_t)rest) * 1e9)};
    struct pollfd ready = {.fd = tunnel, .events = POLLIN};
    ppoll(&ready, 1, &wait, NULL);
  }
}
