// The system behind the investigations, a part at a time. Each part has an address.

import { path, query } from "../../router.js";
import { may } from "../../stores/rights.js";
import { systemWarnings } from "../../stores/warnings_store.js";
import { html, useEffect } from "../../ui.js";
import { TEXT } from "../../words/language.js";
import { say } from "../../words/say.js";
import { ConfigurationPart } from "./configuration.js";
import { DeadLettersPart } from "./dead_letters.js";
import { HeldPart } from "./held.js";
import { OverviewPart } from "./overview.js";
import { ServersPart } from "./servers.js";
import { VersionsPart } from "./versions.js";

/** @typedef {keyof typeof TEXT.system.parts} PartId */

/** @type {Record<PartId, import("preact").FunctionComponent>} */
const PARTS = {
  overview: OverviewPart,
  servers: ServersPart,
  held: HeldPart,
  "dead-letters": DeadLettersPart,
  configuration: ConfigurationPart,
  versions: VersionsPart,
};
/** @type {Partial<Record<PartId, import("../../stores/rights.js").Role>>} */
const ROLES = { "dead-letters": "operator" };

export function SystemView() {
  const current = partOf(path.value, query.value.get("part"));
  const Part = PARTS[current];
  useEffect(() => {
    document.title = say(TEXT.system.documentTitle, { part: TEXT.system.parts[current] });
  }, [current]);
  return html`
    <h1>${TEXT.system.title}</h1>
    <nav class="parts" aria-label=${TEXT.system.label}>
      ${ids()
        .filter((id) => id === current || may(ROLES[id] ?? "viewer"))
        .map((id) => html`<${PartLink} key=${id} id=${id} isCurrent=${id === current} />`)}
    </nav>
    <div class="part"><${Part} key=${current} /></div>
  `;
}

/** @param {{ id: PartId, isCurrent: boolean }} props */
function PartLink({ id, isCurrent }) {
  const count = id === "overview" ? (systemWarnings.value?.warnings.length ?? 0) : 0;
  return html`
    <a href=${`/system?part=${id}`} data-view aria-current=${isCurrent ? "page" : undefined}>
      ${TEXT.system.parts[id]}${count > 0 && html` <span class="count">${count}</span>`}
    </a>
  `;
}

/** @param {string} address
 *  @param {string | null} asked
 *  @returns {PartId} */
function partOf(address, asked) {
  return ids().find((id) => id === asked) ?? (address.startsWith("/servers") ? "servers" : "overview");
}

function ids() {
  return /** @type {PartId[]} */ (Object.keys(PARTS));
}
