// overlay.c — methods of the toolchain's class DispatchQueue that are replaced.
//
// `sync` makes a block of its closure before it calls dispatch_sync, and `async`
// retains its block twice and compares its arguments through protocols before it
// calls dispatch_async. SignalboxDropIn has methods that avoid this work (OverlayQueue). A program
// reaches them in two ways:
//
// By name     A program calls most methods by their names. This library defines
//             the names, so the dynamic linker binds the program to it if it
//             comes before libswiftDispatch. A program into which Swift's
//             libraries are linked uses their definitions, because ours are weak.
// By table    A program calls `sync(execute: () -> Void)` through the table in
//             the class's metadata. This library finds the entry by the address
//             of the class's own method, and replaces it.
//
// Both require that an object of the class consists of a handle, and that the handle belongs to
// this library. This is checked once, with the main queue's object, before the first queue is made.
// They also require that no other library has replaced the C functions, as ThreadSanitizer does to
// see the calls.
#define _GNU_SOURCE
#include "CSignalboxDropIn/overlay.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "CSignalbox/object.h"
#include "CSignalboxDropIn/blockmemory.h"
#include "CSignalboxDropIn/image.h"
#include "CSignalboxDropIn/queue.h"

#define SYNC "$s8Dispatch0A5QueueC4sync7executexxyKXE_tKlF"
#define SYNC_WITH_FLAGS \
  "$s8Dispatch0A5QueueC4sync5flags7executexAA0A13WorkItemFlagsV_xyKXEtKlF"

#define ASYNC \
  "$s8Dispatch0A5QueueC5async5group3qos5flags7executeyAA0A5GroupCSg_AA0A3QoSV" \
  "AA0A13WorkItemFlagsVyyYbXBtF"

/// The beginning of a class's metadata, which has the same layout in all classes.
struct class_metadata {
  uintptr_t kind;
  void *superclass;
  uint32_t flags, instance_start, instance_size;
  uint16_t alignment, reserved;
  /// The size of the metadata, and the offset of this structure from the
  /// beginning of the metadata.
  uint32_t size, address_point;
  uintptr_t words[];
};

// Of the toolchain's library, if the process has it.
extern struct class_metadata their_class __asm__("$s8Dispatch0A5QueueCN") __attribute__((weak));
extern struct class_metadata their_group_class __asm__("$s8Dispatch0A5GroupCN")
    __attribute__((weak));
extern __attribute__((swiftcall)) struct csd_overlay_object *their_main_queue(
    __attribute__((swift_context)) void *type) __asm__("$s8Dispatch0A5QueueC4mainACvgZ")
    __attribute__((weak));
extern void their_plain_sync(void) __asm__("$s8Dispatch0A5QueueC4sync7executeyyyXE_tF")
    __attribute__((weak));
extern __attribute__((swiftcall)) const struct csd_overlay_qos *their_unspecified_qos(void) __asm__(
    "$s8Dispatch0A3QoSV11unspecifiedACvau") __attribute__((weak));

// Functions of SignalboxDropIn, in Swift.
extern void csd_overlay_plain_sync(void);
extern void dispatch_sync(void), dispatch_barrier_sync(void), dispatch_async(void),
    dispatch_barrier_async(void), dispatch_group_async(void);

int csd_overlay_answer;

/// The toolchain's `DispatchQoS.unspecified`; null until `csd_overlay_decide` sets it.
static const struct csd_overlay_qos *unspecified_qos;

// MARK: By name

#if defined(__x86_64__)
#define JUMP_TO(name) __asm__("jmp " name "@PLT")
#define JUMP_TO_ADDRESS_IN(name) __asm__("jmpq *" name "(%rip)")
#elif defined(__aarch64__)
#define JUMP_TO(name) __asm__("b " name)
#define JUMP_TO_ADDRESS_IN(name) \
  __asm__("adrp x16, " name "\n ldr x16, [x16, :lo12:" name "]\n br x16")
#endif

// A jump leaves the arguments in place, so the method that it jumps to receives them.

__attribute__((naked, weak)) void csd_overlay_sync_entry(void) __asm__(SYNC);
void csd_overlay_sync_entry(void) { JUMP_TO("csd_overlay_sync"); }

__attribute__((naked, weak)) void csd_overlay_sync_flags_entry(void) __asm__(SYNC_WITH_FLAGS);
void csd_overlay_sync_flags_entry(void) { JUMP_TO("csd_overlay_sync_flags"); }

__attribute__((naked, weak)) void csd_overlay_async_entry(void) __asm__(ASYNC);
void csd_overlay_async_entry(void) { JUMP_TO("csd_overlay_async"); }

__attribute__((visibility("hidden"))) void *csd_next_sync, *csd_next_sync_flags, *csd_next_async;

__attribute__((naked)) void csd_overlay_sync_next(void) { JUMP_TO_ADDRESS_IN("csd_next_sync"); }

