// Internet — "Le Internet": asks for the photos of the program's own server, or of the addresses that
// the program was started with, and shows how many have come.

import { byId, write } from "./elements.js";
import { send } from "./server.js";

const TITLES = {
  own: "Photos from the program’s own small server on this machine (I)",
  given: "Photos from the addresses the program was started with (I)",
};

export class Internet {
  constructor({ complain }) {
    this.complain = complain;
    this.button = byId("internet");
    this.button.addEventListener("click", () => this.begin());
  }

  show({ internet, downloads }) {
    this.button.disabled = !internet || downloads !== null;
    this.button.title = TITLES[internet] ?? "No addresses are at hand: start the program with --internet ADDRESS";
    byId("downloads").hidden = downloads === null;
    if (!downloads) return;
    const came = downloads.total - downloads.outstanding;
    write(byId("downloads-text"), `Le Internet: ${came} of ${downloads.total} done`);
    byId("downloads-bar").max = Math.max(1, downloads.total);
    byId("downloads-bar").value = came;
  }

  async begin() {
    this.button.disabled = true;
    try {
      await send("POST", "/internet");
    } catch (error) {
      this.button.disabled = false;
      this.complain(`Le Internet: ${error.message}`);
    }
  }
}
