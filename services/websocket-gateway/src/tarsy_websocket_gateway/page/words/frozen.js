// An object that nothing changes any more, with all that is in it.

/** Its type has each text as it is, so that `say` knows the placeholders.
 *  @template const T
 *  @param {T} tree
 *  @returns {T} */
export function frozen(tree) {
  if (typeof tree === "object" && tree !== null) Object.values(tree).forEach(frozen);
  return Object.freeze(tree);
}
