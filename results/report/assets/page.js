// SPDX-License-Identifier: BSD-3-Clause
// Draws the figures that the page carries as data, in the colours of the theme in force.
"use strict";
(() => {
  // Okabe and Ito's palette, which all common kinds of colour blindness tell apart; black (here
  // the neutral) and yellow are exchanged for greys and an ochre that show on both grounds.
  // Symbols differ too, so that nothing hangs on colour alone.
  const palettes = {
    light: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#7f3c8d", "#444b52"],
    dark: ["#4aa8e0", "#f08040", "#2fc79b", "#e29cc4", "#e0b040", "#8fd0f5", "#b98bd0", "#c3cad0"],
  };
  const symbols = ["circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down",
    "star"];

  const isDark = () => {
    const chosen = document.documentElement.dataset.theme;
    if (chosen) return chosen === "dark";
    return window.matchMedia("(prefers-color-scheme: dark)").matches;
  };

  const variable = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  function paint(trace) {
    const palette = palettes[isDark() ? "dark" : "light"];
    const painted = structuredClone(trace);
    const place = trace.shade % palette.length;
    const colour = trace.shade < 0 ? variable("--quiet") : palette[place];
    painted.marker = { color: colour, size: 7, ...painted.marker };
    if (trace.type === "scatter") {
      painted.line = { color: colour, width: 2, ...painted.line };
      painted.marker.symbol = symbols[Math.max(trace.shade + Math.floor(trace.shade / 8), 0) % 8];
    }
    if (painted.error_y) painted.error_y.color = colour;
    delete painted.shade;
    return painted;
  }

  function dress(layout) {
    const axis = {
      gridcolor: variable("--rule"), linecolor: variable("--rule"), zerolinecolor: variable("--rule"),
      automargin: true, title: { standoff: 12 }, ticks: "outside", tickcolor: variable("--rule"),
    };
    const dressAxis = (own = {}) => ({ ...axis, ...own, title: { ...axis.title, text: own.title } });
    return {
      height: 430, margin: { l: 60, r: 18, t: 26, b: 50 }, hovermode: "closest",
      modebar: {
        bgcolor: "rgba(0,0,0,0)", color: variable("--rule"), activecolor: variable("--accent"),
      },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: variable("--ink") },
      hoverlabel: { bgcolor: variable("--card"), font: { color: variable("--ink") } },
      bargap: 0.35, ...layout,
      legend: {
        orientation: "h", yanchor: "top", y: -0.22, x: 0, traceorder: "normal", ...layout.legend,
      },
      xaxis: dressAxis(layout.xaxis), yaxis: dressAxis(layout.yaxis),
    };
  }

  const figures = JSON.parse(document.getElementById("figures").textContent);
  const options = {
    responsive: true, displaylogo: false,
    modeBarButtonsToRemove: ["select2d", "lasso2d", "sendDataToCloud"],
  };

  function draw() {
    for (const place of document.querySelectorAll(".plot")) {
      const figure = figures[Number(place.dataset.figure)];
      Plotly.react(place, figure.data.map(paint), dress(figure.layout), options);
    }
  }

  document.getElementById("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    draw();
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
})();
