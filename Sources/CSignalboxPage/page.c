// Scripts/list-page generates this file from the files in ../SignalboxTrace/Timeline/Page.
#include "csignalboxpage.h"

#include <string.h>

// `#embed` puts the files into the program, so that it has its page wherever it is
// copied. It is a directive of C23, which the compiler accepts in every C mode.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char activity_js[] = {
#embed "../SignalboxTrace/Timeline/Page/activity.js"
};
static const unsigned char axis_js[] = {
#embed "../SignalboxTrace/Timeline/Page/axis.js"
};
static const unsigned char columns_js[] = {
#embed "../SignalboxTrace/Timeline/Page/columns.js"
};
static const unsigned char controls_css[] = {
#embed "../SignalboxTrace/Timeline/Page/controls.css"
};
static const unsigned char depth_curve_js[] = {
#embed "../SignalboxTrace/Timeline/Page/depth-curve.js"
};
static const unsigned char durations_js[] = {
#embed "../SignalboxTrace/Timeline/Page/durations.js"
};
static const unsigned char elements_js[] = {
#embed "../SignalboxTrace/Timeline/Page/elements.js"
};
static const unsigned char frame_css[] = {
#embed "../SignalboxTrace/Timeline/Page/frame.css"
};
static const unsigned char gestures_js[] = {
#embed "../SignalboxTrace/Timeline/Page/gestures.js"
};
static const unsigned char glance_js[] = {
#embed "../SignalboxTrace/Timeline/Page/glance.js"
};
static const unsigned char help_js[] = {
#embed "../SignalboxTrace/Timeline/Page/help.js"
};
static const unsigned char hop_painter_js[] = {
#embed "../SignalboxTrace/Timeline/Page/hop-painter.js"
};
static const unsigned char index_html[] = {
#embed "../SignalboxTrace/Timeline/Page/index.html"
};
static const unsigned char item_story_js[] = {
#embed "../SignalboxTrace/Timeline/Page/item-story.js"
};
static const unsigned char keys_js[] = {
#embed "../SignalboxTrace/Timeline/Page/keys.js"
};
static const unsigned char labels_js[] = {
#embed "../SignalboxTrace/Timeline/Page/labels.js"
};
static const unsigned char lane_list_js[] = {
#embed "../SignalboxTrace/Timeline/Page/lane-list.js"
};
static const unsigned char lanes_js[] = {
#embed "../SignalboxTrace/Timeline/Page/lanes.js"
};
static const unsigned char legend_js[] = {
#embed "../SignalboxTrace/Timeline/Page/legend.js"
};
static const unsigned char lettering_js[] = {
#embed "../SignalboxTrace/Timeline/Page/lettering.js"
};
static const unsigned char lifeline_js[] = {
#embed "../SignalboxTrace/Timeline/Page/lifeline.js"
};
static const unsigned char names_js[] = {
#embed "../SignalboxTrace/Timeline/Page/names.js"
};
static const unsigned char namespace_js[] = {
#embed "../SignalboxTrace/Timeline/Page/namespace.js"
};
static const unsigned char overview_js[] = {
#embed "../SignalboxTrace/Timeline/Page/overview.js"
};
static const unsigned char page_js[] = {
#embed "../SignalboxTrace/Timeline/Page/page.js"
};
static const unsigned char palette_js[] = {
#embed "../SignalboxTrace/Timeline/Page/palette.js"
};
static const unsigned char picker_js[] = {
#embed "../SignalboxTrace/Timeline/Page/picker.js"
};
static const unsigned char place_story_js[] = {
#embed "../SignalboxTrace/Timeline/Page/place-story.js"
};
static const unsigned char point_painter_js[] = {
#embed "../SignalboxTrace/Timeline/Page/point-painter.js"
};
static const unsigned char queue_painter_js[] = {
#embed "../SignalboxTrace/Timeline/Page/queue-painter.js"
};
static const unsigned char relations_js[] = {
#embed "../SignalboxTrace/Timeline/Page/relations.js"
};
static const unsigned char search_js[] = {
#embed "../SignalboxTrace/Timeline/Page/search.js"
};
static const unsigned char span_painter_js[] = {
#embed "../SignalboxTrace/Timeline/Page/span-painter.js"
};
static const unsigned char span_row_js[] = {
#embed "../SignalboxTrace/Timeline/Page/span-row.js"
};
static const unsigned char splitters_js[] = {
#embed "../SignalboxTrace/Timeline/Page/splitters.js"
};
static const unsigned char statistics_js[] = {
#embed "../SignalboxTrace/Timeline/Page/statistics.js"
};
static const unsigned char stops_js[] = {
#embed "../SignalboxTrace/Timeline/Page/stops.js"
};
static const unsigned char story_panel_js[] = {
#embed "../SignalboxTrace/Timeline/Page/story-panel.js"
};
static const unsigned char story_css[] = {
#embed "../SignalboxTrace/Timeline/Page/story.css"
};
static const unsigned char story_js[] = {
#embed "../SignalboxTrace/Timeline/Page/story.js"
};
static const unsigned char summary_css[] = {
#embed "../SignalboxTrace/Timeline/Page/summary.css"
};
static const unsigned char summary_js[] = {
#embed "../SignalboxTrace/Timeline/Page/summary.js"
};
static const unsigned char table_js[] = {
#embed "../SignalboxTrace/Timeline/Page/table.js"
};
static const unsigned char theme_js[] = {
#embed "../SignalboxTrace/Timeline/Page/theme.js"
};
static const unsigned char timeline_css[] = {
#embed "../SignalboxTrace/Timeline/Page/timeline.css"
};
static const unsigned char timeline_js[] = {
#embed "../SignalboxTrace/Timeline/Page/timeline.js"
};
static const unsigned char tokens_css[] = {
#embed "../SignalboxTrace/Timeline/Page/tokens.css"
};
static const unsigned char tooltip_js[] = {
#embed "../SignalboxTrace/Timeline/Page/tooltip.js"
};
static const unsigned char viewport_js[] = {
#embed "../SignalboxTrace/Timeline/Page/viewport.js"
};
static const unsigned char wait_story_js[] = {
#embed "../SignalboxTrace/Timeline/Page/wait-story.js"
};

