// Addresses of other systems for a session, of the templates of the configuration. What an alert says comes from outside:
// it is encoded, never chooses the host, and what could mean more than a name there makes no link. No DOM, no network.

import { isWeb } from "./web_address.js";

/** @typedef {import("tarsy-api").components["schemas"]["LinkTemplate"]} LinkTemplate
 *  @typedef {import("tarsy-api").components["schemas"]["SessionDetail"]} Detail
 *  @typedef {{ name: string, address: string, labels: string[] }} SessionLink  `labels`: those that it is about */

const PLACE = /\{([^{}]*)\}/g;
/** Quotes, braces and the like end a name in most languages of queries. */
const NO_NAME = /["'`\\{}<>$]|[\p{Cc}\p{Cs}]/u;
const NO_PART = new Set(["", ".", ".."]);
const LONGEST_VALUE = 500;

/** Those whose places are all known.
 *  @param {readonly LinkTemplate[]} templates @param {Detail} detail @param {ReadonlyMap<string, string>} labels @param {number} now
 *  @returns {SessionLink[]} */
export function sessionLinks(templates, detail, labels, now) {
  return templates.flatMap((template) => {
    const { address, about } = fill(template, detail, labels, now);
    if (address === null || !leadsTo(address, template.url)) return [];
    return [{ name: template.name, address, labels: about }];
  });
}

/** @param {LinkTemplate} template @param {Detail} detail @param {ReadonlyMap<string, string>} labels @param {number} now
 *  @returns {{ address: string | null, about: string[] }} */
function fill({ url, before_seconds: before, after_seconds: after }, detail, labels, now) {
  const from = Date.parse(detail.created_at) - 1000 * before;
  const to = (detail.completed_at === null ? now : Date.parse(detail.completed_at)) + 1000 * after;
  const times = timesOf(from, to);
  /** @type {string[]} */
  const about = [];
  let isKnown = true;
  const address = url.replaceAll(PLACE, (_, /** @type {string} */ name) => {
    const label = name.startsWith("label.") ? name.slice("label.".length) : null;
    if (label !== null) about.push(label);
    const value = times.get(name) ?? (label === null ? factOf(detail, name) : labels.get(label));
    const isName =
      typeof value === "string" && !NO_PART.has(value) && !NO_NAME.test(value) && value.length <= LONGEST_VALUE;
    isKnown &&= isName;
    return isName ? encodeURIComponent(value) : "";
  });
  return { address: isKnown ? address : null, about };
}

/** @param {number} from @param {number} to in milliseconds @returns {Map<string, string>} */
function timesOf(from, to) {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return new Map();
  return new Map(
    [from, to].flatMap((time, place) => {
      const name = place === 0 ? "from" : "to";
      /** @type {[string, string][]} */
      const forms = [
        [name, new Date(time).toISOString()],
        [`${name}_ms`, String(Math.round(time))],
        [`${name}_s`, String(Math.round(time / 1000))],
      ];
      return forms;
    }),
  );
}

/** @param {Detail} detail @param {string} name */
function factOf(detail, name) {
  /** @type {Record<string, string | null | undefined>} */
  const facts = {
    cluster: detail.cluster,
    namespace: detail.namespace,
    workload: detail.workload,
    alert_type: detail.alert_type,
    severity: detail.severity,
    session_id: detail.id,
  };
  return Object.hasOwn(facts, name) ? facts[name] : undefined;
}

/** Whether it is on the web, at the host that the operator wrote. @param {string} address @param {string} url */
function leadsTo(address, url) {
  if (!isWeb(address)) return false;
  const [origin] = /^https?:\/\/[^/?#]+/i.exec(url) ?? [""];
  return URL.canParse(origin) && new URL(address).origin === new URL(origin).origin;
}
