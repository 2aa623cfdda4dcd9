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

/** bundle builds the files and names their results in the manifest. */
async function bundle(entryPoints, plugins) {
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
    // The charts' script is used nearly all at once: a browser that reads this compiles it beside the page's own thread.
    banner: { js: entryPoints[0] === "src/charts.ts" ? "//# allFunctionsCalledOnLoad" : "" },
    legalComments: "none", // the licences are a file of their own, below
    metafile: true,
    logLevel: "info",
  });
  for (const [output, { entryPoint, inputs }] of Object.entries(metafile.outputs)) {
    const source = path.basename(entryPoint ?? Object.keys(inputs)[0]);
    manifest[source.replace(/\.ts$/, ".js")] = path.basename(output);
  }
}

// The charts' script is a file of its own, which app.ts imports when a page has a chart.
// (With esbuild's own splitting, every page would first fetch a third file of helpers.)
await bundle(["src/charts.ts"], []);
const charts = {
  name: "charts",
  setup: (b) => b.onResolve({ filter: /^\.\/charts$/ }, () => ({ path: `./${manifest["charts.js"]}`, external: true })),
};

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
await bundle(["src/app.ts", "src/service.ts", "src/push.ts", "src/app.css", "src/print.css", "src/wall.css"], [charts, wallFont]);

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
