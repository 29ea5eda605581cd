// Scripts/list-page generates this file from the files in Page.
#include "GooglyPage.h"

#include <string.h>

// `#embed` puts the files into the program, so that it has its page wherever it is
// copied. It is a directive of C23, which the compiler accepts in every C mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char announcer_js[] = {
#embed "Page/announcer.js"
};
static const unsigned char answers_js[] = {
#embed "Page/answers.js"
};
static const unsigned char card_js[] = {
#embed "Page/card.js"
};
static const unsigned char colours_css[] = {
#embed "Page/colours.css"
};
static const unsigned char comparison_js[] = {
#embed "Page/comparison.js"
};
static const unsigned char connection_js[] = {
#embed "Page/connection.js"
};
static const unsigned char controls_css[] = {
#embed "Page/controls.css"
};
static const unsigned char corner_css[] = {
#embed "Page/corner.css"
};
static const unsigned char detail_css[] = {
#embed "Page/detail.css"
};
static const unsigned char detail_js[] = {
#embed "Page/detail.js"
};
static const unsigned char elements_js[] = {
#embed "Page/elements.js"
};
static const unsigned char entrances_js[] = {
#embed "Page/entrances.js"
};
static const unsigned char frame_css[] = {
#embed "Page/frame.css"
};
static const unsigned char gallery_css[] = {
#embed "Page/gallery.css"
};
static const unsigned char gallery_js[] = {
#embed "Page/gallery.js"
};
static const unsigned char googly_eyes_js[] = {
#embed "Page/googly-eyes.js"
};
static const unsigned char help_js[] = {
#embed "Page/help.js"
};
static const unsigned char icon_svg[] = {
#embed "Page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char internet_js[] = {
#embed "Page/internet.js"
};
static const unsigned char keys_js[] = {
#embed "Page/keys.js"
};
static const unsigned char notices_js[] = {
#embed "Page/notices.js"
};
static const unsigned char page_js[] = {
#embed "Page/page.js"
};
static const unsigned char photo_file_js[] = {
#embed "Page/photo-file.js"
};
static const unsigned char photo_status_js[] = {
#embed "Page/photo-status.js"
};
static const unsigned char removal_js[] = {
#embed "Page/removal.js"
};
static const unsigned char route_js[] = {
#embed "Page/route.js"
};
static const unsigned char server_js[] = {
#embed "Page/server.js"
};
static const unsigned char state_stream_js[] = {
#embed "Page/state-stream.js"
};
static const unsigned char summary_js[] = {
#embed "Page/summary.js"
};
static const unsigned char theme_js[] = {
#embed "Page/theme.js"
};
static const unsigned char toasts_js[] = {
#embed "Page/toasts.js"
};
static const unsigned char upload_js[] = {
#embed "Page/upload.js"
};
static const unsigned char uploads_js[] = {
#embed "Page/uploads.js"
};
static const unsigned char words_js[] = {
#embed "Page/words.js"
};
static const unsigned char zoom_js[] = {
#embed "Page/zoom.js"
};

static const struct { const char *name; const unsigned char *bytes; size_t size; } files[] = {
    {"announcer.js", announcer_js, sizeof announcer_js},
    {"answers.js", answers_js, sizeof answers_js},
    {"card.js", card_js, sizeof card_js},
    {"colours.css", colours_css, sizeof colours_css},
    {"comparison.js", comparison_js, sizeof comparison_js},
    {"connection.js", connection_js, sizeof connection_js},
    {"controls.css", controls_css, sizeof controls_css},
    {"corner.css", corner_css, sizeof corner_css},
    {"detail.css", detail_css, sizeof detail_css},
    {"detail.js", detail_js, sizeof detail_js},
    {"elements.js", elements_js, sizeof elements_js},
    {"entrances.js", entrances_js, sizeof entrances_js},
    {"frame.css", frame_css, sizeof frame_css},
    {"gallery.css", gallery_css, sizeof gallery_css},
    {"gallery.js", gallery_js, sizeof gallery_js},
    {"googly-eyes.js", googly_eyes_js, sizeof googly_eyes_js},
    {"help.js", help_js, sizeof help_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"internet.js", internet_js, sizeof internet_js},
    {"keys.js", keys_js, sizeof keys_js},
    {"notices.js", notices_js, sizeof notices_js},
    {"page.js", page_js, sizeof page_js},
    {"photo-file.js", photo_file_js, sizeof photo_file_js},
    {"photo-status.js", photo_status_js, sizeof photo_status_js},
    {"removal.js", removal_js, sizeof removal_js},
    {"route.js", route_js, sizeof route_js},
    {"server.js", server_js, sizeof server_js},
    {"state-stream.js", state_stream_js, sizeof state_stream_js},
    {"summary.js", summary_js, sizeof summary_js},
    {"theme.js", theme_js, sizeof theme_js},
    {"toasts.js", toasts_js, sizeof toasts_js},
    {"upload.js", upload_js, sizeof upload_js},
    {"uploads.js", uploads_js, sizeof uploads_js},
    {"words.js", words_js, sizeof words_js},
    {"zoom.js", zoom_js, sizeof zoom_js},
};

const unsigned char *googly_page_file(const char *name, size_t *size) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (strcmp(files[i].name, name) == 0) {
      *size = files[i].size;
      return files[i].bytes;
    }
  }
  return NULL;
}
