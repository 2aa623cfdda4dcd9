// The script of every page. It keeps a socket open and puts what comes over it in its
// place.

import { Idiomorph } from "idiomorph";
import type * as Charts from "./charts";
import * as asks from "./asks";
import * as attention from "./attention";
import * as copy from "./copy";
import * as device from "./device";
import * as events from "./events";
import * as explain from "./explain";
import * as groups from "./groups";
import * as line from "./line";
import * as pictures from "./pictures";
import * as room from "./room";
import * as screen from "./screen";

interface Frame {
  beat?: number; // the server's time; such a frame has nothing else but times
  times?: line.Times;
  say?: string; // and such a frame nothing else
  state?: object; // nor such a frame; see screen.ts
  trace?: number; // nor such a frame: what comes next is to be acknowledged with it once it is shown
  topic: string;
  body?: string; // the element that holds the fragments, where the page may show another
  from: string;
  token: string;
  whole: boolean;
  html?: Record<string, string>;
  lists?: Record<string, Run[]>; // what elements hold now
  parts?: Record<string, string>; // the contents of elements
  charts?: Record<string, Charts.Option>;
  edits?: Record<string, Edit[]>; // of the charts' options
  gone?: string[];
}

/** Run is some of the children that a list had, or a new one. */
interface Run {
  from?: number;
  to?: number;
  html?: string;
}

/** Edit replaces one value within an option. At are the keys that lead to it. */
interface Edit {
  at: string[];
  to: Charts.JSONValue;
}

const second = 1000;
// Close codes: the server goes, it has too many pages, it has another version of them; nobody has said any.
const [goingAway, tryLater, newVersion, cut] = [1001, 1013, 4409, 1006];

const root = document.documentElement;
const { live, version = "" } = document.body.dataset;
let token = document.body.dataset["token"] ?? ""; // names what the page shows

let socket: WebSocket | undefined;
const loaded = line.moment();
let heard = line.moment(); // when the socket was made, or something last came over it
let failures = 0; // since then
let spread = false; // the next try is somewhere in half a minute
let retry = 0; // the timer of the next try
let asked = false; // for the whole topic
let greeted = false; // by the socket
let trace = 0; // what to acknowledge the next frame with

function connect(): void {
  clearTimeout(retry);
  const address = new URL(live ?? "", location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.searchParams.set("token", token);
  address.searchParams.set("version", version);
  screen.describe(address);
  const s = new WebSocket(address);
  socket = s;
  heard = line.moment();
  asked = greeted = false;
  s.onmessage = (message: MessageEvent<string>) => {
    if (s !== socket) return;
    heard = line.moment();
    failures = 0;
    if (!greeted) say(""); // what another socket said; this one says what still holds
    greeted = true;
    const frame = JSON.parse(message.data) as Frame;
    line.heard(frame.beat, frame.times);
    if (frame.say !== undefined) say(frame.say);
    else if (frame.state) {
      if (screen.obey(frame.state) && mayReload()) location.reload();
    } else if (frame.trace !== undefined) trace = frame.trace;
    else if (frame.beat === undefined) take(frame);
  };
  s.onclose = (event) => {
    if (s === socket) closed(event.code);
  };
}

/** drop gives up a socket that may be dead without knowing it. */
function drop(): void {
  socket?.close();
  closed(cut);
}

/** leave closes the socket for good: the page goes elsewhere, which is no loss of the line, and
 * nothing that the socket says may lead it anywhere else. */
function leave(): void {
  clearTimeout(retry);
  const s = socket;
  socket = undefined;
  s?.close();
}

function closed(code: number): void {
  socket = undefined;
  if (failures > 0) line.lost(); // one that comes right back has lost nothing
  if (code === 4401) {
    location.assign(`/signed-out?return=${encodeURIComponent(location.pathname + location.search)}`);
  } else if (code === 4403 && screen.shows() && mayReload()) {
    void screen.forget().then(() => location.reload()); // it may not show this any more, whatever it is answered
  } else if ((code === 4403 || code === newVersion) && mayReload()) {
    if (code === newVersion && screen.shows() && !spread) setTimeout(() => location.reload(), halfAMinute());
    else location.reload();
  } else if (code === 4410) {
    screen.taken();
  } else {
    // Screens lose a server that goes all together, and find out together that it is not there; one that
    // is cut off without a word is alone. Jitter over the whole span, so that a thousand pages do not
    // come back at once.
    spread = screen.shows() && (code === goingAway || code === tryLater || code === newVersion || (code === cut && !greeted));
    const longest = code === tryLater ? 29.5 * second : 4.5 * second;
    retry = setTimeout(connect, spread ? halfAMinute() : second / 2 + Math.random() * Math.min(longest, (second / 2) * 2 ** failures));
    failures++;
  }
}

function halfAMinute(): number {
  return second / 2 + Math.random() * 29.5 * second;
}

/** mayReload is false after six reloads within a minute, so that a page never spins; who sets up a screen has
 * it loaded anew three or four times. */
function mayReload(): boolean {
  const now = Date.now();
  try {
    const reloads = (sessionStorage.getItem("reloaded") ?? "").split(" ").map(Number).filter((at) => at > now - 60 * second && at <= now);
    if (reloads.length >= 6) return false;
    sessionStorage.setItem("reloaded", [...reloads, now].join(" "));
    return true;
  } catch {
    return line.since(loaded) > 60 * second; // without storage nobody knows of others
  }
}

/** wake checks the socket at once when the page is seen again or the network is back. */
function wake(): void {
  if (document.visibilityState === "hidden") return;
  if (socket && line.since(heard) > line.silence / 2) drop();
  if (!socket) connect();
}

/** quietly sends a form of which the socket brings the outcome. Where it fails, or leads
 * elsewhere, the page says so once it is loaded anew. */
async function quietly(form: HTMLFormElement, button: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams([...new FormData(form, button)] as [string, string][]);
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => undefined);
  if (answer?.type !== "opaqueredirect") location.reload();
}

