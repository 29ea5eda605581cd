#define _GNU_SOURCE
#include "cachedid.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

// Functions of the Swift runtime.
extern void swift_once(intptr_t *predicate, void (*make)(void *), void *context);
extern void *swift_getGenericMetadata(size_t request, const void *arguments, const void *description);

/// The runtime's thread-local variables on the thread that forks, and that thread's number.
static struct {
  uint32_t *words;
  size_t count;
  uint32_t id;
} noted;

static int contains(const struct dl_phdr_info *object, uintptr_t address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && address - (object->dlpi_addr + part->p_vaddr) < part->p_memsz)
      return 1;
  }
  return 0;
}

static int look_for_runtime(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size, (void)context;
  if (!contains(object, (uintptr_t)swift_getGenericMetadata)) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type != PT_TLS) continue;
    noted.words = object->dlpi_tls_data;
    noted.count = noted.words ? object->dlpi_phdr[i].p_memsz / sizeof *noted.words : 0;
  }
  return 1;
}

void csb_cached_id_note(void) {
  noted.count = 0;
  noted.id = gettid();
  dl_iterate_phdr(look_for_runtime, NULL);
}

struct trial {
  /// What the runtime calls a predicate: a flag, and a lock whose word is its holder's number.
  intptr_t predicate;
  uint32_t id;
  int is_used;
};

static void read_holder(void *context) {
  struct trial *trial = context;
  // order: relaxed; this thread wrote it.
  uint64_t word = __atomic_load_n(&trial->predicate, __ATOMIC_RELAXED);
  trial->is_used = (uint32_t)word == trial->id || word >> 32 == trial->id;
}

static int runtime_uses(uint32_t id) {
  struct trial trial = {.id = id};
  swift_once(&trial.predicate, read_holder, &trial);
  return trial.is_used;
}

void csb_cached_id_renew(void) {
  uint32_t id = gettid();
  for (size_t i = 0; i < noted.count; i++) {
    if (noted.words[i] != noted.id) continue;
    noted.words[i] = id;
    if (runtime_uses(id)) return;
    noted.words[i] = noted.id;
  }
}
