// Texts of the catalogue with their placeholders filled: `{name}` by a value, plural forms by the number `count`.

import { number } from "./formats.js";
import { LOCALE } from "./language.js";

/** @typedef {string | import("./language.js").Plural} Message */
/** The placeholders of a text.
 *  @template T
 *  @typedef {T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never} NamesIn */
/** A value for each placeholder: a number is written as the language has it, a text stands as it is.
 *  @template M, V
 *  @typedef {M extends string ? Record<NamesIn<M>, V> : Record<NamesIn<M[keyof M]>, V> & { count: number }} Values */

const PLACEHOLDER = /\{(\w+)\}/g;
const PLURALS = new Intl.PluralRules(LOCALE);
const ORDINALS = new Intl.PluralRules(LOCALE, { type: "ordinal" });

/** @template {Message} const M
 *  @param {M} message
 *  @param {Values<M, string | number>} values */
export function say(message, values) {
  const known = /** @type {Record<string, string | number>} */ (values);
  return formOf(message, PLURALS, known.count).replace(PLACEHOLDER, (_, name) => written(known[name] ?? ""));
}

/** The form of a place in an order: `{ one: "{count}st", other: "{count}th" }`.
 *  @template {import("./language.js").Plural} const M
 *  @param {M} message
 *  @param {Values<M, string | number>} values */
export function sayOrdinal(message, values) {
  const { count } = values;
  return say(formOf(message, ORDINALS, count), /** @type {Record<string, string | number>} */ (values));
}

/** The text in pieces, where a value is an element.
 *  @template {string} const M
 *  @param {M} message
 *  @param {Values<M, unknown>} values
 *  @returns {unknown[]} */
export function sayParts(message, values) {
  const known = /** @type {Record<string, unknown>} */ (values);
  return message.split(PLACEHOLDER).map((piece, place) => (place % 2 === 0 ? piece : known[piece]));
}

/** @param {Message} message
 *  @param {Intl.PluralRules} rules
 *  @param {unknown} count */
function formOf(message, rules, count) {
  if (typeof message === "string") return message;
  return message[rules.select(Number(count))] ?? message.other;
}

/** @param {string | number} value */
function written(value) {
  return typeof value === "number" ? number(value) : value;
}
