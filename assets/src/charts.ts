// The charts of a page. Their options come from the server as JSON and are shown as they
// are, but for the names of colours, which are replaced by those of the style sheet.

import { BarChart, LineChart, PictorialBarChart } from "echarts/charts";
import { AriaComponent, GridComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { type ECharts, init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { platformApi } from "zrender/lib/core/platform.js";

// What is not named here is silently not drawn.
use([BarChart, LineChart, PictorialBarChart, GridComponent, TooltipComponent, AriaComponent, MarkLineComponent, MarkAreaComponent, CanvasRenderer]);

export type JSONValue = string | number | boolean | null | JSONValue[] | Option;
export type Option = { [key: string]: JSONValue };

interface Shown {
  readonly element: HTMLElement;
  option: Option;
  chart?: ECharts;
  whole?: boolean; // its chart has more than axes, and may be drawn anew
  tight?: boolean; // narrower than roomForNotes
  short?: number; // how many tints have their words in short
}

const shown = new Map<string, Shown>();
const dark = matchMedia("(prefers-color-scheme: dark)");
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** show gives the chart in the element with this id a new option. */
export function show(id: string, option: Option): void {
  const element = document.getElementById(id);
  if (!element?.matches(".chart")) return;
  let s = shown.get(id);
  if (s?.element === element) {
    s.option = option;
    draw(s);
    return;
  }
  hide(id);
  s = { element, option };
  shown.set(id, s);
  near.observe(element);
}

/** hide disposes of a chart; its element stays. */
export function hide(id: string): void {
  const s = shown.get(id);
  if (!s) return;
  near.unobserve(s.element);
  sizes.unobserve(s.element);
  s.chart?.dispose();
  shown.delete(id);
}

let optionOf: (id: string) => Option; // the newest of a chart

/** refresh shows the charts that came with new HTML and disposes of those that went. */
export function refresh(): void {
  for (const [id, s] of shown) if (!s.element.isConnected) hide(id);
  for (const data of document.querySelectorAll<HTMLElement>("script[data-option-for]")) {
    const id = data.dataset["optionFor"] ?? "";
    if (shown.has(id)) continue;
    try {
      show(id, optionOf(id));
    } catch (error) {
      console.error(`chart ${id}`, error);
    }
  }
}

/** start shows the page's charts once their letters are there to be measured. */
export function start(newest: (id: string) => Option): void {
  optionOf = newest;
  const letters = document.fonts.load(`16px ${getComputedStyle(document.body).fontFamily}`).catch(() => undefined);
  void Promise.race([letters, new Promise((late) => setTimeout(late, 1000))]).then(refresh);
  dark.addEventListener("change", redraw);
  still.addEventListener("change", redraw);
  addEventListener("beforeprint", toPaper);
  addEventListener("afterprint", toScreen);
}

// A chart is drawn when it comes near the window, one after the other, so that a page with
// several answers at once.
let turn = Promise.resolve();
const near = new IntersectionObserver(
  (changes) => {
    for (const { target, isIntersecting } of changes) {
      const s = shown.get(target.id);
      if (s?.element !== target || s.chart || !isIntersecting || !s.element.clientWidth) continue;
      near.unobserve(target);
      turn = turn.then(() => begin(s)).catch((error: unknown) => console.error(`chart ${target.id}`, error));
    }
  },
  { rootMargin: "300px 0px" },
);

const sizes = new ResizeObserver((changes) => {
  for (const { target, contentRect } of changes) {
    const s = shown.get(target.id);
    if (s?.element !== target || !s.chart || !contentRect.width || !contentRect.height) continue;
    // It is drawn anew by a resize, and the first thing that is observed is the size that it has.
    if (Math.abs(s.chart.getWidth() - contentRect.width) < 1 && Math.abs(s.chart.getHeight() - contentRect.height) < 1) continue;
    s.chart.resize();
    if (s.tight !== contentRect.width < roomForNotes || s.short !== narrowTints(s.option, contentRect.width).length) draw(s);
  }
});

/** begin makes a chart in tasks of its own, between which a phone can answer a touch: its axes, then all of it, which
 * is seen at once. It has its values at once. */
async function begin(s: Shown): Promise<void> {
  if (s.chart || shown.get(s.element.id) !== s) return;
  mix(s.option);
  const chart = init(s.element);
  s.chart = chart;
  s.whole = false;
  const inside = s.element.firstElementChild as HTMLElement;
  inside.style.visibility = "hidden";
  try {
    for (const step of [() => measure(s.option), () => draw(s, "axes"), () => draw(s, "all")]) {
      await rested();
      if (chart.isDisposed()) return;
      step();
    }
  } finally { // one that failed is seen as far as it came, and drawn anew with the next frame
    s.whole = true;
    inside.style.visibility = "";
  }
  sizes.observe(s.element);
  await rested();
}

/** rested is settled in a task after the next frame. */
function rested(): Promise<void> {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

/** measure has the browser look for the words and letters of a chart: the first takes a phone long. Among them is the wide
 * one by which ECharts measures. */
function measure(option: Option): void {
  inWords(0);
  const { fontFamily } = option["textStyle"] as { fontFamily: string };
  for (const letter of "国a") platformApi.measureText(letter, `12px ${fontFamily}`);
}

// A canvas does not grow to the sheet that it is printed on: it is drawn anew for paper,
// in light colours and finely, and for the screen again.
/** onPaper returns the size of a chart in print, where it is as high as its style says. */
function onPaper(element: HTMLElement) {
  const height = Number(getComputedStyle(element).getPropertyValue("--on-paper"));
  const width = element.closest(".pair") ? 496 : element.closest(".night") ? 703 : 1032; // half a sheet, one upright, one
  return { width, height, devicePixelRatio: 3 };
}

function toPaper(): void {
  document.documentElement.style.colorScheme = "light";
  mixed.clear();
  for (const s of shown.values()) {
    if (!s.element.checkVisibility()) continue;
    sizes.unobserve(s.element);
    s.chart?.dispose();
    mix(s.option);
    s.chart = init(s.element, null, onPaper(s.element));
    s.chart.setOption({ ...worded(coloured(s.option, false) as Option), animation: false });
    s.chart.getZr().flush();
  }
}

function toScreen(): void {
  document.documentElement.style.colorScheme = "";
  mixed.clear();
  for (const s of shown.values()) {
    s.chart?.dispose();
    delete s.chart;
    near.observe(s.element);
  }
}

function redraw(): void {
  mixed.clear();
  for (const s of shown.values()) draw(s);
}

/** draw draws a chart anew; what it is when it begins is drawn with the next frame. */
function draw(s: Shown, begins?: "axes" | "all"): void {
  if (begins === "all") s.whole = true;
  if (!s.chart || (!s.whole && !begins)) return;
  mix(s.option);
  const option = worded(coloured(s.option, false) as Option);
  if (begins || still.matches) option["animation"] = false;
  s.tight = s.element.clientWidth < roomForNotes;
  if (s.tight) {
    withoutNotes(option);
    endsInside(option);
  }
  const narrow = narrowTints(option as Option, s.element.clientWidth);
  for (const label of narrow) label["formatter"] = label["short"] as string;
  s.short = narrow.length;
  s.element.dataset["short"] = narrow.map((label) => label["short"]).join();
  // ECharts merges a series with what it was: a mark that it has no longer would stay.
  option["series"] = (option["series"] as Option[]).map((series) => ({ ...unmarked, ...series }));
  if (begins === "axes") option["series"] = [];
  s.chart.setOption(option, { replaceMerge: ["series"], lazyUpdate: begins !== undefined });
}

const unmarked = { markArea: { data: [] }, markLine: { data: [] }, endLabel: { show: false } };

// A chart that is narrower than this, in pixels, has no room for texts above it beside those of its own bars: the notes
// stand in the list under it. Of a bar that is cut off it has the amount alone.
const roomForNotes = 560;

function withoutNotes(option: Record<string, unknown>): void {
  for (const series of option["series"] as Option[]) {
    const line = series["markLine"] as Option | undefined;
    if (line) line["label"] = { ...(line["label"] as Option), show: false };
    for (const point of series["data"] as Option[]) {
      const label = point?.["label"] as Option | undefined;
      if (!label) continue;
      if (series["id"] === "before") delete point["label"];
      else if (label["short"]) point["label"] = { ...label, formatter: label["short"] };
    }
  }
}

/** narrowTints returns the labels of tints that are narrower than their words: these would cross the lines beside them. */
function narrowTints(option: Option, width: number): Option[] {
  const minutes = ([option["xAxis"]].flat()[0] as Option)["data"] as JSONValue[] | undefined; // a chart of nothing has none
  const letter = 6.5; // the width of one, on average
  return [option["series"]].flat().flatMap((series) => {
    const area = (series as Option)["markArea"] as Option | undefined;
    const label = area?.["label"] as Option | undefined;
    if (!label?.["short"]) return [];
    const [from, to] = (area?.["data"] as Option[][])[0] as [Option, Option];
    const room = ((Number(to["xAxis"]) - Number(from["xAxis"])) / (minutes?.length ?? 1)) * width;
    return room < letter * String(label["formatter"]).length ? [label] : [];
  });
}

/** endsInside has the text under the last bar end with it: under its middle, it would be cut off at the edge of a narrow chart. */
function endsInside(option: Record<string, unknown>): void {
  for (const axis of [option["xAxis"]].flat() as Option[]) {
    const label = axis["axisLabel"] as Option;
    const last = ((axis["data"] as JSONValue[] | undefined)?.length ?? 0) - 1; // a chart of nothing has none
    const every = Number(label["interval"] ?? 0) + 1;
    const marks = label["customValues"] as number[] | undefined;
    if (marks ? marks.at(-1) === last : last % every === 0) label["alignMaxLabel"] = "right";
  }
}

let numbers: Intl.NumberFormat | undefined;

function inWords(n: number): string {
  numbers ??= new Intl.NumberFormat(document.documentElement.lang);
  return numbers.format(n);
}

/** worded has the numbers beside each axis in the page's language: all else comes as text. */
function worded(option: Option): Record<string, unknown> {
  const axes = option["yAxis"] as Option | Option[];
  const one = (axis: Option) => ({ ...axis, axisLabel: { ...(axis["axisLabel"] as Option), formatter: inWords } });
  return { ...option, yAxis: Array.isArray(axes) ? axes.map(one) : one(axes) };
}

/** coloured copies an option with every "@name" of a colour replaced by the property --name. */
function coloured(value: JSONValue, isColour: boolean): JSONValue {
  if (typeof value === "string") return isColour && value.startsWith("@") ? colour(value.slice(1)) : value;
  if (Array.isArray(value)) return value.map((v) => coloured(v, isColour));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, coloured(v, /color$/i.test(k))]));
}

const mixed = new Map<string, string>(); // what a property comes to: var(), light-dark() and all

/** mix reckons all colours of an option that are not known yet with one look at the styles. */
function mix(option: Option): void {
  const names = new Set(Array.from(JSON.stringify(option).matchAll(/"@([\w-]+)"/g), ([, name]) => name as string));
  const swatches = document.createElement("span");
  swatches.hidden = true;
  for (const name of names) {
    if (mixed.has(name)) continue;
    const swatch = document.createElement("i");
    swatch.style.color = `var(--${name})`;
    swatch.title = name;
    swatches.append(swatch);
  }
  if (!swatches.firstChild) return;
  document.documentElement.append(swatches);
  for (const swatch of swatches.children) mixed.set((swatch as HTMLElement).title, getComputedStyle(swatch).color);
  swatches.remove();
}

function colour(name: string): string {
  return mixed.get(name) ?? "";
}
