// Bundles src into dist: every file under a name with its content's hash, compressed
// copies beside the text files, and a manifest from the name at the source to the hashed
// one. The same sources always give the same bytes.

import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";
import subsetFont from "subset-font";

const root = import.meta.dirname;
const dist = path.join(root, "dist");

await mkdir(dist, { recursive: true });
for (const name of await readdir(dist)) {
  if (name !== ".gitkeep") await rm(path.join(dist, name), { recursive: true });
}

const manifest = {};

/** bundle builds the files, and names their results in the manifest; it returns what they are. */
async function bundle(entryPoints, plugins, more = {}) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    plugins,
    outdir: "dist",
    entryNames: "[name]-[hash]",
    assetNames: "[name]-[hash]",
    loader: { ".woff2": "file" },
    bundle: true,
    minify: true,
    // Sets that hang on walls have browsers of 2020: Samsung's Tizen 6.5 and LG's webOS 22.
    target: "chrome85",
    format: "esm",
    legalComments: "none", // the licences are a file of their own, below
    metafile: true,
    logLevel: "info",
    ...more,
  });
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    const source = path.basename(entryPoint ?? Object.keys(inputs)[0]);
    if (!more.splitting) manifest[source.replace(/\.ts$/, ".js")] = path.basename(output);
  }
  return metafile.outputs;
}

// The charts' script is two files, which app.ts imports one after the other when a page has a chart: evaluated at once,
// they would keep a phone busy for longer than a touch may wait. The first is what charts-core.ts has in common with
// charts.ts. They are used nearly whole: a browser that reads the banner compiles them beside the page's own thread.
const made = await bundle(["src/charts-core.ts", "src/charts.ts"], [], { splitting: true, chunkNames: "charts-[hash]", banner: { js: "//# allFunctionsCalledOnLoad" } });
const entry = (name) => Object.keys(made).find((output) => made[output].entryPoint === `src/${name}.ts`);
const [core] = made[entry("charts")].imports.map((i) => i.path);
if (Object.keys(made).length !== 3) throw new Error(`the charts' script is in other parts: ${Object.keys(made)}`);
await rm(path.join(root, entry("charts-core"))); // it only names what the other has
Object.assign(manifest, { "charts-core.js": path.basename(core), "charts.js": path.basename(entry("charts")) });
const chartParts = JSON.stringify(["charts-core.js", "charts.js"].map((name) => `./${manifest[name]}`));

// The font of walls is the part of Inter that fonts.css names for it.
const wallFont = {
  name: "wall font",
  setup: (b) => {
    b.onResolve({ filter: /^inter-wall\.woff2$/ }, ({ path: name, importer }) => ({ path: path.join(root, name), namespace: "wall-font", pluginData: importer }));
    b.onLoad({ filter: /.*/, namespace: "wall-font" }, async ({ path: file, pluginData }) => {
      const style = await readFile(pluginData, "utf8");
      const ranges = style.slice(style.indexOf(path.basename(file))).match(/unicode-range: ([^;]*);/)[1];
      let text = "";
      for (const [, first, last = first] of ranges.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)) {
        for (let c = parseInt(first, 16); c <= parseInt(last, 16); c++) text += String.fromCodePoint(c);
      }
      const inter = await readFile(path.join(root, "node_modules/@fontsource-variable/inter/files/inter-latin-opsz-normal.woff2"));
      const contents = await subsetFont(inter, text, { targetFormat: "woff2", variationAxes: { opsz: 32, wght: { min: 400, max: 700 } } });
      return { contents, loader: "file" };
    });
  },
};
await bundle(["src/app.ts", "src/service.ts", "src/push.ts", "src/app.css", "src/print.css", "src/wall.css"], [wallFont], { define: { chartParts } });

// The licences ask to be handed on with what is bundled.
const packages = ["echarts", "echarts/licenses", "zrender", "tslib", "idiomorph", "@fontsource-variable/inter"];
let licences = "";
for (const name of packages) {
  const folder = path.join(root, "node_modules", name);
  for (const file of (await readdir(folder)).filter((f) => /^(licen[cs]e|notice)(\.|-|$)/i.test(f)).sort()) {
    licences += `${name}: ${file}\n\n${await readFile(path.join(folder, file), "utf8")}\n\n`;
  }
}
const licencesName = `licences-${createHash("sha256").update(licences).digest("hex").slice(0, 8)}.txt`;
await writeFile(path.join(dist, licencesName), licences);
manifest["licences.txt"] = licencesName;

for (const name of Object.values(manifest)) {
  if (!/\.(js|css|txt)$/.test(name)) continue; // fonts are compressed already
  const file = path.join(dist, name);
  const content = await readFile(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
  await writeFile(`${file}.br`, brotliCompressSync(content, { params }));
  await writeFile(`${file}.gz`, gzipSync(content, { level: 9 }));
}

const sorted = Object.fromEntries(Object.entries(manifest).sort(([a], [b]) => (a < b ? -1 : 1)));
await writeFile(path.join(dist, "manifest.json"), `${JSON.stringify(sorted, null, 2)}\n`);
