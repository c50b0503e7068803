// What somebody wants to have investigated, as the form has it and as the API takes it: no DOM, no network.

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */
/** @typedef {"google_search" | "code_execution" | "url_context"} NativeTool */

/** `servers`: null where the chain's own are taken; the tools of a server are null where all are.
 *  `native`: on, off, or as configured where it is missing.
 *  @typedef {object} Draft
 *  @property {string} from the session that it began with
 *  @property {string} data
 *  @property {string} alertType
 *  @property {string} title
 *  @property {string} runbook
 *  @property {string} priority
 *  @property {string} llmProvider
 *  @property {Record<string, string[] | null> | null} servers
 *  @property {Partial<Record<NativeTool, boolean>>} native */

/** @typedef {"data" | "alert_type" | "title" | "runbook" | "priority" | "llm_provider" | "mcp"} Field */

/** @type {Field[]} in the order of the form */
export const FIELDS = ["data", "alert_type", "title", "runbook", "priority", "llm_provider", "mcp"];

/** @returns {Draft} */
export function emptyDraft() {
  return {
    from: "",
    data: "",
    alertType: "",
    title: "",
    runbook: "",
    priority: "",
    llmProvider: "",
    servers: null,
    native: {},
  };
}

/** What the session was given.
 *  @param {Schemas["SessionDetail"]} session
 *  @returns {Draft} */
export function draftOf(session) {
  const selection =
    /** @type {{ servers?: { name: string, tools?: string[] }[], native_tools?: Draft["native"] | null }} */ (
      session.mcp_selection ?? {}
    );
  const servers = selection.servers ?? [];
  return {
    from: session.id,
    data: session.alert_data,
    alertType: session.alert_type,
    title: session.title,
    runbook: session.runbook_url ?? "",
    priority: session.priority,
    llmProvider: session.llm_provider ?? "",
    servers:
      servers.length === 0
        ? null
        : Object.fromEntries(servers.map(({ name, tools }) => [name, tools?.length ? tools : null])),
    native: selection.native_tools ?? {},
  };
}

/** The parts of a draft that are others now.
 *  @param {Draft} before
 *  @param {Draft} now
 *  @returns {Partial<Draft>} */
export function changedSince(before, now) {
  const names = /** @type {(keyof Draft)[]} */ (Object.keys(now));
  return Object.fromEntries(names.filter((name) => now[name] !== before[name]).map((name) => [name, now[name]]));
}

/** The body of the request; what is not filled in is left out.
 *  @param {Draft} draft */
export function bodyOf(draft) {
  const filled = {
    alert_type: draft.alertType,
    title: draft.title.trim(),
    runbook: draft.runbook.trim(),
    priority: draft.priority,
    llm_provider: draft.llmProvider,
  };
  return {
    data: draft.data,
    ...Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== "")),
    ...(draft.servers === null ? {} : { mcp: choiceOf(draft.servers, draft.native) }),
  };
}

/** @param {Record<string, string[] | null>} servers
 *  @param {Draft["native"]} native */
function choiceOf(servers, native) {
  const chosen = Object.entries(servers).map(([name, tools]) => (tools === null ? { name } : { name, tools }));
  return { servers: chosen, ...(Object.keys(native).length === 0 ? {} : { native_tools: native }) };
}

/** The mistakes by the fields of the form. One that is about no field, or about one that is not there, has "".
 *  @param {{ detail: string, pointer: string }[]} errors
 *  @returns {Partial<Record<Field | "", string>>} */
export function mistakesOf(errors) {
  /** @type {Partial<Record<Field | "", string>>} */
  const found = {};
  for (const { detail, pointer } of errors) {
    const field = FIELDS.find((one) => pointer === `/${one}` || pointer.startsWith(`/${one}/`)) ?? "";
    found[field] = found[field] === undefined ? detail : `${found[field]}; ${detail}`;
  }
  return found;
}

const LONGEST_JSON = 300_000;

/** Whether the text is JSON; `mistake` where it looks like some and is none.
 *  @param {string} text
 *  @returns {{ kind: "json" | "text", mistake: string }} */
export function kindOf(text) {
  if (!/^\s*[[{]/.test(text) || text.length > LONGEST_JSON) return { kind: "text", mistake: "" };
  try {
    JSON.parse(text);
    return { kind: "json", mistake: "" };
  } catch (problem) {
    return { kind: "text", mistake: /** @type {Error} */ (problem).message };
  }
}
