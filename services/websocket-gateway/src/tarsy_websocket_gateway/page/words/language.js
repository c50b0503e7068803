// The language of the page: its texts, and the locale of its plurals, numbers, money and times.

import { en } from "./en.js";

export const LOCALE = "en";
export const TEXT = en;

/** What a catalogue in another language has to have: the same keys, and the plural forms of that language.
 *  @typedef {Translated<typeof en>} Catalogue */
/** @template T
 *  @typedef {T extends string ? Text<T> : T extends { readonly other: string } ? Plural : Group<T>} Translated */
/** @template T
 *  @typedef {{ readonly [Key in keyof T]: Translated<T[Key]> }} Group */
/** A text with a number may need forms where English does without.
 *  @template {string} T
 *  @typedef {T extends `${string}{count}${string}` ? string | Plural : string} Text */
/** @typedef {{ readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string }} Plural */
