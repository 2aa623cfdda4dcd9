// The small pictures of what screens show. Nothing runs in them, so the page that has them says what room
// a screen leaves around its view, and what a message takes of it.

import type { State } from "./screen";

/** start fits the pictures of a page, and those that come later. */
export function start(): void {
  document.addEventListener("load", (e) => fit(e.target), true);
  for (const frame of document.querySelectorAll(".picture iframe")) fit(frame);
}

function fit(frame: EventTarget | null): void {
  const page = frame instanceof HTMLIFrameElement ? frame.contentDocument : null;
  const body: HTMLElement | null | undefined = page?.body; // null while no more than its head has come
  const state = body?.dataset["state"];
  if (!page || !state) return;
  const style = page.documentElement.style;
  style.setProperty("--margin", String(((JSON.parse(state) as State).margin ?? 0) / 1000));
  style.setProperty("--said", `${page.getElementById("said")?.offsetHeight ?? 0}px`);
}
