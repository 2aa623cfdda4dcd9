// The script of every page. It keeps a socket open, puts what comes over it in its
// place, and formats nothing.

import { Idiomorph } from "idiomorph";
import * as charts from "./charts";
import * as events from "./events";

interface Frame {
  heartbeat?: boolean;
  from: string;
  token: string;
  whole: boolean;
  html?: Record<string, string>;
  charts?: Record<string, charts.Option>;
  gone?: string[];
}

const second = 1000;
const silence = 30 * second; // after which a socket counts as dead; the server speaks every 10 s
const beat = 25 * second;

const root = document.documentElement;
const { live, version = "" } = document.body.dataset;
let token = document.body.dataset["token"] ?? ""; // names what the page shows

let socket: WebSocket | undefined;
let heard = 0; // when the server last spoke, or the socket was made
let failures = 0; // since it last spoke
let retry = 0; // the timer of the next try
let asked = false; // for the whole topic

function connect(): void {
  clearTimeout(retry);
  const address = new URL(live ?? "", location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.searchParams.set("token", token);
  address.searchParams.set("version", version);
  const s = new WebSocket(address);
  socket = s;
  heard = Date.now();
  asked = false;
  s.onopen = () => {
    if (s === socket) root.dataset["socket"] = "open";
  };
  s.onmessage = (message: MessageEvent<string>) => {
    if (s !== socket) return;
    heard = Date.now();
    failures = 0;
    take(JSON.parse(message.data) as Frame);
  };
  s.onclose = (event) => {
    if (s === socket) closed(event.code);
  };
}

/** drop gives up a socket that may be dead without knowing it. */
function drop(): void {
  socket?.close();
  closed(1006);
}

function closed(code: number): void {
  socket = undefined;
  root.dataset["socket"] = "lost";
  if (code === 4401) {
    location.assign(`/signed-out?return=${encodeURIComponent(location.pathname + location.search)}`);
  } else if ((code === 4403 || code === 4409) && mayReload()) {
    location.reload();
  } else {
    // Jitter over the whole span, so that a thousand pages do not come back at once.
    retry = setTimeout(connect, second / 2 + Math.random() * Math.min(29.5 * second, (second / 2) * 2 ** failures));
    failures++;
  }
}

/** mayReload is false when the last reload did not help, so that a page never spins. */
function mayReload(): boolean {
  try {
    const last = Number(sessionStorage.getItem("reloaded"));
    if (Date.now() - last < 60 * second) return false;
    sessionStorage.setItem("reloaded", String(Date.now()));
    return true;
  } catch {
    return false; // without storage nobody would know
  }
}

/** wake checks the socket at once when the page is seen again or the network is back. */
function wake(): void {
  if (document.visibilityState === "hidden") return;
  if (socket && Date.now() - heard > silence / 2) drop();
  if (!socket) connect();
}

function take(frame: Frame): void {
  if (frame.heartbeat) return;
  if (!frame.whole && frame.from !== token) {
    if (!asked) socket?.send('{"whole":true}');
    asked = true;
    return;
  }
  asked = false;
  token = frame.token;
  for (const id of frame.gone ?? []) attempt(id, () => remove(id));
  for (const [id, html] of Object.entries(frame.html ?? {})) attempt(id, () => morph(id, html));
  for (const [id, option] of Object.entries(frame.charts ?? {})) attempt(id, () => charts.show(id, option));
  charts.refresh();
}

/** attempt keeps one fragment's fault from the others and from the socket. */
function attempt(id: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    console.error(`fragment ${id}`, error);
  }
}

function remove(id: string): void {
  charts.hide(id);
  const element = document.getElementById(id);
  if (!element?.matches(".chart")) element?.remove();
}

function morph(id: string, html: string): void {
  const element = document.getElementById(id);
  if (!element) return; // its container brought it, or will
  const focus = document.activeElement;
  Idiomorph.morph(element, html, {
    morphStyle: "outerHTML",
    callbacks: {
      beforeNodeMorphed: (old: Node) => !(old instanceof Element && old.matches(".chart, [data-keep]")),
      beforeAttributeUpdated: (name, old) => !belongsToReader(name, old),
    },
  });
  if (focus?.id && focus !== document.activeElement) document.getElementById(focus.id)?.focus({ preventScroll: true });
}

/** belongsToReader: what is unfolded, and what is being typed. */
function belongsToReader(attribute: string, element: Element): boolean {
  if (attribute === "open") return element.matches("details");
  return (attribute === "value" || attribute === "checked") && element === document.activeElement;
}

/** stayOn keeps a wall's screen from going dark, where the browser lets a page ask. */
function stayOn(): void {
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch(() => undefined);
  };
  document.addEventListener("visibilitychange", ask); // being hidden ends it
  ask();
}

charts.start();
events.start(morph);
if (root.matches(".wall")) stayOn();
if (live) {
  root.dataset["socket"] = "connecting";
  connect();
  setInterval(() => {
    if (socket && Date.now() - heard > silence) drop();
  }, 5 * second);
  setInterval(() => {
    if (socket?.readyState === WebSocket.OPEN) socket.send('{"heartbeat":true}');
  }, beat);
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("pageshow", wake);
  addEventListener("pagehide", () => {
    const s = socket;
    socket = undefined; // so that leaving does not look like a loss
    s?.close();
  });
}
