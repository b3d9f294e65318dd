// SPDX-License-Identifier: BSD-3-Clause
// Draws the figures that the page carries as data (results/report/figure.hpp) with Chart.js, in the
// colours of the theme in force.
"use strict";
(() => {
  // Okabe and Ito's palette, which all common kinds of colour blindness tell apart; black (here
  // the neutral) and yellow are exchanged for greys and an ochre that show on both grounds.
  // Symbols differ too, so that nothing hangs on colour alone.
  const palettes = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f3c8d", "#444b52"],
    dark: ["#4aa8e0", "#f08040", "#2fc79b", "#e29cc4", "#e0b040", "#8fd0f5", "#b98bd0", "#c3cad0"],
  };
  const symbols = ["circle", "rect", "rectRot", "triangle", "crossRot", "cross", "star",
    "rectRounded"];

  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    if (chosen) return chosen === "dark";
    return window.matchMedia("(prefers-color-scheme: dark)").matches;
  };

  const variable = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function colourOf(trace) {
    const palette = palettes[isDark() ? "dark" : "light"];
    return trace.shade < 0 ? variable("--quiet") : palette[trace.shade % palette.length];
  }

  function barSet(trace) {
    const { name, y, notes } = trace;
    return { label: name, data: y, notes, backgroundColor: colourOf(trace) };
  }

  function lineSet(trace) {
    const points = trace.x.map((x, i) => ({
      x, y: trace.y[i], low: trace.low?.[i], high: trace.high?.[i], note: trace.notes?.[i],
      hollow: trace.hollow?.[i] === true,
    })).filter((point) => point.x !== null && point.y !== null);
    const place = Math.max(trace.shade, 0);
    return {
      label: trace.name, data: points, hidden_in_legend: trace.hidden === true,
      borderColor: colourOf(trace), backgroundColor: colourOf(trace),
      pointBackgroundColor: points.map((point) => point.hollow ? variable("--card") : colourOf(trace)),
      order: -(trace.layer ?? 0), borderWidth: trace.width ?? 2,
      borderDash: trace.dashed || trace.dashes ? [6, 4] : [],
      showLine: trace.lines !== false, tension: 0,
      // The legend shows what is drawn: of a curve without points a line.
      pointStyle: trace.points === false ? "line"
        : symbols[(place + Math.floor(place / symbols.length)) % symbols.length],
      pointRadius: trace.points === false ? 0 : trace.lines === false ? 6 : 4,
      pointHoverRadius: 7, pointHitRadius: trace.points === false ? 4 : 8,
    };
  }

  const hasInterval = (point) => point?.low != null && point.high != null;

  // A cap at the end of an error bar, or an arrowhead where the axis ends before it.
  function drawEnd(ctx, x, value, axis) {
    const shown = Math.min(Math.max(value, axis.min), axis.max);
    const y = axis.getPixelForValue(shown), back = 6 * Math.sign(value - shown);
    ctx.moveTo(x - 3, y + back);
    ctx.lineTo(x, y);
    ctx.lineTo(x + 3, y + back);
    return y;
  }

  // An error bar from low to high at every point that has both.
  const errorBars = {
    id: "errorBars",
    afterDatasetDraw(chart, args) {
      const set = chart.data.datasets[args.index];
      const { ctx, scales } = chart;
      ctx.save();
      ctx.strokeStyle = set.borderColor;
      ctx.lineWidth = 1.2;
      ctx.beginPath();
      for (const point of set.data) {
        if (!hasInterval(point)) continue;
        const x = scales.x.getPixelForValue(point.x);
        const [low, high] = [point.low, point.high].map((y) => drawEnd(ctx, x, y, scales.y));
        ctx.moveTo(x, low);
        ctx.lineTo(x, high);
      }
      ctx.stroke();
      ctx.restore();
    },
  };

  // Says in the caption what arrowheads are, if there are any.
  function explainArrows(place, chart) {
    const { min, max } = chart.scales.y;
    const isCut = (point) => hasInterval(point) && (point.low < min || point.high > max);
    const caption = place.closest("figure").querySelector("figcaption");
    caption.querySelector(".arrows")?.remove();
    if (!chart.data.datasets.some((set) => set.data.some(isCut))) return;
    const remark = document.createElement("span");
    remark.className = "arrows";
    remark.textContent = " (arrow: the interval ends beyond the axis)";
    caption.append(remark);
  }

  // What an axis has to show: all values, and the ends of intervals that leave them half of what is
  // above the least of them, or below the greatest.
  function reach(traces, own) {
    const [scaled, unscaled] = own.log ? [Math.log, Math.exp] : [Number, Number];
    const drawn = (numbers) => numbers.filter((x) => x != null && (x > 0 || !own.log)).map(scaled);
    const values = drawn([...traces.flatMap((trace) => trace.y), ...(own.zero ? [0] : [])]);
    if (values.length === 0) return {};
    const least = Math.min(...values), most = Math.max(...values);
    const room = most > least ? most - least : Infinity;
    const intervals = traces.flatMap(({ low, high }) =>
      (low ?? []).map((end, i) => ({ low: end, high: high[i] })));
    const ends = drawn(intervals.filter(hasInterval).flatMap(({ low, high }) => [low, high]))
      .filter((end) => end >= least - room && end <= most + room);
    return { suggestedMin: unscaled(Math.min(least, ...ends)),
      suggestedMax: unscaled(Math.max(most, ...ends)) };
  }

  const plainNumber = (value) =>
    value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
      ? value.toExponential().replace("+", "") : value.toLocaleString("en").replaceAll(",", " ");

  function axis(own = {}, extra = {}) {
    const dressed = {
      type: own.log ? "logarithmic" : "linear",
      title: { display: Boolean(own.title), text: own.title, color: variable("--quiet") },
      grid: { color: variable("--rule"), borderColor: variable("--rule") },
      ticks: { color: variable("--ink"), maxRotation: 0, autoSkipPadding: 10,
        callback: plainNumber },
      min: own.zero ? 0 : undefined, max: own.max, ...bounds(own), ...extra,
    };
    if (!own.ticks?.length) return dressed;
    dressed.afterBuildTicks = (scale) => {
      scale.ticks = own.ticks.map((tick) => ({ value: tick.at }))
        .filter(({ value }) => value >= scale.min && value <= scale.max * (1 + 1e-9));
    };
    const texts = new Map(own.ticks.map((tick) => [tick.at, tick.text]));
    dressed.ticks.callback = (value) => texts.get(value) ?? "";
    return dressed;
  }

  // Decades are drawn from one to the next; sizes and counts with a little room on both sides.
  function bounds(own) {
    const places = (own.ticks ?? []).map((tick) => tick.at);
    if (!own.log || places.length === 0) return {};
    if (!own.room) return { min: places[0], max: places.at(-1) };
    return { min: places[0] / 1.3, suggestedMax: places.at(-1) * 1.3 };
  }

  function noteOf(context) {
    const set = context.dataset;
    if (set.notes) return set.notes[context.dataIndex];
    const point = context.raw;
    if (point?.note) return point.note;
    const digits = (value) => Number(value).toPrecision(4).replace(/\.?0+$/, "");
    if (typeof point === "number") return `${set.label}: ${digits(point)}`;
    return `${set.label}: ${digits(point.y)} at ${digits(point.x)}`;
  }

  // Beside the plot a legend is cut off where names are long, at the end in which they differ.
  function legendPlace(traces, place, bars) {
    const longest = Math.max(...traces.map((trace) => trace.name?.length ?? 0));
    return place.clientWidth > 800 && !bars && longest <= 36 ? "right" : "bottom";
  }

  // Of a bar's name, which would be cut off at its beginning.
  function inLines(text) {
    const most = 44, lines = [""];
    for (const part of text.split(/(?<=, )/)) {
      if (lines.at(-1) && lines.at(-1).length + part.length > most) lines.push("");
      lines[lines.length - 1] += part;
    }
    return lines;
  }

  // Shows or hides what the legend's item stands for: also the traces of its name that have none.
  function toggle(event, item, legend) {
    const { chart } = legend, visible = chart.isDatasetVisible(item.datasetIndex);
    chart.data.datasets.forEach((set, i) => {
      if (set.label === item.text) chart.setDatasetVisibility(i, !visible);
    });
    chart.update();
  }

  function optionsFor(layout, place, traces) {
    const bars = Boolean(layout.labels);
    const names = { type: "category", stacked: layout.stacked, grid: { display: false },
      ticks: { color: variable("--ink"), autoSkip: false,
        callback: (index) => inLines(layout.labels[index]) } };
    // Bars begin at zero, or their lengths would lie; steps, layers and rounds are whole numbers.
    const values = bars
      ? axis({ ...layout.y, zero: true }, { stacked: layout.stacked })
      : axis(layout.y, reach(traces, layout.y));
    const across = axis(layout.x, { bounds: "data" });
    if (!layout.x?.log) across.ticks.precision = 0;
    const scales = !bars ? { x: across, y: values }
      : layout.horizontal ? { y: names, x: values } : { x: names, y: values };
    return {
      animation: false, responsive: true, maintainAspectRatio: false,
      indexAxis: layout.horizontal ? "y" : "x", scales,
      interaction: { mode: bars ? "nearest" : "point", intersect: true },
      plugins: {
        legend: {
          position: legendPlace(traces, place, bars), align: "start", onClick: toggle,
          labels: {
            usePointStyle: true, boxHeight: 7, color: variable("--ink"), padding: 9,
            filter: (item, data) => !data.datasets[item.datasetIndex].hidden_in_legend,
            sort: (one, other) => one.datasetIndex - other.datasetIndex,
          },
        },
        tooltip: {
          backgroundColor: variable("--card"), borderColor: variable("--rule"), borderWidth: 1,
          titleColor: variable("--quiet"), bodyColor: variable("--ink"), padding: 9,
          callbacks: { title: () => "", label: noteOf },
        },
      },
    };
  }

  const figures = JSON.parse(document.getElementById("figures").textContent);
  const charts = new Map();

  function draw() {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.font.size = 12.5;
    for (const place of document.querySelectorAll(".plot")) {
      const { traces, layout } = figures[Number(place.dataset.figure)];
      charts.get(place)?.destroy();
      place.style.height = `${layout.height ?? 420}px`;
      const canvas = document.createElement("canvas");
      place.replaceChildren(canvas);
      const chart = new Chart(canvas, {
        type: layout.labels ? "bar" : "scatter",
        data: { labels: layout.labels, datasets: traces.map(layout.labels ? barSet : lineSet) },
        options: optionsFor(layout, place, traces),
        plugins: layout.labels ? [] : [errorBars],
      });
      charts.set(place, chart);
      if (!layout.labels) explainArrows(place, chart);
    }
  }

  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    draw();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
