// What a page does on a device that hangs, beside what every page does. Where all screens are,
// the server says what each shows; a device that is none yet shows a code.

import * as keep from "./keep";

const second = 1000;
const minute = 60 * second;

const root = document.documentElement;

/** State is what the server tells a screen beside what it shows; see ScreenState in web. */
export interface State {
  margin?: number;
  dim?: boolean;
  identify?: string;
  reloaded?: number;
  messages?: Message[];
}

interface Message {
  text: string;
  urgent?: boolean;
  until: number;
}

let topic = document.body.dataset["topic"]; // what a screen shows; undefined where no screen does
const loaded = JSON.parse(document.body.dataset["state"] ?? "{}") as State;

// What went wrong last, and the server does not know of. Storage is asked on a screen alone: it holds up a phone's first paint.
let fault = topic === undefined ? "" : stored();
const known = new Set<string>(); // what it was told
const mostFaults = 20; // that it is told until the page is loaded anew
let again = 0; // when it may be told again

function stored(): string {
  try {
    return sessionStorage.getItem("fault") ?? "";
  } catch {
    return ""; // without storage a fault is forgotten when the page is loaded anew
  }
}

function store(text: string): void {
  fault = text;
  try {
    sessionStorage.setItem("fault", text);
  } catch {
    // see stored
  }
}

/** fails is called when something goes wrong on a screen. The server is told by and by. */
export function fails(what: unknown): void {
  const text = String(what).slice(0, 200);
  if (topic !== undefined && known.size < mostFaults && !known.has(text)) store(text);
}

/** report tells the server what went wrong, every few seconds until it knows. */
async function report(): Promise<void> {
  const text = fault;
  if (!text || performance.now() < again || root.dataset["socket"] !== "open") return;
  again = performance.now() + 10 * second;
  const answer = await fetch("/screen/report", { method: "POST", body: new URLSearchParams({ fault: text }) }).catch(nothing);
  if (!answer?.ok) return;
  known.add(text);
  if (fault === text) store("");
}

function nothing(): undefined {
  return undefined;
}

/** device is the name that this device gives itself, by which the server tells it from another that uses
 * its credential. It is empty without storage. */
function device(): string {
  try {
    const name = localStorage.getItem("device") ?? Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");
    localStorage.setItem("device", name);
    return name;
  } catch {
    return "";
  }
}

/** describe adds to a socket's address what the server asks of the device. */
export function describe(address: URL): void {
  if (!address.pathname.startsWith("/screen/")) return;
  const pixels = (length: number) => Math.round(length * devicePixelRatio);
  address.searchParams.set("device", device());
  address.searchParams.set("for", String(Math.round(performance.now() / second)));
  address.searchParams.set("size", `${pixels(innerWidth)}x${pixels(innerHeight)}`);
}

/** start does what a screen does, or a device that shows a code. */
export function start(mark: () => { time: number; set: number }): void {
  if (topic !== undefined) {
    addEventListener("error", (e) => fails(e.message));
    addEventListener("unhandledrejection", (e) => fails(e.reason));
    obey(loaded);
    keep.start(mark);
  }
  if (!document.querySelector("main.pairing")) return;
  void keep.forget();
  follow();
  addEventListener("hashchange", follow); // as where the address is typed into the page that shows the code
  countDown();
}

export const forget = keep.forget;

/** taken is called when another device uses this screen's credential: this one shows a code. */
export function taken(): void {
  void keep.forget().then(() => send("/screen/leave", {}));
}

/** send leads the page to what a form is answered. */
function send(action: string, values: Record<string, string>): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = action;
  for (const [name, value] of Object.entries(values)) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  form.submit();
}

/** follow has the device become the screen whose secret its address holds. What it leads to does
 * not hold the secret, so that one which is no good is tried once. */
function follow(): void {
  if (location.hash.length > 1) send("/screen", { secret: location.hash.slice(1) });
}

/** countDown says how long the code is still shown. */
function countDown(): void {
  const left = document.getElementById("left");
  const text = left?.dataset["minutes"];
  const shown = Number(left?.textContent?.match(/\d+/)?.[0]);
  if (!left || !text || !shown) return;
  setInterval(() => {
    const rest = Math.max(0, shown - performance.now() / minute);
    root.style.setProperty("--left", String(rest / shown));
    const minutes = Math.max(1, Math.ceil(rest));
    left.textContent = text.replace("{min}", String(minutes));
  }, 5 * second);
}

const fade = 700; // milliseconds that one view takes to give way to another
let leaving: Element | undefined; // the view that does
let left = 0; // the timer of its end

/** shows says that a screen shows the page. */
export function shows(): boolean {
  return topic !== undefined;
}

