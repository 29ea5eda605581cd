// Namespace — what the page's scripts share. Each file is a function of its own that reads from
// here what the files before it put in, and puts in what it defines; the order is index.html's.
"use strict";

const Signalbox = {};

performance.mark("signalbox:script");
