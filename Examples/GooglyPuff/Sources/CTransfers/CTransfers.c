#include "CTransfers.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// libcurl's own set-up is not safe among threads.
static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static CURLcode set_up_outcome = CURLE_OK;

static void set_up(void) { set_up_outcome = curl_global_init(CURL_GLOBAL_DEFAULT); }

struct transfer {
  struct transfer *next;
  CURL *codec;
  FILE *file;
  int64_t number;
  int64_t limit;
  // Bytes that may still come.
  int64_t left;
  int64_t *came;
  int too_long;
  int write_error;
  char detail[CURL_ERROR_SIZE];
};

struct ctransfers_set {
  CURLM *codec;
  struct transfer *first;
  int64_t came;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct transfer *transfer = context;
  size_t length = size * count;
  if ((int64_t)length > transfer->left) {
    transfer->too_long = 1;
    return 0;
  }
  transfer->left -= (int64_t)length;
  *transfer->came += (int64_t)length;
  size_t written = fwrite(bytes, 1, length, transfer->file);
  if (written != length) transfer->write_error = errno;
  return written;
}

// libcurl opens what a `file:` address names and would wait forever on a pipe.
static int is_plain_file_if_local(const char *address, char *reason, size_t reason_size) {
  CURLU *parts = curl_url();
  char *scheme = NULL, *path = NULL;
  int plain = 1;
  if (parts != NULL && curl_url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK
      && curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK
      && strcmp(scheme, "file") == 0
      && curl_url_get(parts, CURLUPART_PATH, &path, CURLU_URLDECODE) == CURLUE_OK) {
    struct stat status;
    if (stat(path, &status) != 0) {
      snprintf(reason, reason_size, "%s", strerror(errno));
      plain = 0;
    } else if (!S_ISREG(status.st_mode)) {
      snprintf(reason, reason_size, "not a plain file");
      plain = 0;
    }
  }
  curl_free(scheme);
  curl_free(path);
  curl_url_cleanup(parts);
  return plain;
}

ctransfers_set *ctransfers_make(void) {
  pthread_once(&set_up_once, set_up);
  if (set_up_outcome != CURLE_OK) return NULL;
  ctransfers_set *set = calloc(1, sizeof *set);
  if (set == NULL) return NULL;
  set->codec = curl_multi_init();
  if (set->codec == NULL) {
    free(set);
    return NULL;
  }
  return set;
}

// Takes the transfer out of the set and frees it.
static void drop(ctransfers_set *set, struct transfer *transfer) {
  struct transfer **place = &set->first;
  while (*place != transfer) place = &(*place)->next;
  *place = transfer->next;
  curl_multi_remove_handle(set->codec, transfer->codec);
  curl_easy_cleanup(transfer->codec);
  free(transfer);
}

void ctransfers_free(ctransfers_set *set) {
  while (set->first != NULL) drop(set, set->first);
  curl_multi_cleanup(set->codec);
  free(set);
}

int ctransfers_begin(
    ctransfers_set *set, int64_t number, const char *address, FILE *file,
    ctransfers_limits limits, char *reason, size_t reason_size) {
  if (!is_plain_file_if_local(address, reason, reason_size)) return -1;
  struct transfer *transfer = calloc(1, sizeof *transfer);
  CURL *codec = transfer == NULL ? NULL : curl_easy_init();
  if (codec == NULL) {
    free(transfer);
    snprintf(reason, reason_size, "not enough memory");
    return -1;
  }
  transfer->codec = codec;
  transfer->file = file;
  transfer->number = number;
  transfer->limit = transfer->left = limits.bytes;
  transfer->came = &set->came;
  curl_easy_setopt(codec, CURLOPT_PRIVATE, transfer);
  curl_easy_setopt(codec, CURLOPT_URL, address);
  curl_easy_setopt(codec, CURLOPT_ERRORBUFFER, transfer->detail);
  curl_easy_setopt(codec, CURLOPT_PROTOCOLS_STR, "http,https,file");
  // A server must not send us to a file of this machine.
  curl_easy_setopt(codec, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(codec, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(codec, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(codec, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(codec, CURLOPT_USERAGENT, "GooglyPuff");
  // Time limits without signals, which belong to the program.
  curl_easy_setopt(codec, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(codec, CURLOPT_CONNECTTIMEOUT, limits.silence_seconds);
  curl_easy_setopt(codec, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(codec, CURLOPT_LOW_SPEED_TIME, limits.silence_seconds);
  curl_easy_setopt(codec, CURLOPT_TIMEOUT, limits.whole_seconds);
  curl_easy_setopt(codec, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(codec, CURLOPT_WRITEDATA, transfer);
  transfer->next = set->first;
  set->first = transfer;
  CURLMcode outcome = curl_multi_add_handle(set->codec, codec);
  if (outcome == CURLM_OK) return 0;
  snprintf(reason, reason_size, "%s", curl_multi_strerror(outcome));
  drop(set, transfer);
  return -1;
}

int64_t ctransfers_turn(ctransfers_set *set) {
  int running;
  set->came = 0;
  curl_multi_perform(set->codec, &running);
  return set->came;
}

void ctransfers_progress(
    const ctransfers_set *set, int64_t number, int64_t *received, int64_t *expected) {
  *received = 0;
  *expected = -1;
  for (const struct transfer *transfer = set->first; transfer != NULL; transfer = transfer->next) {
    if (transfer->number != number) continue;
    *received = transfer->limit - transfer->left;
    curl_off_t length = -1;
    if (curl_easy_getinfo(transfer->codec, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length) == CURLE_OK)
      *expected = length;
  }
}

static void explain(
    const struct transfer *transfer, CURLcode outcome, char *reason, size_t reason_size) {
  const char *text =
      transfer->detail[0] != '\0' ? transfer->detail : curl_easy_strerror(outcome);
  if (transfer->too_long) {
    long long limit = transfer->limit / (1024 * 1024);
    snprintf(reason, reason_size, "longer than %lld MB", limit);
  } else if (transfer->write_error != 0) {
    snprintf(reason, reason_size, "cannot be stored: %s", strerror(transfer->write_error));
  } else if (outcome == CURLE_OPERATION_TIMEDOUT) {
    snprintf(reason, reason_size, "the address does not answer (%s)", text);
  } else if (outcome == CURLE_COULDNT_CONNECT) {
    snprintf(reason, reason_size, "the address cannot be reached (%s)", text);
  } else if (outcome == CURLE_HTTP_RETURNED_ERROR) {
    long status = 0;
    curl_easy_getinfo(transfer->codec, CURLINFO_RESPONSE_CODE, &status);
    snprintf(reason, reason_size, "the server answers with status %ld", status);
  } else if (outcome == CURLE_PARTIAL_FILE) {
    snprintf(reason, reason_size, "the download ended early (%s)", text);
  } else {
    snprintf(reason, reason_size, "%s", text);
  }
}

int ctransfers_take_ended(
    ctransfers_set *set, int64_t *number, char *reason, size_t reason_size) {
  int more;
  CURLMsg *message = curl_multi_info_read(set->codec, &more);
  if (message == NULL) return 0;
  // A set has no other kind of message.
  CURLcode outcome = message->data.result;
  struct transfer *transfer = NULL;
  curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
  if (outcome == CURLE_OK && fflush(transfer->file) != 0) {
    outcome = CURLE_WRITE_ERROR;
    transfer->write_error = errno;
  }
  reason[0] = '\0';
  if (outcome != CURLE_OK) explain(transfer, outcome, reason, reason_size);
  *number = transfer->number;
  drop(set, transfer);
  return 1;
}
