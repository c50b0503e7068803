// The configuration as rows of a path and a text, and those of them that are looked for: no DOM, no network.

/** `origin`: file and line, `built-in`, or nothing where it is a default.
 *  @typedef {{ path: string, text: string, origin: string }} SettingRow */
/** @typedef {{ name: string, rows: SettingRow[] }} SettingEntry */
/** @typedef {{ name: string, entries: SettingEntry[] }} SettingSection */

const SECTIONS_OF_ENTRIES = ["agents", "chains", "mcp_servers", "llm_providers", "notifications", "skills"];
const PLAIN_SECTIONS = ["defaults", "limits", "queue", "system"];

/** A section without entries has one, which is called as the section.
 *  @param {Record<string, unknown>} configuration
 *  @returns {SettingSection[]} */
export function sectionsOf(configuration) {
  const origins = /** @type {Record<string, string>} */ (configuration.origins ?? {});
  const named = SECTIONS_OF_ENTRIES.map((name) => ({
    name,
    entries: Object.entries(configuration[name] ?? {}).map(([entry, value]) => ({
      name: entry,
      rows: rowsOf(value, origins, `/${name}/${escaped(entry)}`),
    })),
  }));
  const plain = PLAIN_SECTIONS.map((name) => ({
    name,
    entries: [{ name, rows: rowsOf(configuration[name], origins, `/${name}`) }],
  }));
  return [...named, ...plain].filter(({ entries }) => entries.some(({ rows }) => rows.length > 0));
}

/** The rows with the words in their path, text or origin; of an entry whose name has them, all.
 *  @param {SettingSection[]} sections
 *  @param {string} words
 *  @returns {SettingSection[]} */
export function searched(sections, words) {
  const wanted = words.trim().toLowerCase();
  if (wanted === "") return sections;
  /** @param {string} text */
  const has = (text) => text.toLowerCase().includes(wanted);
  return sections
    .map(({ name, entries }) => ({
      name,
      entries: entries
        .map((entry) =>
          has(entry.name)
            ? entry
            : { ...entry, rows: entry.rows.filter(({ path, text, origin }) => has(path) || has(text) || has(origin)) },
        )
        .filter(({ rows }) => rows.length > 0),
    }))
    .filter(({ entries }) => entries.length > 0);
}

/** @param {unknown} value
 *  @param {Record<string, string>} origins by JSON pointers
 *  @param {string} pointer to the value
 *  @param {string} [path] as people read it
 *  @returns {SettingRow[]} */
function rowsOf(value, origins, pointer, path = "") {
  if (value === null || value === undefined) return [];
  const origin = origins[pointer] ?? "";
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object")) return [{ path, text: value.join(", "), origin }];
    return value.flatMap((item, place) => rowsOf(item, origins, `${pointer}/${place}`, `${path}[${place}]`));
  }
  if (typeof value !== "object") return [{ path, text: String(value), origin }];
  return Object.entries(value).flatMap(([key, item]) =>
    rowsOf(item, origins, `${pointer}/${escaped(key)}`, path === "" ? key : `${path}.${key}`),
  );
}

/** @param {string} key of a JSON pointer */
function escaped(key) {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
