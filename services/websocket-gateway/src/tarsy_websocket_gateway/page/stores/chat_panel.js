// Whether the chat stands beside the story, where there is room for it. The browser remembers it.

import { signal } from "../ui.js";
import { remember, remembered } from "./browser_memory.js";

const KEY = "chat";

export const isChatOpen = signal(remembered(KEY) !== "closed");

export function openChat() {
  isChatOpen.value = true;
  remember(KEY, "open");
}

export function closeChat() {
  isChatOpen.value = false;
  remember(KEY, "closed");
}
