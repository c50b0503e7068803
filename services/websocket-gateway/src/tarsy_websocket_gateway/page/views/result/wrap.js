// Whether long lines are wrapped: the browser remembers what its reader chose last.

import { remember, remembered } from "../../stores/browser_memory.js";
import { useSignal } from "../../ui.js";

const NAME = "tarsy-wrap";

export function useWrap() {
  const isOn = useSignal(remembered(NAME) === "on");

  function toggle() {
    isOn.value = !isOn.value;
    remember(NAME, isOn.value ? "on" : "off");
  }

  return { isOn: isOn.value, toggle };
}
