#include "Sockets.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

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

// How often a socket is written to in one go, and for how long. The others have their turn after that.
enum { MOST_ROUNDS = 4, MOST_ROUNDS_US = 2000 };

// Dispatch empties a queue before it goes back to the one around it, and the queue that socket actions
// come on lies within the one on which the session begins and cancels transfers and deals with redirects
// and challenges. Where two sockets take whatever is written (a disk slower than the line is enough),
// there is always one more action, and all of that waits for as long as they go on. So there is a pause
// from time to time: one of them is left, and the others are not watched. Its next few actions do
// nothing, and until Dispatch comes with the next of them, the queue is empty.
enum { WATCHED_TOGETHER_US = 10000, IDLE_ACTIONS = 3 };
static struct {
  CURLM *multi;         // whose sockets are not watched; NULL where there is no pause
  curl_socket_t left;   // the one that is
  int actions;          // how many of its actions do nothing
  long long next;       // when the next pause is due, or this one over at the latest, in microseconds
  curl_socket_t bound;  // above the number of every socket so far
} rest;

void hoist_sockets_note_assigned(curl_socket_t socket, void *assigned) {
  if (socket >= 0 && socket < MOST_SOCKETS) sockets[socket].assigned = assigned;
}

static int tell(curl_socket_t socket, int what) {
  curl_socket_callback callback = atomic_load(&session);
  return callback(
      sockets[socket].easy, socket, what, sockets[socket].data, sockets[socket].assigned);
}

static int unwatch(CURLM *multi, curl_socket_t socket, hoist_multi_assign assign) {
  int result = tell(socket, CURL_POLL_REMOVE);
  sockets[socket].told = CURL_POLL_NONE;
  sockets[socket].assigned = NULL;
  assign(multi, socket, NULL);
  return result;
}

// Brings the session from what it was told to what libcurl wants. A wish to read that is no more does
// no harm: nothing comes that nobody asked for.
static int bring(CURLM *multi, curl_socket_t socket, hoist_multi_assign assign) {
  int result = 0;
  unsigned char wanted = sockets[socket].wanted;
  // It knows no other way to take something back than to forget the socket.
  if (sockets[socket].told & ~wanted & CURL_POLL_OUT) result = unwatch(multi, socket, assign);
  if (wanted & ~sockets[socket].told) {
    // All of it: what it was told before it may not have come to yet, and then it forgets that.
    sockets[socket].told |= wanted;
    result = tell(socket, sockets[socket].told);
  }
  return result;
}

static long long microseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

// One that the other side has hung up does not: Dispatch reports that only once.
static bool takes_more(curl_socket_t socket) {
  struct pollfd found = {.fd = socket, .events = POLLOUT};
  return sockets[socket].told & CURL_POLL_OUT && poll(&found, 1, 0) > 0 &&
         found.revents == POLLOUT;
}

static bool belongs_to(CURLM *multi, curl_socket_t socket) {
  return sockets[socket].wanted && multi_of(sockets[socket].data) == multi;
}

static void begin_pause(CURLM *multi, hoist_multi_assign assign) {
  rest.next = microseconds() + WATCHED_TOGETHER_US;
  rest.left = CURL_SOCKET_BAD;
  for (curl_socket_t socket = 0; socket < rest.bound; socket++) {
    if (!belongs_to(multi, socket) || !takes_more(socket)) continue;
    if (rest.left == CURL_SOCKET_BAD) {
      rest.left = socket;
      continue;
    }
    rest.multi = multi;
    rest.actions = IDLE_ACTIONS;
    unwatch(multi, socket, assign);
  }
}

static void end_pause(hoist_multi_assign assign) {
  CURLM *multi = rest.multi;
  rest.multi = NULL;
  rest.next = microseconds() + WATCHED_TOGETHER_US;
  for (curl_socket_t socket = 0; socket < rest.bound; socket++)
    if (belongs_to(multi, socket)) bring(multi, socket, assign);
}

// Without an action to come for the one that is left, the others would never be watched again.
static void keep_pause(hoist_multi_assign assign) {
  if (rest.multi && (!takes_more(rest.left) || microseconds() >= rest.next)) end_pause(assign);
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
  if (socket >= rest.bound) rest.bound = socket + 1;
  if (what == CURL_POLL_REMOVE) {
    // libcurl may close it next: the session has to know before.
    int result = sockets[socket].told ? tell(socket, what) : 0;
    sockets[socket].wanted = sockets[socket].told = CURL_POLL_NONE;
    sockets[socket].assigned = NULL;
    if (!acting.multi) keep_pause(assign);
    return result;
  }
  sockets[socket].wanted = (unsigned char)what;
  if (acting.multi != multi) {
    int result = bring(multi, socket, assign);
    if (!acting.multi) keep_pause(assign);
    return result;
  }
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
  if (rest.multi == multi && rest.left == socket) {
    if (rest.actions-- > 0 && takes_more(socket)) return CURLM_OK;
    end_pause(assign);
  }
  acting.multi = multi;
  acting.count = 0;
  long long begun = microseconds();
  CURLMcode code = act(multi, socket, events, running);
  for (int round = 0; round < MOST_ROUNDS && code == CURLM_OK; round++) {
    struct pollfd ready[MOST_CHANGES + 1];
    size_t count = microseconds() - begun < MOST_ROUNDS_US ? writable(socket, ready) : 0;
    if (count == 0) break;
    for (size_t index = 0; index < count && code == CURLM_OK; index++)
      // What one of them did may have ended another.
      if (sockets[ready[index].fd].wanted & CURL_POLL_OUT)
        code = act(multi, ready[index].fd, 0, running);
  }
  acting.multi = NULL;
  for (size_t index = 0; index < acting.count; index++)
    bring(multi, acting.changed[index], assign);
  keep_pause(assign);
  if (!rest.multi && microseconds() >= rest.next) begin_pause(multi, assign);
  return code;
}
