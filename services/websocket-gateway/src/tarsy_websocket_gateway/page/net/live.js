// One channel over the WebSocket: subscribes, and subscribes again for as long as the page is there.

import { outward } from "../base_path.js";
import { tellUnknownCaller } from "./api.js";
import { pauseAfter } from "./pauses.js";

/** A message of the gateway; those of a session have its id.
 *  @typedef {{ type: string, session_id?: string, code?: string } & Record<string, any>} Message */
/** `begins()`: what comes next is the history. `unknown()`: the connection lives, and nobody knows the session.
 *  @typedef {{ begins: () => void, takes: (message: any) => void, interrupted: () => void, unknown?: () => void }} Listener */

const PING_EVERY = 20_000;
const ASK_AGAIN = 15_000;
const EXPIRED = 4401;

export class Live {
  #channel;
  #listener;
  /** @type {WebSocket | null} */
  #socket = null;
  #failures = 0;
  #heard = false;
  #watch = 0;
  #next = 0;

  /** @param {string} channel @param {Listener} listener */
  constructor(channel, listener) {
    this.#channel = channel;
    this.#listener = listener;
    addEventListener("online", this.#atOnce);
  }

  stop() {
    removeEventListener("online", this.#atOnce);
    this.#drop();
  }

  start() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}${outward("/api/v1/ws")}`);
    this.#socket = socket;
    this.#heard = true;
    socket.onopen = () => this.#subscribe();
    socket.onmessage = (event) => this.#take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code === EXPIRED) tellUnknownCaller();
      this.#lost();
    };
    this.#watch = setInterval(() => this.#look(), PING_EVERY);
  }

  #subscribe() {
    this.#socket?.send(JSON.stringify({ action: "subscribe", channel: this.#channel }));
  }

  /** @param {Message} message */
  #take(message) {
    this.#heard = true;
    if (message.type === "subscription.confirmed") {
      this.#failures = 0;
      this.#listener.begins();
    } else if (message.code === "unknown_session") {
      this.#failures = 0;
      this.#listener.unknown?.();
      this.#next = setTimeout(() => this.#subscribe(), ASK_AGAIN);
    } else if (message.type === "subscription.error") {
      this.#lost();
    } else if (message.type === "subscription.delayed") {
      this.#listener.interrupted();
    } else if (message.session_id !== undefined) {
      this.#listener.takes(message);
    }
  }

  /** A connection can be dead without a word: whoever says nothing until the second look is. */
  #look() {
    if (!this.#heard) {
      this.#lost();
      return;
    }
    this.#heard = false;
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ action: "ping" }));
  }

  #lost() {
    this.#drop();
    this.#failures += 1;
    this.#listener.interrupted();
    this.#next = setTimeout(() => this.start(), pauseAfter(this.#failures));
  }

  #drop() {
    clearInterval(this.#watch);
    clearTimeout(this.#next);
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  #atOnce = () => {
    if (this.#socket !== null) return;
    clearTimeout(this.#next);
    this.start();
  };
}
