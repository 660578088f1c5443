import { BarChart } from "echarts/charts";
import { GridComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { Html } from "./html.ts";

export interface Series {
  name: string;
  /** One of the page's colours, as a variable of its style. */
  colour: string;
  /** The chart above shows the many, the one below the few. */
  isBelow: boolean;
  counts: readonly number[];
}

export interface BarRequest {
  labels: readonly string[];
  series: readonly Series[];
  width: number;
}

const MARGIN = { left: 44, right: 6 };
const ABOVE = { top: 10, height: 120 };
const BELOW = { top: 156, height: 70 };
const HEIGHT = 252;

/** Stacked bars over time, drawn now, since the page contains no program. */
export function drawBars({ labels, series, width }: BarRequest): Html {
  use([BarChart, GridComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height: HEIGHT });
  const longest = Math.max(...labels.map((label) => label.length)) * LETTER + GAP;
  const step = Math.max(1, Math.ceil((labels.length * longest) / (width - MARGIN.left)));
  const hidden = { show: false };
  const axis = (gridIndex: number) => ({
    gridIndex,
    type: "category" as const,
    data: [...labels],
    axisTick: hidden,
    axisLine: { lineStyle: { color: "var(--line)" } },
    axisLabel: { show: gridIndex === 1, color: "var(--muted)", fontSize: 12, interval: step - 1 },
  });
  const values = (gridIndex: number) => ({
    gridIndex,
    type: "value" as const,
    minInterval: 1,
    splitNumber: gridIndex === 0 ? 4 : 2,
    axisLabel: { color: "var(--muted)", fontSize: 12 },
    splitLine: { lineStyle: { color: "var(--line)" } },
  });
  chart.setOption({
    animation: false,
    grid: [
      { ...MARGIN, ...ABOVE },
      { ...MARGIN, ...BELOW },
    ],
    xAxis: [axis(0), axis(1)],
    yAxis: [values(0), values(1)],
    series: series.map(({ name, colour, isBelow, counts }) => ({
      name,
      type: "bar" as const,
      stack: isBelow ? "below" : "above",
      xAxisIndex: isBelow ? 1 : 0,
      yAxisIndex: isBelow ? 1 : 0,
      color: `var(--${colour})`,
      barCategoryGap: "20%",
      silent: true,
      emphasis: { disabled: true },
      data: [...counts],
    })),
  });
  const drawn = chart.renderToSVGString({ useViewBox: true });
  chart.dispose();
  return new Html(plain(drawn));
}

/** The pixels that a letter of a label needs, and the gap between labels. */
const LETTER = 7;
const GAP = 18;

/** The page's policy forbids style attributes, and nothing here reacts to a pointer. */
function plain(svg: string): string {
  return svg
    .replace(/<style\b.*?<\/style>/gsu, "")
    .replaceAll(/ (?:style|class|ecmeta_\w+|pointer-events|xmlns(?::\w+)?|version|baseProfile)="[^"]*"/gu, "");
}
