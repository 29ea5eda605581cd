#include <string.h>

#include "expect.h"

static const struct {
  const char *name;
  void (*use)(void);
} parts[] = {
    {"object", use_object}, {"queue", use_queue}, {"group", use_group},
    {"semaphore", use_semaphore}, {"once", use_once}, {"time", use_time},
    {"block", use_block}, {"process", use_process}, {"source", use_source},
    {"data", use_data}, {"transform", use_transform}, {"io", use_io},
    {"copies", use_copies},
    {"exported", use_exported},
};

int main(int count, char **arguments) {
  if (count < 2) return 64;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t index = 0; index < sizeof parts / sizeof *parts; index++) {
    if (strcmp(parts[index].name, arguments[1])) continue;
    parts[index].use();
    puts("done");
    return 0;
  }
  misuse(arguments[1]);
  return 64;
}
