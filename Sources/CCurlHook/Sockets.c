#include "Sockets.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static _Atomic(curl_socket_callback) session;

void hoist_sockets_note_callback(curl_socket_callback callback) { atomic_store(&session, callback); }

// Which multi handle goes with the data that callbacks are given. There is one pair for each
// URLSession of the process, and those are few; a session beyond them is served as without this.
enum { MOST_SESSIONS = 64 };
static struct {
  CURLM *multi;
  void *data;
} pairs[MOST_SESSIONS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void hoist_sockets_note_data(CURLM *multi, void *data) {
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < MOST_SESSIONS; index++) {
    // An address that is used again belongs to the new one.
    bool is_free = !pairs[index].multi || pairs[index].multi == multi || pairs[index].data == data;
    if (!is_free) continue;
    pairs[index].multi = multi;
    pairs[index].data = data;
    break;
  }
  pthread_mutex_unlock(&lock);
}

static CURLM *multi_of(void *data) {
  CURLM *multi = NULL;
  pthread_mutex_lock(&lock);
  for (size_t index = 0; index < MOST_SESSIONS && !multi; index++)
    if (pairs[index].data == data) multi = pairs[index].multi;
  pthread_mutex_unlock(&lock);
  return multi;
}

// What is known of each socket, by number; those beyond are served as without this. Only the queue that
// all sessions of a process share touches them.
enum { MOST_SOCKETS = 4096 };
static struct {
  unsigned char wanted;  // what libcurl wants: CURL_POLL_IN and CURL_POLL_OUT are bits
  unsigned char told;    // what the session was told
  void *assigned;        // what the session keeps with it
  CURL *easy;
  void *data;
} sockets[MOST_SOCKETS];

// The action that this thread is in, and the sockets whose wish it has changed. Should they be more,
// the session is told at once, as without this.
enum { MOST_CHANGES = 16 };
static _Thread_local struct {
  CURLM *multi;
  curl_socket_t changed[MOST_CHANGES];
  size_t count;
} acting;

// How often a socket is written to in one go. The others have their turn after that.
enum { MOST_ROUNDS = 4 };

void hoist_sockets_note_assigned(curl_socket_t socket, void *assigned) {
  if (socket >= 0 && socket < MOST_SOCKETS) sockets[socket].assigned = assigned;
}

static int tell(curl_socket_t socket, int what) {
  curl_socket_callback callback = atomic_load(&session);
  return callback(
      sockets[socket].easy, socket, what, sockets[socket].data, sockets[socket].assigned);
}

// Brings the session from what it was told to what libcurl wants. A wish to read that is no more does
// no harm: nothing comes that nobody asked for.
static int bring(CURLM *multi, curl_socket_t socket, hoist_multi_assign assign) {
  int result = 0;
  unsigned char wanted = sockets[socket].wanted;
  if (sockets[socket].told & ~wanted & CURL_POLL_OUT) {
    // It knows no other way to take something back than to forget the socket.
    result = tell(socket, CURL_POLL_REMOVE);
    sockets[socket].told = CURL_POLL_NONE;
    sockets[socket].assigned = NULL;
    assign(multi, socket, NULL);
  }
  if (wanted & ~sockets[socket].told) {
    sockets[socket].told |= wanted;
    result = tell(socket, wanted);
  }
  return result;
}

int hoist_sockets_callback(
    CURL *easy, curl_socket_t socket, int what, void *data, void *assigned,
    hoist_multi_assign assign) {
  curl_socket_callback callback = atomic_load(&session);
  if (!callback) return 0;
  CURLM *multi = multi_of(data);
  if (!multi || socket < 0 || socket >= MOST_SOCKETS)
    return callback(easy, socket, what, data, assigned);
  sockets[socket].easy = easy;
  sockets[socket].data = data;
  // libcurl's word, for the number may have belonged to a session that is served as without this.
  sockets[socket].assigned = assigned;
  if (what == CURL_POLL_REMOVE) {
    // libcurl may close it next: the session has to know before.
    int result = sockets[socket].told ? tell(socket, what) : 0;
    sockets[socket].wanted = sockets[socket].told = CURL_POLL_NONE;
    sockets[socket].assigned = NULL;
    return result;
  }
  sockets[socket].wanted = (unsigned char)what;
  if (acting.multi != multi) return bring(multi, socket, assign);
  for (size_t index = 0; index < acting.count; index++)
    if (acting.changed[index] == socket) return 0;
  if (acting.count == MOST_CHANGES) return bring(multi, socket, assign);
  acting.changed[acting.count++] = socket;
  return 0;
}

// The sockets of this action that libcurl wants to write to and that take something.
static size_t writable(curl_socket_t socket, struct pollfd *found) {
  size_t count = 0;
  if (socket >= 0 && socket < MOST_SOCKETS && sockets[socket].wanted & CURL_POLL_OUT)
    found[count++] = (struct pollfd){.fd = socket, .events = POLLOUT};
  for (size_t index = 0; index < acting.count; index++)
    if (acting.changed[index] != socket && sockets[acting.changed[index]].wanted & CURL_POLL_OUT)
      found[count++] = (struct pollfd){.fd = acting.changed[index], .events = POLLOUT};
  if (count == 0 || poll(found, count, 0) <= 0) return 0;
  size_t ready = 0;
  for (size_t index = 0; index < count; index++)
    if (found[index].revents) found[ready++] = found[index];
  return ready;
}

CURLMcode hoist_sockets_act(
    CURLM *multi, curl_socket_t socket, int events, int *running, hoist_multi_socket_action act,
    hoist_multi_assign assign) {
  // From inside a callback libcurl refuses it, in its own words.
  if (acting.multi) return act(multi, socket, events, running);
  acting.multi = multi;
  acting.count = 0;
  CURLMcode code = act(multi, socket, events, running);
  for (int round = 0; round < MOST_ROUNDS && code == CURLM_OK; round++) {
    struct pollfd ready[MOST_CHANGES + 1];
    size_t count = writable(socket, ready);
    if (count == 0) break;
    for (size_t index = 0; index < count && code == CURLM_OK; index++)
      // What one of them did may have ended another.
      if (sockets[ready[index].fd].wanted & CURL_POLL_OUT)
        code = act(multi, ready[index].fd, 0, running);
  }
  acting.multi = NULL;
  for (size_t index = 0; index < acting.count; index++)
    bring(multi, acting.changed[index], assign);
  return code;
}