function take(frame: Frame): void {
  if (!frame.whole && frame.from !== token) {
    if (!asked) socket?.send('{"whole":true}');
    asked = true;
    return;
  }
  asked = false;
  if (trace) acknowledge(trace);
  token = document.body.dataset["token"] = frame.token;
  if (screen.leads(frame.topic)) {
    attempt("main", () => screen.show(frame.topic, frame.body ?? "", frame.html ?? {}));
    line.dull();
    return;
  }
  for (const id of frame.gone ?? []) attempt(id, () => remove(id));
  for (const [id, html] of Object.entries(frame.html ?? {})) attempt(id, () => morph(id, html));
  for (const [id, runs] of Object.entries(frame.lists ?? {})) attempt(id, () => arrange(id, runs));
  for (const [id, html] of Object.entries(frame.parts ?? {})) attempt(id, () => morph(id, html, "innerHTML"));
  for (const [id, option] of Object.entries(frame.charts ?? {})) attempt(id, () => draw(id, option));
  for (const [id, edits] of Object.entries(frame.edits ?? {})) attempt(id, () => draw(id, edited(optionOf(id), edits)));
  line.dull();
  charts?.refresh();
  explain.refresh();
  attempt("attention", attention.refresh);
  if (!charts) watchCharts();
}

/** acknowledge says that what is taken now is shown: once it has been painted. */
function acknowledge(shown: number): void {
  trace = 0;
  requestAnimationFrame(() => requestAnimationFrame(() => socket?.send(JSON.stringify({ shown }))));
}

/** say shows a message above the page, and takes it away when there is none. */
function say(text: string): void {
  document.getElementById("message")?.remove();
  if (!text) return;
  const message = document.createElement("p");
  message.id = "message";
  message.setAttribute("role", "alert");
  message.textContent = text;
  document.body.prepend(message);
}

/** kept is where the newest option of a chart is in the page, drawn or not. */
function kept(id: string): Element | null {
  return document.querySelector(`script[data-option-for="${CSS.escape(id)}"]`);
}

function optionOf(id: string): Charts.Option {
  return JSON.parse(kept(id)?.textContent ?? "") as Charts.Option;
}

function edited(option: Charts.Option, edits: Edit[]): Charts.Option {
  for (const { at, to } of edits) {
    const within = at.slice(0, -1).reduce<Charts.JSONValue | undefined>((value, key) => (value as Charts.Option)[key], option);
    (within as Charts.Option)[at[at.length - 1] ?? ""] = to;
  }
  return option;
}

// The script of the charts is large and keeps a phone busy: it is loaded when the first of them is in view, both
// parts at once, and each is evaluated in a task of its own.
let charts: typeof Charts | undefined;
declare const chartParts: string[]; // build.mjs has their names
const inView = new IntersectionObserver((changes) => {
  if (!changes.some((c) => c.isIntersecting)) return;
  inView.disconnect();
  loadCharts()
    .then((loaded) => {
      charts = loaded;
      charts.start(optionOf);
    })
    .catch((error: unknown) => console.error("charts", error)); // the next frame tries again
});

async function loadCharts(): Promise<typeof Charts> {
  const parts = chartParts.map((part) => new URL(part, import.meta.url).href);
  for (const href of parts) document.head.append(Object.assign(document.createElement("link"), { rel: "modulepreload", href }));
  let part: unknown;
  for (const href of parts) {
    part = await import(href);
    await new Promise((rested) => setTimeout(rested));
  }
  return part as typeof Charts;
}

