// The service worker of screens. It keeps the page that a screen was sent last, and what that page
// loads, so that a screen which is switched on while the server is gone shows its last figures. Its
// scope is all that begins with /screen, also /screens, which somebody who signs in may see in that
// browser: of pages it answers for /screen alone, and it puts nothing into what is kept.

interface Extendable extends Event {
  waitUntil(promise: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Worker {
  addEventListener(type: "install" | "activate", listener: (event: Extendable) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetching) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly location: Location;
}
const worker = self as unknown as Worker;

const cacheName = "screen";
const page = "/screen";
const day = 24 * 3600 * 1000;

worker.addEventListener("install", (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== worker.location.origin) return;
  if (request.mode === "navigate" && pathname === page) event.respondWith(newest(request));
  else if (pathname.startsWith("/assets/")) event.respondWith(kept(request));
});

/** newest is the page as the server sends it, or as it was kept, where the server does not answer
 * within a few seconds or answers that it cannot. */
async function newest(request: Request): Promise<Response> {
  const cut = new AbortController();
  const timer = setTimeout(() => cut.abort(), 8000);
  try {
    const answer = await fetch(request, { signal: cut.signal });
    if (answer.status >= 500) return (await keptPage()) ?? answer;
    const access = answer.headers.get("Screen");
    if (access === null) await caches.delete(cacheName).catch(() => false); // the device is no screen any more
    else await forgetOther(access).catch(() => undefined);
    return answer;
  } catch {
    return (await keptPage()) ?? nothing();
  } finally {
    clearTimeout(timer);
  }
}

/** keptPage is the page that was kept within the last day by this device's clock; an older one is
 * nobody's any more. */
async function keptPage(): Promise<Response | undefined> {
  const cache = await stored();
  const old = await cache?.match(page).catch(() => undefined);
  if (!old || Date.now() - Number(old.headers.get("Kept")) < day) return old;
  await cache?.delete(page).catch(() => false);
  return undefined;
}

/** forgetOther forgets a page that was kept of another access: the screen may show less now. */
async function forgetOther(access: string): Promise<void> {
  const cache = await caches.open(cacheName);
  const old = await cache.match(page);
  if (old && old.headers.get("Screen") !== access) await cache.delete(page);
}

/** nothing is a dark page that tries again, where there is nothing to show and nobody who would. */
function nothing(): Response {
  const html = `<!DOCTYPE html><meta name="color-scheme" content="dark"><meta http-equiv="refresh" content="15"><title>housecount</title>`;
  return new Response(html, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
}

/** kept is a file that never changes under its address. */
async function kept(request: Request): Promise<Response> {
  const cache = await stored();
  return (await cache?.match(request).catch(() => undefined)) ?? fetch(request);
}

/** stored is what is kept; undefined where the browser forbids it, or its disk fails. */
function stored(): Promise<Cache | undefined> {
  return caches.open(cacheName).catch(() => undefined);
}
