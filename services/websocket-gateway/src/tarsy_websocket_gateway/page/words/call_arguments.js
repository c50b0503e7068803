// Arguments of a call as text. The timeline has their keys in another order than the live event: PostgreSQL's jsonb keeps none.

export function argumentLines(given) {
  return JSON.stringify(given ?? {}, byKey, 2);
}

/** One line: `name=value, name=value`. */
export function argumentLine(given) {
  return Object.entries(byKey("", given ?? {}))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value, byKey)}`)
    .join(", ");
}

function byKey(_, value) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, value[key]]),
  );
}
