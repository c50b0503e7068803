// Arguments of a call as text. The timeline has their keys in another order than the live event: PostgreSQL's jsonb keeps none.

/** @param {Record<string, unknown> | null | undefined} given */
export function argumentLines(given) {
  return JSON.stringify(given ?? {}, byKey, 2);
}

/** One line: `name=value, name=value`.
 *  @param {Record<string, unknown> | null | undefined} given */
export function argumentLine(given) {
  return Object.entries(byKey("", given ?? {}))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value, byKey)}`)
    .join(", ");
}

/** @param {string} _
 *  @param {unknown} value
 *  @returns {any} */
function byKey(_, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  const given = /** @type {Record<string, unknown>} */ (value);
  return Object.fromEntries(
    Object.keys(given)
      .toSorted()
      .map((key) => [key, given[key]]),
  );
}
