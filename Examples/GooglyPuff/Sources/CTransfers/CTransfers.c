#include "CTransfers.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

// libcurl's own set-up is not safe among threads.
static pthread_once_t set_up_once = PTHREAD_ONCE_INIT;
static CURLcode set_up_outcome = CURLE_OK;

static void set_up(void) { set_up_outcome = curl_global_init(CURL_GLOBAL_DEFAULT); }

struct sink {
  FILE *file;
  int64_t left;
  int too_long;
  int write_error;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
  struct sink *sink = context;
  size_t length = size * count;
  if ((int64_t)length > sink->left) {
    sink->too_long = 1;
    return 0;
  }
  sink->left -= (int64_t)length;
  size_t written = fwrite(bytes, 1, length, sink->file);
  if (written != length) sink->write_error = errno;
  return written;
}

// libcurl opens what a `file:` address names and would wait for ever on a pipe.
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

int ctransfers_fetch(
    const char *address, FILE *file, ctransfers_limits limits, char *reason, size_t reason_size) {
  pthread_once(&set_up_once, set_up);
  CURL *transfer = set_up_outcome == CURLE_OK ? curl_easy_init() : NULL;
  if (transfer == NULL) {
    snprintf(reason, reason_size, "libcurl cannot be started");
    return -1;
  }
  if (!is_plain_file_if_local(address, reason, reason_size)) {
    curl_easy_cleanup(transfer);
    return -1;
  }
  char detail[CURL_ERROR_SIZE] = "";
  struct sink sink = {file, limits.bytes, 0, 0};
  curl_easy_setopt(transfer, CURLOPT_URL, address);
  curl_easy_setopt(transfer, CURLOPT_ERRORBUFFER, detail);
  curl_easy_setopt(transfer, CURLOPT_PROTOCOLS_STR, "http,https,file");
  // A server must not send us to a file of this machine.
  curl_easy_setopt(transfer, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(transfer, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(transfer, CURLOPT_MAXREDIRS, 5L);
  curl_easy_setopt(transfer, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(transfer, CURLOPT_USERAGENT, "GooglyPuff");
  // Time limits without signals, which belong to the program.
  curl_easy_setopt(transfer, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer, CURLOPT_CONNECTTIMEOUT, limits.silence_seconds);
  curl_easy_setopt(transfer, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(transfer, CURLOPT_LOW_SPEED_TIME, limits.silence_seconds);
  curl_easy_setopt(transfer, CURLOPT_TIMEOUT, limits.whole_seconds);
  curl_easy_setopt(transfer, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(transfer, CURLOPT_WRITEDATA, &sink);
  CURLcode outcome = curl_easy_perform(transfer);
  long status = 0;
  curl_easy_getinfo(transfer, CURLINFO_RESPONSE_CODE, &status);
  curl_easy_cleanup(transfer);
  if (outcome == CURLE_OK && fflush(file) != 0) {
    outcome = CURLE_WRITE_ERROR;
    sink.write_error = errno;
  }
  if (outcome == CURLE_OK) return 0;

  const char *text = detail[0] != '\0' ? detail : curl_easy_strerror(outcome);
  if (sink.too_long) {
    snprintf(
        reason, reason_size, "longer than %lld MB", (long long)(limits.bytes / (1024 * 1024)));
  } else if (sink.write_error != 0) {
    snprintf(reason, reason_size, "cannot be stored: %s", strerror(sink.write_error));
  } else if (outcome == CURLE_OPERATION_TIMEDOUT) {
    snprintf(reason, reason_size, "the address does not answer (%s)", text);
  } else if (outcome == CURLE_COULDNT_CONNECT) {
    snprintf(reason, reason_size, "the address cannot be reached (%s)", text);
  } else if (outcome == CURLE_HTTP_RETURNED_ERROR) {
    snprintf(reason, reason_size, "the server answers with status %ld", status);
  } else if (outcome == CURLE_PARTIAL_FILE) {
    snprintf(reason, reason_size, "the download ended early (%s)", text);
  } else {
    snprintf(reason, reason_size, "%s", text);
  }
  return -1;
}
