// How links of an alert are called: by what they are known for, or else by their own name.

import { TEXT } from "./language.js";

/** @type {Record<string, string>} */
const LINKS = TEXT.links.names;

/** @param {string} name */
export function linkWords(name) {
  if (Object.hasOwn(LINKS, name)) return String(LINKS[name]);
  return name === "" ? TEXT.links.unnamed : name.replaceAll("_", " ");
}