static const struct { const char *name; const unsigned char *bytes; size_t size; } files[] = {
    {"activity.js", activity_js, sizeof activity_js},
    {"axis.js", axis_js, sizeof axis_js},
    {"columns.js", columns_js, sizeof columns_js},
    {"controls.css", controls_css, sizeof controls_css},
    {"depth-curve.js", depth_curve_js, sizeof depth_curve_js},
    {"durations.js", durations_js, sizeof durations_js},
    {"elements.js", elements_js, sizeof elements_js},
    {"frame.css", frame_css, sizeof frame_css},
    {"gestures.js", gestures_js, sizeof gestures_js},
    {"glance.js", glance_js, sizeof glance_js},
    {"help.js", help_js, sizeof help_js},
    {"hop-painter.js", hop_painter_js, sizeof hop_painter_js},
    {"index.html", index_html, sizeof index_html},
    {"item-story.js", item_story_js, sizeof item_story_js},
    {"keys.js", keys_js, sizeof keys_js},
    {"labels.js", labels_js, sizeof labels_js},
    {"lane-list.js", lane_list_js, sizeof lane_list_js},
    {"lanes.js", lanes_js, sizeof lanes_js},
    {"legend.js", legend_js, sizeof legend_js},
    {"lettering.js", lettering_js, sizeof lettering_js},
    {"lifeline.js", lifeline_js, sizeof lifeline_js},
    {"names.js", names_js, sizeof names_js},
    {"namespace.js", namespace_js, sizeof namespace_js},
    {"overview.js", overview_js, sizeof overview_js},
    {"page.js", page_js, sizeof page_js},
    {"palette.js", palette_js, sizeof palette_js},
    {"picker.js", picker_js, sizeof picker_js},
    {"place-story.js", place_story_js, sizeof place_story_js},
    {"point-painter.js", point_painter_js, sizeof point_painter_js},
    {"queue-painter.js", queue_painter_js, sizeof queue_painter_js},
    {"relations.js", relations_js, sizeof relations_js},
    {"search.js", search_js, sizeof search_js},
    {"span-painter.js", span_painter_js, sizeof span_painter_js},
    {"span-row.js", span_row_js, sizeof span_row_js},
    {"splitters.js", splitters_js, sizeof splitters_js},
    {"statistics.js", statistics_js, sizeof statistics_js},
    {"stops.js", stops_js, sizeof stops_js},
    {"story-panel.js", story_panel_js, sizeof story_panel_js},
    {"story.css", story_css, sizeof story_css},
    {"story.js", story_js, sizeof story_js},
    {"summary.css", summary_css, sizeof summary_css},
    {"summary.js", summary_js, sizeof summary_js},
    {"table.js", table_js, sizeof table_js},
    {"theme.js", theme_js, sizeof theme_js},
    {"timeline.css", timeline_css, sizeof timeline_css},
    {"timeline.js", timeline_js, sizeof timeline_js},
    {"tokens.css", tokens_css, sizeof tokens_css},
    {"tooltip.js", tooltip_js, sizeof tooltip_js},
    {"viewport.js", viewport_js, sizeof viewport_js},
    {"wait-story.js", wait_story_js, sizeof wait_story_js},
};

const unsigned char *csp_page_file(const char *name, size_t *size) {
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    if (strcmp(files[i].name, name) == 0) {
      *size = files[i].size;
      return files[i].bytes;
    }
  }
  return NULL;
}
