// Route — which photo the address names: `#photo-5`. Back leads from a photo to the gallery, however
// many neighbours were looked at in between.

export class Route {
  constructor(changed) {
    this.changed = changed;
    addEventListener("popstate", () => {
      this.closing = false;
      changed(this.photo);
    });
  }

  /** The number of the photo, or null for the gallery. */
  get photo() {
    const found = /^#photo-(\d{1,15})$/.exec(location.hash);
    return found ? Number(found[1]) : null;
  }

  open(id) {
    if (this.photo === null) history.pushState({ fromGallery: true }, "", `#photo-${id}`);
    else history.replaceState(history.state, "", `#photo-${id}`);
    this.changed(id);
  }

  close() {
    // Going back takes a moment; asked for twice, it would leave the page.
    if (this.photo === null || this.closing) return;
    if (history.state?.fromGallery) {
      this.closing = true;
      history.back();
      return;
    }
    history.replaceState(null, "", location.pathname);
    this.changed(null);
  }
}
