#include "CSamples.h"

// The preprocessor reads the files, so that the program has its photos wherever you copy it. #embed
// is a directive of C23 that the compiler knows in every C.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char astronaut[] = {
#embed "../../Photos/astronaut.png"
};
static const unsigned char chelsea[] = {
#embed "../../Photos/chelsea.png"
};
static const unsigned char coffee[] = {
#embed "../../Photos/coffee.png"
};
static const unsigned char hubble[] = {
#embed "../../Photos/hubble_deep_field.jpg"
};
static const unsigned char rocket[] = {
#embed "../../Photos/rocket.jpg"
};

static const csamples_photo photos[] = {
    {"astronaut.png", astronaut, sizeof astronaut},
    {"chelsea.png", chelsea, sizeof chelsea},
    {"coffee.png", coffee, sizeof coffee},
    {"hubble_deep_field.jpg", hubble, sizeof hubble},
    {"rocket.jpg", rocket, sizeof rocket},
};

const csamples_photo *csamples_photo_at(size_t number) {
  return number < sizeof photos / sizeof *photos ? &photos[number] : NULL;
}