/** leads says that a frame leads a screen to another view than it shows. */
export function leads(to: string): boolean {
  return topic !== undefined && to !== topic;
}

/** show shows another view: body with its fragments, over which the one before it fades. */
export function show(to: string, body: string, fragments: Record<string, string>): void {
  const before = document.querySelector("main");
  const template = document.createElement("template");
  template.innerHTML = body;
  const next = template.content.firstElementChild;
  if (!before || !next) throw new Error("there is no view");
  for (const [id, html] of Object.entries(fragments)) {
    const place = template.content.querySelector(`#${CSS.escape(id)}`);
    if (place) place.outerHTML = html;
  }
  topic = document.body.dataset["topic"] = to;
  end();
  before.setAttribute("aria-hidden", "true");
  before.before(next); // the first of two elements with an id is the one that is meant; the other looks as it did
  leaving = before;
  before.classList.add("leaving");
  left = setTimeout(end, fade);
}

/** end takes away the view that has given way. */
function end(): void {
  clearTimeout(left);
  leaving?.remove();
  leaving = undefined;
}

/** obey does what the state says, and returns that the page is to be loaded anew: it is older than
 * when that was asked. */
export function obey(state: State): boolean {
  document.body.dataset["state"] = JSON.stringify(state);
  root.style.setProperty("--margin", String((state.margin ?? 0) / 1000));
  root.classList.toggle("dim", state.dim ?? false);
  identify(state.identify);
  const all = state.messages ?? [];
  if (JSON.stringify(all) !== JSON.stringify(messages)) makeRoom(0);
  messages = all;
  speak();
  return (state.reloaded ?? 0) > (loaded.reloaded ?? 0);
}

const turn = 8 * second; // of a message, where there are several
let messages: Message[] = []; // what is to be said
let said: Message | undefined; // what is
let time = Number(document.body.dataset["now"]); // the venue's, a second ago at most

/** speak says the message whose turn it is, the same on all screens. What was to be said until a time is
 * not said after it, also where nobody can take it back. */
function speak(): void {
  const still = messages.filter((m) => time < m.until);
  say(still[Math.floor(time / turn) % still.length]);
}

let room = 0; // pixels that messages have, as many as the tallest of them that was said
let width = 0; // of the window, for which that is so

/** makeRoom has the view leave the room of a message, 0 for none. */
function makeRoom(pixels: number): void {
  room = pixels;
  if (pixels) root.style.setProperty("--said", `${pixels}px`);
  else root.style.removeProperty("--said");
}

/** say shows a message under the view, which makes room for it, or takes it away. Where several take
 * turns the view keeps its size. */
function say(next?: Message): void {
  if (next?.text === said?.text && next?.urgent === said?.urgent) return;
  said = next;
  document.getElementById("said")?.remove();
  if (!next) return makeRoom(0);
  const sign = document.createElement("p");
  sign.id = "said";
  sign.setAttribute("role", next.urgent ? "alert" : "status");
  if (next.urgent) sign.className = "urgent";
  const text = document.createElement("bdi");
  text.textContent = next.text;
  sign.append(text);
  document.body.append(sign);
  // Its height is another where the screen is turned, too. Room that is made at once would be an error of
  // the observer's, as it may change the height.
  const measure = () => {
    if (!sign.isConnected) return;
    if (width !== innerWidth) {
      width = innerWidth;
      makeRoom(0);
    }
    makeRoom(Math.max(room, sign.offsetHeight));
  };
  new ResizeObserver(() => requestAnimationFrame(measure)).observe(sign);
}

const drift = ["0, 0", "2px, 2px", "1px, 4px", "-2px, 2px", "-1px, -1px"]; // where the picture is, a minute each

/** tick is called every second with the venue's time. */
export function tick(now: number): void {
  time = now;
  root.style.setProperty("--drift", drift[Math.floor(now / minute) % drift.length] ?? "0, 0");
  speak();
  void report();
}

const shown = 11 * second; // of a name, where nobody takes it back
let named = 0; // the timer of its end

/** identify fills the screen with its name, or takes the name away. */
function identify(name = ""): void {
  clearTimeout(named);
  document.getElementById("identify")?.remove();
  if (!name) return;
  const sign = document.createElement("p");
  sign.id = "identify";
  const text = document.createElement("bdi");
  text.textContent = name;
  sign.append(text);
  document.body.append(sign);
  // As large as it fits: a name is of one to sixty characters.
  const size = Math.sqrt((0.55 * innerWidth * innerHeight) / (0.62 * Math.max(4, name.length)));
  sign.style.fontSize = `${Math.min(size, (0.86 * innerWidth) / (0.6 * longest(name)))}px`;
  named = setTimeout(() => identify(), shown);
}

function longest(name: string): number {
  return Math.max(...name.split(" ").map((word) => word.length));
}
