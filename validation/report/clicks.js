// SPDX-License-Identifier: BSD-3-Clause
// Put into a copy of a report's page by every_record: goes to every section, opens every fold, and
// looks whether each figure has drawn something; what was wrong goes into an element "clicked".
"use strict";
(() => {
  const wrong = [];
  window.addEventListener("error", (event) => wrong.push(`error: ${event.message}`));

  // Pixels that are neither clear nor grey: marks are coloured, axes and texts are not.
  function colouredPixels(canvas) {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      const most = Math.max(data[i], data[i + 1], data[i + 2]);
      const least = Math.min(data[i], data[i + 1], data[i + 2]);
      if (data[i + 3] > 100 && most - least > 60) count += 1;
    }
    return count;
  }

  // Charts draw their sets from the last to the first; a wide curve above a thin one hides it.
  function hidesCurves(canvas) {
    const chart = window.Chart.getChart(canvas);
    const widths = chart.getSortedVisibleDatasetMetas()
      .map((meta) => chart.data.datasets[meta.index].borderWidth);
    return widths.some((width, i) => Math.max(...widths.slice(0, i)) > Math.max(width, 4));
  }

  function look() {
    const bar = document.querySelector("nav").getBoundingClientRect().height;
    const links = [...document.querySelectorAll("nav a")];
    for (const link of links) {
      link.click();
      document.querySelector(link.hash).scrollIntoView();
      const heading = document.querySelector(`${link.hash} h2`).getBoundingClientRect();
      if (heading.top < bar - 1) wrong.push(`${link.hash}: heading under the bar: ${heading.top}`);
      if (heading.height < 10) wrong.push(`${link.hash}: no heading to be seen`);
    }
    for (const fold of document.querySelectorAll("details")) fold.open = true;
    for (const table of document.querySelectorAll(".scroll")) {
      const box = table.getBoundingClientRect();
      if (box.right > window.innerWidth + 1) wrong.push(`a table ends at ${box.right}`);
    }
    if (document.documentElement.scrollWidth > window.innerWidth + 1) {
      wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    }
    const plots = [...document.querySelectorAll(".plot")];
    for (const round of ["light", "dark"]) {
      for (const plot of plots) {
        const canvas = plot.querySelector("canvas");
        if (!canvas || colouredPixels(canvas) < 20) {
          wrong.push(`${round}: nothing drawn in '${plot.getAttribute("aria-label")}'`);
        } else if (hidesCurves(canvas)) {
          wrong.push(`a wide curve hides others in '${plot.getAttribute("aria-label")}'`);
        }
      }
      document.getElementById("theme").click();
    }
    const result = document.createElement("pre");
    result.id = "clicked";
    result.textContent = JSON.stringify({ wrong, sections: links.length, figures: plots.length });
    document.body.append(result);
  }
  window.setTimeout(look, 300);
})();
