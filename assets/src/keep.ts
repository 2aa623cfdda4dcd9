// What a screen keeps for when it is switched on while the server is gone: its page as it stands,
// with the last figures and the time of the server's last word, and the files that the page loads.
// Where the browser has no room for it, or forbids it, the screen does without.

const second = 1000;
const cacheName = "screen"; // as in service.ts
const page = "/screen";
const every = 60 * second;

let gone = false; // nothing is kept any more
let policy: Promise<string> | undefined; // of the page's contents, once its files are kept

/** start has the page kept from now on, or forgotten where it is no screen's any more. mark is the
 * server's last word: the venue's time, and when that was by this device's clock. */
export function start(mark: () => { time: number; set: number }): void {
  if (!("serviceWorker" in navigator)) return; // as on plain http
  navigator.serviceWorker
    .register(document.body.dataset["service"] ?? "", { scope: page })
    .catch(nothing);
  const now = () => void keep(mark).catch(nothing);
  setTimeout(now, second);
  setInterval(now, every);
  document.addEventListener("visibilitychange", now); // which is the last that a device says that goes off
}

/** forget forgets what was kept, and keeps nothing more of this page: the device is no screen any
 * more, or may not show it. */
export async function forget(): Promise<void> {
  gone = true;
  try {
    await caches.delete(cacheName);
  } catch {
    // where there is no place for it, or none that a page may use, nothing was kept
  }
}

/** files keeps what the page loads, and nothing of a version before. It returns the policy of the page's
 * contents, which a page that is kept has too. */
async function files(): Promise<string> {
  const answer = await fetch(document.body.dataset["service"] ?? "");
  const cache = await caches.open(cacheName);
  const loads = [...document.querySelectorAll<HTMLElement>("script[src], link[rel=stylesheet], link[rel=preload]")].map((e) => e.getAttribute("src") ?? e.getAttribute("href") ?? "");
  for (const address of loads) if (!(await cache.match(address))) await cache.add(address);
  const wanted = new Set([page, ...loads]);
  for (const request of await cache.keys()) if (!wanted.has(new URL(request.url).pathname)) await cache.delete(request);
  return answer.headers.get("Content-Security-Policy") ?? "";
}

/** keep keeps the page while the server is heard, once its files are: they are asked for again where they did
 * not come. */
async function keep(mark: () => { time: number; set: number }): Promise<void> {
  const root = document.documentElement;
  const heard = () => !gone && root.dataset["socket"] === "open";
  if (!heard()) return;
  policy ??= files();
  const allowed = await policy.catch(nothing);
  if (!allowed) policy = undefined;
  if (!allowed || !heard() || document.querySelector("main.leaving, #identify")) return;
  const { time, set } = mark();
  const copy = root.cloneNode(true) as HTMLElement;
  delete copy.dataset["socket"];
  copy.removeAttribute("style");
  for (const extra of copy.querySelectorAll("#said, #message")) extra.remove();
  const body = copy.querySelector("body");
  body?.setAttribute("data-kept", String(set));
  body?.setAttribute("data-now", String(time));
  const state = JSON.parse(body?.dataset["state"] ?? "{}") as Record<string, unknown>;
  delete state["messages"]; // whose end nobody knows whose clock stood still,
  delete state["dim"]; // nor its hours
  copy.classList.remove("dim");
  body?.setAttribute("data-state", JSON.stringify(state));
  const access = body?.dataset["topic"]?.split("/")[1] ?? "";
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": allowed, "Kept": String(set), "Screen": access };
  const cache = await caches.open(cacheName);
  if (gone) return;
  await cache.put(page, new Response(`<!DOCTYPE html>${copy.outerHTML}`, { headers }));
}

function nothing(): void {}
