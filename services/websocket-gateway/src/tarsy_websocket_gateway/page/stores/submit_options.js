// What can be chosen for an alert. Each list does without the others: one that does not come leaves its field free.

import { readServers } from "../net/api.js";
import { readAlertTypes, readDefaultTools, readRunbooks } from "../net/submit_api.js";
import { readConfiguration } from "../net/system_api.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { say } from "../words/say.js";
import { isLive, isLost } from "./connection.js";

/** @typedef {import("tarsy-api").components["schemas"]} Schemas */

export class SubmitOptions {
  /** @type {import("@preact/signals").Signal<Schemas["AlertTypeList"] | null>} */
  alertTypes = signal(null);
  /** @type {import("@preact/signals").Signal<string[]>} */
  runbooks = signal([]);
  /** @type {import("@preact/signals").Signal<string[]>} */
  llmProviders = signal([]);
  /** @type {import("@preact/signals").Signal<string[]>} */
  servers = signal([]);
  /** The tools of an alert of the chosen type that chooses none.
   *  @type {import("@preact/signals").Signal<Schemas["DefaultTools"] | null>} */
  defaults = signal(null);
  problem = signal("");
  #asked = "";

  async read() {
    await Promise.all([
      this.#take(readAlertTypes(), (found) => {
        this.alertTypes.value = found;
      }),
      this.#take(readRunbooks(), (found) => {
        this.runbooks.value = found;
      }),
      this.#take(readConfiguration(), ({ llm_providers: providers, mcp_servers: servers }) => {
        this.llmProviders.value = Object.keys(providers);
        this.#addServers(Object.keys(servers));
      }),
      this.#take(readServers(), ({ servers }) => this.#addServers(servers.map(({ id }) => id))),
    ]);
  }

  /** @param {string} alertType */
  async readDefaults(alertType) {
    this.#asked = alertType;
    this.defaults.value = null;
    try {
      const found = await readDefaultTools(alertType);
      if (this.#asked === alertType) this.defaults.value = found;
    } catch {
      // A type that no chain has: the answer to the alert says so.
    }
  }

  /** @param {string[]} names */
  #addServers(names) {
    this.servers.value = [...new Set([...this.servers.value, ...names])].sort();
  }

  /** @template T
   *  @param {Promise<T>} asked
   *  @param {(found: T) => void} take */
  async #take(asked, take) {
    try {
      take(await asked);
      isLive();
    } catch (thrown) {
      const problem = /** @type {import("../net/api.js").ApiError} */ (thrown);
      if (problem.status === 0) isLost();
      this.problem.value = say(TEXT.submit.optionsMissing, { why: problem.message });
    }
  }
}
