// Which address shows what: a new view is one file, one line here, and its address in `page_files/views.py`.

const SESSION_ID = "[A-Za-z0-9._-]{1,200}";

/** A view is a component that gets what its pattern captures, as `id`. Its module is fetched when it is shown first.
 *  @typedef {import("preact").FunctionComponent<{ id: string }>} View */

const LIST = { pattern: /^\/$/, load: async () => (await import("./views/list.js")).ListView };

/** @type {{ pattern: RegExp, load: () => Promise<View> }[]} */
const ROUTES = [
  LIST,
  { pattern: /^\/(?:servers|system)\/?$/, load: async () => (await import("./views/system/view.js")).SystemView },
  { pattern: /^\/review\/?$/, load: async () => (await import("./views/review/view.js")).ReviewView },
  { pattern: /^\/submit\/?$/, load: async () => (await import("./views/submit/view.js")).SubmitView },
  { pattern: /^\/memories\/?$/, load: async () => (await import("./views/memory/view.js")).MemoryView },
  { pattern: /^\/usage\/?$/, load: async () => (await import("./views/usage/view.js")).UsageView },
  {
    pattern: new RegExp(`^/sessions/(${SESSION_ID})/?$`),
    load: async () => (await import("./views/session.js")).SessionView,
  },
  {
    pattern: new RegExp(`^/sessions/(${SESSION_ID})/record/?$`),
    load: async () => (await import("./views/record/view.js")).RecordView,
  },
];

/** The list, for an address that nothing else matches.
 *  @param {string} path */
export function routeOf(path) {
  for (const route of ROUTES) {
    const found = route.pattern.exec(path);
    if (found !== null) return { load: route.load, id: found[1] ?? "" };
  }
  return { load: LIST.load, id: "" };
}
