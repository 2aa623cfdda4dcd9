// The first part of the charts' script: what all kinds of charts have in common. See build.mjs.

export { init, use } from "echarts/core";
export { CanvasRenderer } from "echarts/renderers";