__attribute__((naked)) void csd_overlay_sync_flags_next(void) {
  JUMP_TO_ADDRESS_IN("csd_next_sync_flags");
}

__attribute__((naked)) void csd_overlay_async_next(void) { JUMP_TO_ADDRESS_IN("csd_next_async"); }

/// A handle for `dlsym` of the image that contains this object's class; null if it is unknown. A
/// library that was loaded late can be found only through its handle.
static void *image_of_class(const struct csd_overlay_object *queue) {
  Dl_info image;
  if (!dladdr(queue->header[0], &image)) return NULL;
  // The class keeps the image loaded, so the handle need not.
  void *handle = dlopen(image.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle) dlclose(handle);
  return handle;
}

int csd_overlay_find_next(enum csd_overlay_method method, const void *queue) {
  static const struct {
    void **place;
    const char *name;
  } methods[] = {
      [CSD_OVERLAY_SYNC] = {&csd_next_sync, SYNC},
      [CSD_OVERLAY_SYNC_FLAGS] = {&csd_next_sync_flags, SYNC_WITH_FLAGS},
      [CSD_OVERLAY_ASYNC] = {&csd_next_async, ASYNC},
  };
  void **place = methods[method].place;
  // order: relaxed; the address is a constant, and the jump of this thread reads it after this.
  if (__atomic_load_n(place, __ATOMIC_RELAXED)) return 1;
  void *image = image_of_class(queue);
  void *found = image ? dlsym(image, methods[method].name) : NULL;
  // order: relaxed; as above.
  __atomic_store_n(place, found, __ATOMIC_RELAXED);
  return found != NULL;
}

// MARK: By table

/// The place of the class's own method in its table; null if the table does not
/// contain the method, or contains it more than once.
static uintptr_t *place_in_table(void) {
  uintptr_t *end = (uintptr_t *)((char *)&their_class - their_class.address_point + their_class.size);
  uintptr_t *place = NULL;
  for (uintptr_t *word = their_class.words; word < end; word++) {
    // order: relaxed; another thread may be replacing it, and then has decided the same.
    if (__atomic_load_n(word, __ATOMIC_RELAXED) != (uintptr_t)their_plain_sync) continue;
    if (place) return NULL;
    place = word;
  }
  return place;
}

static void replace_in_table(void) {
  uintptr_t *place = place_in_table();
  if (!place || !csd_is_writable(place)) return;
  // order: relaxed; the method is a constant, and both it and the old one are right.
  __atomic_store_n(place, (uintptr_t)csd_overlay_plain_sync, __ATOMIC_RELAXED);
}

// MARK: The decision

static int has_one_word(const struct class_metadata *class) {
  return class && class->instance_size == sizeof(struct csd_overlay_object);
}

static int objects_are_ours(void) {
  if (!has_one_word(&their_class) || !has_one_word(&their_group_class)) return 0;
  if (!their_main_queue || !their_plain_sync || !their_unspecified_qos) return 0;
  struct csd_overlay_object *queue = their_main_queue(&their_class);
  int is_ours = queue->handle == &_dispatch_main_q;
  csb_object_release(queue);
  return is_ours;
}

/// Whether calls of the C functions in other code reach this library.
static int calls_are_ours(void) {
  const struct {
    const char *name;
    void (*function)(void);
  } calls[] = {
      {"dispatch_sync", dispatch_sync},
      {"dispatch_barrier_sync", dispatch_barrier_sync},
      {"dispatch_async", dispatch_async},
      {"dispatch_barrier_async", dispatch_barrier_async},
      {"dispatch_group_async", dispatch_group_async},
  };
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    // In a program into which Swift's libraries are linked, dlsym may not find the name.
    void *bound = dlsym(RTLD_DEFAULT, calls[i].name);
    if (bound && bound != (void *)calls[i].function) return 0;
  }
  return 1;
}

enum csd_overlay csd_overlay_decide(void) {
  // Threads that decide at the same time come to the same answer.
  int is_ours = objects_are_ours() && calls_are_ours();
  if (is_ours) {
    replace_in_table();
    csd_block_memory_begin();
  }
  // order: relaxed; a constant, which a thread that finds the answer may not see yet.
  if (is_ours) __atomic_store_n(&unspecified_qos, their_unspecified_qos(), __ATOMIC_RELAXED);
  enum csd_overlay answer = is_ours ? CSD_OVERLAY_OURS : CSD_OVERLAY_THEIRS;
  // order: relaxed; see `csd_overlay_known`.
  __atomic_store_n(&csd_overlay_answer, (int)answer, __ATOMIC_RELAXED);
  return answer;
}

int csd_overlay_is_unspecified(uint8_t qos_class, ptrdiff_t relative_priority) {
  // order: relaxed; as above.
  const struct csd_overlay_qos *unspecified = __atomic_load_n(&unspecified_qos, __ATOMIC_RELAXED);
  if (!unspecified) unspecified = their_unspecified_qos();
  return qos_class == unspecified->qos_class &&
         relative_priority == unspecified->relative_priority;
}