function watchCharts(): void {
  for (const chart of document.querySelectorAll(".chart")) inView.observe(chart);
}

function draw(id: string, option: Charts.Option): void {
  const page = kept(id);
  if (page) page.textContent = JSON.stringify(option);
  const { label } = option["aria"] as { label: { description: string } };
  document.getElementById(id)?.setAttribute("aria-label", label.description);
  charts?.show(id, option);
}

/** attempt keeps the fault of one fragment, or of one part of the script, from the others and from the
 * socket. The next frame then asks for the whole topic, as the page does not show what it should. */
function attempt(id: string, change: () => void): void {
  try {
    change();
  } catch (error) {
    token = "";
    console.error(`fragment ${id}`, error);
    screen.fails(`${id}: ${String(error)}`);
  }
}

function remove(id: string): void {
  const element = document.getElementById(id);
  if (element?.matches(".chart")) charts?.hide(id);
  else element?.remove();
}

function morph(id: string, html: string, morphStyle: "innerHTML" | "outerHTML" = "outerHTML"): void {
  const element = document.getElementById(id);
  if (!element && morphStyle === "innerHTML") throw new Error("it is not in the page");
  if (!element) return; // its container brought it, or will
  const focus = document.activeElement;
  Idiomorph.morph(element, made(html), {
    morphStyle,
    callbacks: {
      beforeNodeMorphed: (old: Node) => !(old instanceof Element && old.matches(".chart, [data-keep]")),
      beforeAttributeUpdated: (name, old) => !belongsToReader(name, old),
    },
  });
  if (focus?.id && focus !== document.activeElement) document.getElementById(focus.id)?.focus({ preventScroll: true });
}

/** arrange gives a list its children. It moves none that may stay. */
function arrange(id: string, runs: Run[]): void {
  const list = document.getElementById(id);
  if (!list) throw new Error("it is not in the page");
  const focus = document.activeElement;
  const before = [...list.children];
  const now = runs.flatMap(({ from = 0, to = 0, html }) => (html === undefined ? before.slice(from, to) : [...made(html).children]));
  const stay = new Set(now);
  for (const child of before) if (!stay.has(child)) child.remove();
  for (const [i, child] of now.entries()) if (list.children[i] !== child) list.insertBefore(child, list.children[i] ?? null);
  if (focus !== document.activeElement && focus instanceof HTMLElement) focus.focus({ preventScroll: true });
}

/** made is what html describes. A template is parsed sooner than a document. */
function made(html: string): DocumentFragment {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** belongsToReader: what is unfolded, and what is being typed. A button that was pressed has another's value
 * with its text. */
function belongsToReader(attribute: string, element: Element): boolean {
  if (attribute === "open") return element.matches("details");
  return (attribute === "value" || attribute === "checked") && element === document.activeElement && !element.matches("button");
}

/** stayOn keeps a wall's screen from going dark, where the browser lets a page ask. */
function stayOn(): void {
  const ask = () => {
    if (document.visibilityState === "visible") navigator.wakeLock?.request("screen").catch((error: unknown) => screen.fails(`wake lock: ${String(error)}`));
  };
  document.addEventListener("visibilitychange", ask); // being hidden ends it
  ask();
}

/** painted calls what once, when the page has been painted or could have been: a phone shows it sooner so. */
function painted(what: () => void): void {
  const late = setTimeout(now, document.visibilityState === "hidden" ? 0 : second);
  let called = false;
  function now(): void {
    clearTimeout(late);
    if (!called) what();
    called = true;
  }
  requestAnimationFrame(() => setTimeout(now));
}

// Whatever fails here, the page still goes live.
attempt("events", () => events.start(morph));
attempt("explain", explain.start);
attempt("groups", groups.start);
attempt("room", room.start);
attempt("device", device.start);
attempt("asks", asks.start);
attempt("attention", attention.start);
attempt("copy", copy.start);
attempt("pictures", pictures.start);
attempt("screen", () => screen.start(line.mark));
if (root.matches(".wall")) attempt("wake lock", stayOn);
painted(() => attempt("charts", watchCharts));
if (live) {
  attempt("line", line.watch);
  connect();
  setInterval(() => {
    if (socket && line.since(heard) >= line.silence) drop();
  }, second);
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  addEventListener("offline", line.lost);
  addEventListener("pageshow", wake);
  addEventListener("pagehide", leave);
  // Signing out ends the session, and with it this page's socket, before the answer is here.
  addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    if (form.matches("[data-quiet]") && greeted) {
      event.preventDefault();
      void quietly(form, event.submitter);
    } else if (form.method === "post") leave();
  });
}
