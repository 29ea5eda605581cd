// Namespace — the object that the page's scripts share. Each file is a function
// that reads from it what earlier files defined and adds its own definitions.
// index.html gives the order.
"use strict";

const Signalbox = {};

performance.mark("signalbox:script");
