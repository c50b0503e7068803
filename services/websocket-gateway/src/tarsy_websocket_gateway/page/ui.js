// What views are made of: elements by htm and Preact, state by signals. Every text becomes a text node.

import htm from "./vendor/htm.mjs";
import { h } from "./vendor/preact.mjs";

export { Fragment, createContext, render } from "./vendor/preact.mjs";
export { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/preact-hooks.mjs";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "./vendor/signals.mjs";

export const html = htm.bind(h);
