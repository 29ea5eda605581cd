#include <string.h>

#include "expect.h"

// What the library exports and its headers for Linux do not declare.
#define FORMAT(name) extern const char _dispatch_data_format_type_##name[]
FORMAT(none);
FORMAT(base32);
FORMAT(base32hex);
FORMAT(base64);
FORMAT(utf8);
FORMAT(utf16le);
FORMAT(utf16be);
FORMAT(utf_any);
extern dispatch_data_t dispatch_data_create_with_transform(dispatch_data_t, const void *, const void *);

static const void *const formats[] = {
    _dispatch_data_format_type_none,    _dispatch_data_format_type_base32,
    _dispatch_data_format_type_base32hex, _dispatch_data_format_type_base64,
    _dispatch_data_format_type_utf8,    _dispatch_data_format_type_utf16le,
    _dispatch_data_format_type_utf16be, _dispatch_data_format_type_utf_any};
enum { none, base32, base32hex, base64, utf8, utf16le, utf16be, any };

/// Transforms the bytes in one stretch and in two. Returns whether the result is
/// these bytes; NULL stands for none.
static int turns(const char *from, size_t size, int input, int output, const char *to, size_t length) {
  for (size_t cut = 0; cut <= size; cut += size ? size : 1) {
    dispatch_data_t first = dispatch_data_create(from, cut / 2, NULL, NULL);
    dispatch_data_t second = dispatch_data_create(from + cut / 2, size - cut / 2, NULL, NULL);
    dispatch_data_t data = dispatch_data_create_concat(first, second);
    dispatch_data_t result =
        dispatch_data_create_with_transform(data, formats[input], formats[output]);
    dispatch_release(first);
    dispatch_release(second);
    dispatch_release(data);
    if (!to || !result) return !to && !result;
    const void *bytes;
    size_t count;
    dispatch_data_t map = dispatch_data_create_map(result, &bytes, &count);
    int same = count == length && (count == 0 || !memcmp(bytes, to, length));
    dispatch_release(map);
    dispatch_release(result);
    if (!same) return 0;
  }
  return 1;
}

// The arguments are literals, which may hold zeros.
#define both(a, input, output, b)                                    \
  expect(turns(a, sizeof a - 1, input, output, b, sizeof b - 1));    \
  expect(turns(b, sizeof b - 1, output, input, a, sizeof a - 1))
#define one(a, input, output, b) expect(turns(a, sizeof a - 1, input, output, b, sizeof b - 1))
#define refused(a, input, output) expect(turns(a, sizeof a - 1, input, output, NULL, 0))

static void use_bases(void) {
  // The test vectors of RFC 4648.
  static const char *const vectors[][4] = {
      {"", "", "", ""},
      {"f", "MY======", "CO======", "Zg=="},
      {"fo", "MZXQ====", "CPNG====", "Zm8="},
      {"foo", "MZXW6===", "CPNMU===", "Zm9v"},
      {"foob", "MZXW6YQ=", "CPNMUOG=", "Zm9vYg=="},
      {"fooba", "MZXW6YTB", "CPNMUOJ1", "Zm9vYmE="},
      {"foobar", "MZXW6YTBOI======", "CPNMUOJ1E8======", "Zm9vYmFy"},
  };
  for (size_t row = 0; row < sizeof vectors / sizeof *vectors; row++) {
    for (int input = none; input <= base64; input++) {
      for (int output = none; output <= base64; output++) {
        const char *from = vectors[row][input], *to = vectors[row][output];
        expect(turns(from, strlen(from), input, output, to, strlen(to)));
      }
    }
  }
  both("\xFF\xFB\xEF\0\x80", none, base64, "//vvAIA=");
  one(" Zm\t9v\r\nZg ==\n", base64, none, "foof");
  one("\n", base64, none, "");
  // Not whole, or something behind the end.
  refused("Zg", base64, none);
  refused("Zg=", base64, none);
  refused("Z===", base64, none);
  refused("====", base64, none);
  refused("=", base64, none);
  refused("Z=g=", base64, none);
  refused("Zg==Zm9v", base64, none);
  refused("Zg=====", base64, none);
  refused("M=======", base32, none);
  refused("MZX=====", base32, none);
  refused("MZXW6Y==", base32, none);
  refused("========", base32, none);
  // Other characters.
  refused("Zm9-", base64, none);
  refused("Zm9v\0", base64, none);
  refused("Zm9\x80", base64, base32);
  refused("mzxw6ytb", base32, none);
  refused("MZXW6YT1", base32, none);
  refused("CPNMUOGW", base32hex, none);
}

static void use_text(void) {
  both("a\xE2\x82\xAC\xF0\x9F\x98\x80", utf8, utf16le, "\xFF\xFE" "a\0\xAC\x20\x3D\xD8\x00\xDE");
  both("a\xE2\x82\xAC\xF0\x9F\x98\x80", utf8, utf16be, "\xFE\xFF\0a\x20\xAC\xD8\x3D\xDE\x00");
  both("\xFF\xFE" "a\0", utf16le, utf16be, "\xFE\xFF\0a");
  one("a\0", utf16le, utf16le, "\xFF\xFE" "a\0");
  one("a\0", utf16le, utf8, "a");
  one("\xEF\xBB\xBF" "a", utf8, utf8, "a");
  one("\xEF\xBB\xBF" "a", any, utf8, "a");
  one("\xFF\xFE" "a\0", any, utf8, "a");
  one("\xFE\xFF\0a", any, utf16le, "\xFF\xFE" "a\0");
  one("a", any, utf16be, "\xFE\xFF\0a");
  one("\xFF\xFE", utf16le, utf8, "");
  one("", utf8, utf16le, "");
  one("", any, utf8, "");
  // The mark of the other order.
  refused("\xFE\xFF\0a", utf16le, utf8);
  refused("\xFF\xFE" "a\0", utf16be, utf8);
  // Half a character, a character too long, half a pair, a number beyond Unicode.
  refused("a\xE2\x82", utf8, utf16le);
  refused("\xC0\x80", utf8, utf16le);
  refused("\xED\xA0\x80", utf8, utf16le);
  refused("\xF4\x90\x80\x80", utf8, utf16le);
  refused("\x3D\xD8" "a\0", utf16le, utf8);
  refused("\x00\xDE", utf16le, utf8);
  refused("a\0b", utf16le, utf8);
}

void use_transform(void) {
  use_bases();
  use_text();
  one("any \xFF bytes", none, none, "any \xFF bytes");
  for (int bytes = none; bytes <= base64; bytes++) {
    for (int text = utf8; text <= any; text++) {
      refused("", bytes, text);
      refused("", text, bytes);
    }
  }
  for (int text = utf8; text <= any; text++) refused("", text, any);
}
