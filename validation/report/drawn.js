// SPDX-License-Identifier: BSD-3-Clause
// Put into a page by drawn_figures: tells of each figure, in an element "drawn", where its axis
// ends, how many intervals end in an arrowhead there, what its caption says, what stands in its
// legend, and which traces are seen after a click on the first item.
"use strict";
(() => {
  // Whether something is drawn within these pixels; axes are grey, marks are not.
  function isDrawn(chart, left, top, width, height) {
    const ratio = chart.currentDevicePixelRatio;
    const { data } = chart.ctx.getImageData(left * ratio, top * ratio, width * ratio,
      height * ratio);
    for (let i = 0; i < data.length; i += 4) {
      const pixel = data.slice(i, i + 3);
      if (data[i + 3] > 60 && Math.max(...pixel) - Math.min(...pixel) > 40) return true;
    }
    return false;
  }

  // Beside the bar, below its end at the axis's: a cap lies above that, a bar between both.
  function hasArrow(chart, point) {
    const x = Math.round(chart.scales.x.getPixelForValue(point.x)), y = chart.chartArea.top + 2;
    return isDrawn(chart, x - 4, y, 2, 5) && isDrawn(chart, x + 2, y, 2, 5);
  }

  function seenAfterClick(chart) {
    const { legend } = chart;
    chart.options.plugins.legend.onClick({}, legend.legendItems[0], legend);
    return chart.data.datasets.map((_, i) => chart.isDatasetVisible(i));
  }

  function tell(plot) {
    const chart = window.Chart.getChart(plot.querySelector("canvas"));
    const points = chart.data.datasets.flatMap((set) => set.data);
    return {
      most: chart.scales.y.max,
      arrows: points.filter((point) => point.high != null && hasArrow(chart, point)).length,
      caption: plot.closest("figure").querySelector("figcaption").textContent,
      legend: chart.legend.legendItems.map(({ text, pointStyle }) => [text, pointStyle]),
      seen: seenAfterClick(chart),
    };
  }

  window.setTimeout(() => {
    const result = document.createElement("pre");
    result.id = "drawn";
    result.textContent = JSON.stringify([...document.querySelectorAll(".plot")].map(tell));
    document.body.append(result);
  }, 300);
})();
