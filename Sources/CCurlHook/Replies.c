#include "Replies.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "CCurlHook.h"

// A transfer's reply, and where it was to go. A transfer belongs to one thread at a time, and so does this;
// the lock is for the list of them.
struct reply {
  CURL *transfer;
  curl_write_callback write, header;
  void *write_data, *header_data;
  char *words;  // CURLOPT_ERRORBUFFER
  bool sends;   // whether the request may have a body: URLSession's GETs alone have none
  long long bytes;
  long pieces;
  bool is_over;
  struct reply *next;
};
static struct reply *replies;
static _Thread_local bool some_over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct reply *find(CURL *transfer) {
  pthread_mutex_lock(&lock);
  struct reply *reply = replies;
  while (reply && reply->transfer != transfer) reply = reply->next;
  pthread_mutex_unlock(&lock);
  return reply;
}

static struct reply *find_or_make(CURL *transfer) {
  struct reply *reply = find(transfer);
  if (reply || !(reply = calloc(1, sizeof *reply))) return reply;
  reply->transfer = transfer;
  pthread_mutex_lock(&lock);
  reply->next = replies;
  replies = reply;
  pthread_mutex_unlock(&lock);
  return reply;
}

void *hoist_replies_leave(CURL *transfer) {
  pthread_mutex_lock(&lock);
  struct reply **place = &replies;
  while (*place && (*place)->transfer != transfer) place = &(*place)->next;
  struct reply *reply = *place;
  if (reply) *place = reply->next;
  pthread_mutex_unlock(&lock);
  return reply;
}

void hoist_replies_note_function(CURL *transfer, CURLoption option, hoist_function function) {
  if (option != CURLOPT_WRITEFUNCTION && option != CURLOPT_HEADERFUNCTION) return;
  struct reply *reply = find_or_make(transfer);
  if (!reply) return;
  if (option == CURLOPT_WRITEFUNCTION) reply->write = (curl_write_callback)function;
  if (option == CURLOPT_HEADERFUNCTION) reply->header = (curl_write_callback)function;
}

void hoist_replies_note_pointer(CURL *transfer, CURLoption option, void *pointer) {
  if (option != CURLOPT_WRITEDATA && option != CURLOPT_HEADERDATA && option != CURLOPT_ERRORBUFFER)
    return;
  struct reply *reply = find_or_make(transfer);
  if (!reply) return;
  if (option == CURLOPT_WRITEDATA) reply->write_data = pointer;
  if (option == CURLOPT_HEADERDATA) reply->header_data = pointer;
  if (option == CURLOPT_ERRORBUFFER) reply->words = pointer;
}

void hoist_replies_note_number(CURL *transfer, CURLoption option, long number) {
  if (option != CURLOPT_UPLOAD) return;
  struct reply *reply = find_or_make(transfer);
  if (reply) reply->sends = number != 0;
}

// Counts what has come and says whether it may go on.
static bool may_pass(struct reply *reply, size_t bytes) {
  reply->bytes += (long long)bytes;
  reply->pieces++;
  long long most = reply->sends ? HOIST_MOST_REPLY : HOIST_MOST_CONTENT;
  long most_pieces = reply->sends ? HOIST_MOST_PIECES : 8 * HOIST_MOST_PIECES;
  reply->is_over = reply->is_over || reply->bytes > most || reply->pieces > most_pieces;
  if (reply->is_over) some_over = true;
  return !reply->is_over;
}

// Less than was given ends the transfer.
static size_t take_piece(char *bytes, size_t size, size_t number, void *data) {
  struct reply *reply = data;
  if (!may_pass(reply, size * number)) return 0;
  return reply->write(bytes, size, number, reply->write_data);
}

// A line of the head, or of what follows a body in chunks, which need not end either.
static size_t take_line(char *bytes, size_t size, size_t number, void *data) {
  struct reply *reply = data;
  if (!may_pass(reply, size * number)) return 0;
  return reply->header(bytes, size, number, reply->header_data);
}

void hoist_replies_name_ends(void) {
  if (!some_over) return;
  some_over = false;
  pthread_mutex_lock(&lock);
  for (struct reply *reply = replies; reply; reply = reply->next) {
    if (!reply->is_over || !reply->words) continue;
    strcpy(reply->words, HOIST_TOO_LONG);
    reply->words = NULL;
  }
  pthread_mutex_unlock(&lock);
}

void hoist_replies_bound(CURL *transfer, hoist_easy_setopt setopt) {
  struct reply *reply = find(transfer);
  if (!reply || !reply->write || !reply->header) return;
  reply->bytes = reply->pieces = 0;
  reply->is_over = false;
  setopt(transfer, CURLOPT_WRITEFUNCTION, take_piece);
  setopt(transfer, CURLOPT_WRITEDATA, reply);
  setopt(transfer, CURLOPT_HEADERFUNCTION, take_line);
  setopt(transfer, CURLOPT_HEADERDATA, reply);
}
