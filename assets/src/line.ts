// The line to the server, as the page shows it: connected while the server has said a word
// within the last seconds. Otherwise the page says since when it is not, and how old its
// figures have become; the style sheet greys them. Time of day is the server's, in the venue's
// zone, counted on from its last word; it does not depend on this machine's clock being right.

import * as screen from "./screen";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** silence is how long nothing comes before the line counts as lost; a beat comes every 4 s. */
export const silence = 9 * second;

/** Moment is a reading of both clocks: one stops while the machine sleeps, the other may be set. */
interface Moment {
  readonly steady: number;
  readonly set: number;
}

const root = document.documentElement;
// A page that was kept for when the server is gone says when it was, by this device's clock.
const { now: loaded = "0", zone, kept } = document.body.dataset;
let unheard = kept !== undefined; // since that page was opened; the clock of a device that was off may be wrong by any time

let word: Moment = { ...moment(), ...(kept ? { set: Number(kept) } : {}) }; // when the server was last heard
let reported = { time: Number(loaded), at: word }; // and when it last said what time it is

export function moment(): Moment {
  return { steady: performance.now(), set: Date.now() };
}

/** since is how long ago a moment was, in milliseconds. */
export function since(m: Moment): number {
  return between(m, moment());
}

function between(from: Moment, to: Moment): number {
  return Math.max(to.steady - from.steady, to.set - from.set);
}

/** Times are what of the strip changes with every poll. */
export interface Times {
  as_of: number;
  next: number; // 0 when nobody knows
  detail: string[]; // without how long it is until then, which is counted here
}

/** heard says that the server has said something, and what time it is there if it said so. */
export function heard(time?: number, times?: Times): void {
  word = moment();
  if (time !== undefined) reported = { time, at: word };
  if (unheard) {
    unheard = false;
    show();
  }
  if (root.dataset["socket"] !== "open") root.dataset["socket"] = "open";
  if (times) renew(times);
}

/** renew writes newer times into the strip, which else only comes when what it says is another. */
function renew(times: Times): void {
  const strip = document.getElementById("strip");
  const line = strip?.querySelector("p");
  if (!strip || !line) return;
  strip.dataset["asOf"] = String(times.as_of || "");
  strip.dataset["next"] = String(times.next || "");
  const all = times.next ? [...times.detail, waiting(strip)] : times.detail;
  const texts = quiet(strip) ? all.slice(0, 1) : all;
  const spans = [...line.querySelectorAll("span")];
  for (const [i, text] of texts.entries()) {
    let span = spans[i];
    if (!span) {
      span = document.createElement("span");
      line.append(" ", span);
    }
    if (span.textContent !== text) span.textContent = text;
  }
  for (const span of spans.slice(texts.length)) span.remove();
}

/** quiet says that all of a strip but the first is out of sight: a wall's, while all is well. */
function quiet(strip: HTMLElement): boolean {
  return root.matches(".wall") && strip.dataset["light"] === "green";
}

/** waiting says how long it is until the service is asked again, in the words of the strip. */
function waiting(strip: HTMLElement): string {
  const [now = "", inSeconds = "", inMinutes = ""] = (strip.dataset["waits"] ?? "").split("|");
  const s = Math.ceil((Number(strip.dataset["next"]) - reported.time - since(reported.at)) / second);
  if (s <= 0) return now;
  const count = (text: string, n: number) => text.replace(/\d+/, String(n));
  if (s < 60) return count(inSeconds, s <= 10 ? s : Math.ceil(s / 10) * 10);
  return count(inMinutes, Math.ceil(s / 60));
}

/** count goes on with what the strip counts. */
function count(): void {
  const strip = document.getElementById("strip");
  const last = strip?.querySelector("p span:last-of-type");
  if (!strip?.dataset["next"] || !last || quiet(strip)) return;
  const text = waiting(strip);
  if (last.textContent !== text) last.textContent = text;
}

/** dull says of the root whether the service answers no longer, by the strip that the page shows. */
export function dull(): void {
  const old = document.querySelector('.truth[data-light="red"]') !== null;
  if (root.hasAttribute("data-old") !== old) root.toggleAttribute("data-old", old);
}

/** lost says that nothing can be heard at the moment; the next word ends it. */
export function lost(): void {
  root.dataset["socket"] = "lost"; // first: it holds whatever else fails
  show();
}

/** watch looks for silence until the page goes. */
export function watch(): void {
  dull();
  root.dataset["socket"] = "connecting";
  setInterval(() => {
    if (root.dataset["socket"] === "lost" || since(word) >= silence) lost();
    count();
    screen.tick(now());
  }, second);
  if (kept) lost();
}

/** mark is what time the server said it is, and when that was by this device's clock. */
export function mark(): { time: number; set: number } {
  return { time: reported.time, set: reported.at.set };
}

let clock: Intl.DateTimeFormat | undefined; // made when it is needed: the first one keeps a phone busy for long

function timeOfDay(at: number): string {
  clock ??= new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  return clock.format(at);
}

/** now is the venue's time, in milliseconds of the Unix epoch. */
function now(): number {
  return reported.time + since(reported.at);
}

/** dayAndTime is in the words of the page. */
function dayAndTime(at: number): string {
  const locale = root.lang === "en" ? "en-GB" : root.lang;
  return new Intl.DateTimeFormat(locale, { timeZone: zone, weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
}

/** show writes the time of the last word, how old the figures are now, and the time of day. Where
 * nobody knows what time it is, it writes the day and time of the last word alone. */
function show(): void {
  document.querySelector(".lost .age")?.toggleAttribute("hidden", unheard);
  if (unheard) {
    write(".lost time", dayAndTime(reported.time));
    write("#clock", "");
    return;
  }
  const strip = document.getElementById("strip");
  write(".lost time", timeOfDay(reported.time + between(reported.at, word)).slice(0, strip ? 8 : 5)); // strangers need no seconds
  write("#clock", timeOfDay(now()).slice(0, 5));
  const asOf = Number(strip?.dataset["asOf"]);
  write(".lost .age b", asOf ? age(now() - asOf) : "\u2014");
}

function write(selector: string, text: string): void {
  const element = document.querySelector(selector);
  if (element && element.textContent !== text) element.textContent = text;
}

/** age is a length of time in its two largest units, in the words that the page brings. */
function age(length: number): string {
  const words = document.querySelector<HTMLElement>(".lost .age")?.dataset;
  const text = length < minute ? words?.["seconds"] : length < hour ? words?.["minutes"] : words?.["hours"];
  const whole = (unit: number, below: number) => String(Math.floor((length % below) / unit));
  return (text ?? "").replace("{h}", whole(hour, Infinity)).replace("{min}", whole(minute, hour)).replace("{s}", whole(second, minute));
}
