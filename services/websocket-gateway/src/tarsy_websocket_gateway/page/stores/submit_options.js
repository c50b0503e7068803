// What can be chosen for an alert. Each list does without the others: one that does not come leaves its field free, and is
// asked for again.

import { ApiError, readServers } from "../net/api.js";
import { readAlertTypes, readDefaultTools, readRunbooks } from "../net/submit_api.js";
import { readConfiguration } from "../net/system_api.js";
import { untilAnswered } from "../net/until_answered.js";
import { signal } from "../ui.js";
import { TEXT } from "../words/language.js";
import { messageOf } from "../words/problems.js";
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
  /** Why a list is not there. */
  problem = signal("");
  /** The same of each, by what asks for it. @type {Map<() => Promise<unknown>, string>} */
  #problems = new Map();
  #isClosed = false;
  #chosen = "";

  /** Returns what ends it. */
  open() {
    this.#isClosed = false;
    this.#follow(readAlertTypes, (found) => {
      this.alertTypes.value = found;
    });
    this.#follow(readRunbooks, (found) => {
      this.runbooks.value = found;
    });
    this.#follow(readConfiguration, ({ llm_providers: providers, mcp_servers: servers }) => {
      this.llmProviders.value = Object.keys(providers);
      this.#addServers(Object.keys(servers));
    });
    this.#follow(readServers, ({ servers }) => this.#addServers(servers.map(({ id }) => id)));
    return () => {
      this.#isClosed = true;
    };
  }

  /** Of a type that no chain has, the answer to the alert says so.
   *  @param {string} alertType */
  async readDefaults(alertType) {
    this.#chosen = alertType;
    this.defaults.value = null;
    const isWanted = () => !this.#isClosed && this.#chosen === alertType;
    const found = await untilAnswered(() => readDefaultTools(alertType), { isWanted, failed: () => {} });
    if (found !== null) this.defaults.value = found;
  }

  /** @param {string[]} names */
  #addServers(names) {
    this.servers.value = [...new Set([...this.servers.value, ...names])].sort();
  }

  /** @template T
   *  @param {() => Promise<T>} ask
   *  @param {(found: T) => void} take */
  async #follow(ask, take) {
    const found = await untilAnswered(ask, {
      isWanted: () => !this.#isClosed,
      failed: (problem) => {
        if (problem instanceof ApiError && problem.status === 0) isLost();
        this.#note(ask, say(TEXT.submit.optionsMissing, { why: messageOf(problem) }));
      },
    });
    if (found === null) return;
    take(found);
    isLive();
    this.#note(ask, "");
  }

  /** @param {() => Promise<unknown>} ask @param {string} problem */
  #note(ask, problem) {
    if (problem === "") this.#problems.delete(ask);
    else this.#problems.set(ask, problem);
    this.problem.value = [...this.#problems.values()].at(-1) ?? "";
  }
}
