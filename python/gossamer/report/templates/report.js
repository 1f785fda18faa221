"use strict";
// Draws the figures, and lets a reader choose what they show. Everything it needs is in the page.
(async () => {
  const root = document.documentElement;
  const $ = id => document.getElementById(id);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // ---- tables: a click on a heading sorts by it
  for (const table of all("table.sortable")) {
    const body = table.tBodies[0];
    const heads = all("thead th[data-column]", table);
    const key = (row, column) => {
      const cell = row.cells[column];
      const shown = cell.dataset.value ?? cell.textContent.trim();
      return shown !== "" && !Number.isNaN(Number(shown)) ? Number(shown) : shown;
    };
    for (const head of heads) head.querySelector("button").addEventListener("click", () => {
      const column = Number(head.dataset.column);
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach(other => other.setAttribute("aria-sort", other === head ? (up ? "ascending" : "descending") : "none"));
      const order = (a, b) => {
        const [x, y] = [key(a, column), key(b, column)];
        const both = typeof x === "number" && typeof y === "number";
        if (!both && typeof x !== typeof y) return typeof x === "number" ? -1 : 1; // what has no number comes last
        return (up ? 1 : -1) * (both ? x - y : String(x).localeCompare(String(y), "en", { numeric: true }));
      };
      body.append(...[...body.rows].sort(order));
    });
  }

  // ---- the words beside the pointer
  const tip = $("tip");
  const show = (event, value) => {
    if (!value) { tip.hidden = true; return; }
    tip.replaceChildren(...Object.entries(value).map(([name, text]) => {
      const line = document.createElement("div");
      for (const word of [name, text]) line.append(Object.assign(document.createElement("span"), { textContent: word }));
      return line;
    }));
    tip.hidden = false;
    const place = event.touches?.[0] ?? event;
    const box = tip.getBoundingClientRect();
    const x = place.clientX + 14 + box.width > innerWidth ? place.clientX - 14 - box.width : place.clientX + 14;
    const y = place.clientY + 14 + box.height > innerHeight ? place.clientY - 14 - box.height : place.clientY + 14;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  };
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

  if (!$("theme")) { root.dataset.drawn = "0"; return; } // no figures

  // ---- figures
  const fail = problem => {
    $("trouble").textContent = `The plots could not be drawn: ${problem.message ?? problem}. ` +
      "gossamer report with --plots png,svg,pdf writes them as images.";
    $("trouble").hidden = false;
    root.dataset.failed = String(problem.message ?? problem);
  };
  const unpack = async id => {
    if (!("DecompressionStream" in window)) throw new Error("this browser is older than 2023 and cannot unpack them");
    const bytes = Uint8Array.from(atob($(id).textContent), letter => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  };
  const views = new Map();
  const chosen = { only: "", point: $("point")?.value ?? "" };
  const lists = all("select[data-figure]");

  const known = new Map(); // the signals of each figure
  const set = (name, signal, value) => { if (known.get(name).has(signal)) views.get(name).signal(signal, value); };
  const adjust = name => {
    const isolates = document.querySelector(`[data-plot="${name}"]`).hasAttribute("data-isolates");
    set(name, "only", isolates ? chosen.only : "");
    if (chosen.point) set(name, "point", chosen.point);
    for (const list of lists) if (list.dataset.figure === name) set(name, list.dataset.signal, list.value);
    return views.get(name);
  };
  const refresh = () => { for (const name of views.keys()) adjust(name).runAsync(); };

  try {
    const code = document.createElement("script");
    code.textContent = `(() => {${await unpack("vega")}})();`;
    document.head.append(code);
    const packed = JSON.parse(await unpack("figures"));
    for (const source of Object.values(packed.figures).flatMap(figure => figure.data).filter(each => each.columns)) {
      const columns = Object.entries(source.columns);
      source.values = columns[0][1].map((_, row) => Object.fromEntries(columns.map(([name, list]) => [name, list[row]])));
      delete source.columns;
    }

    const make = (name, theme) => {
      const place = document.querySelector(`[data-plot="${name}"]`);
      views.get(name)?.finalize();
      place.replaceChildren();
      const view = new vega.View(vega.parse(packed.figures[name], packed.themes[theme].config), {
        renderer: "svg", container: place, hover: true, logLevel: 1,
        tooltip: (_, event, __, value) => show(event, value),
      });
      view.addEventListener("pointerdown", (event, item) => show(event, item?.tooltip)); // fingers do not hover
      views.set(name, view);
      known.set(name, new Set((packed.figures[name].signals ?? []).map(signal => signal.name)));
      for (const [signal, value] of Object.entries(packed.themes[theme].signals)) set(name, signal, value);
      return adjust(name);
    };
    const names = Object.keys(packed.figures);
    const draw = async () => { for (const name of names) await make(name, root.dataset.theme).runAsync(); };

    // ---- light and dark
    const dress = theme => { root.dataset.theme = theme; return draw(); };
    $("theme").addEventListener("click", () => {
      const other = root.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("gossamer-theme", other); } catch { /* not kept, then */ }
      dress(other).catch(fail);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", change => {
      let kept = null;
      try { kept = localStorage.getItem("gossamer-theme"); } catch { /* none kept */ }
      if (!kept) dress(change.matches ? "dark" : "light").catch(fail);
    });
    let screen = null;
    addEventListener("beforeprint", () => {
      screen = root.dataset.theme;
      root.dataset.theme = "light";
      for (const name of names) make(name, "light").run();
    });
    addEventListener("afterprint", () => { if (screen) dress(screen).catch(fail); });

    // ---- one label alone; one swept point; one class of links
    const chips = all("button.chip");
    for (const chip of chips) chip.addEventListener("click", () => {
      chosen.only = chosen.only === chip.dataset.label ? "" : chip.dataset.label;
      for (const other of chips) other.setAttribute("aria-pressed", String(other.dataset.label === chosen.only));
      for (const list of lists) if (list.dataset.signal === "label" && chosen.only) list.value = chosen.only;
      refresh();
    });
    $("point")?.addEventListener("change", event => { chosen.point = event.target.value; refresh(); });
    for (const list of lists) list.addEventListener("change", refresh);

    // ---- a figure as a file
    const save = (name, form, content) => {
      const link = Object.assign(document.createElement("a"), { href: content, download: `${name}.${form}` });
      document.body.append(link);
      link.click();
      link.remove();
    };
    const blob = (text, kind) => URL.createObjectURL(new Blob([text], { type: kind }));
    const cell = value => {
      const text = value === null || value === undefined ? "" : String(value);
      return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    };
    // The rows that the marks of a figure are drawn from, as far as they are chosen: without columns that serve the drawing.
    const numbers = name => {
      const sources = packed.figures[name].data.filter(source => source.values);
      const rows = sources.reduce((most, source) => (source.values.length > most.length ? source.values : most), []);
      const signals = [...known.get(name)].filter(signal => rows.length && signal in rows[0]);
      const kept = rows.filter(row => signals.every(signal => row[signal] === views.get(name).signal(signal)));
      const columns = Object.keys(rows[0] ?? {});
      return [columns, ...kept.map(row => columns.map(column => row[column]))].map(line => line.map(cell).join(",")).join("\r\n") + "\r\n";
    };
    for (const button of all("button[data-save]")) button.addEventListener("click", async () => {
      const { save: name, form } = button.dataset;
      try {
        const view = views.get(name);
        const paper = view.background();
        if (form === "csv") return save(name, form, blob(numbers(name), "text/csv"));
        await view.background(getComputedStyle(root).getPropertyValue("--paper").trim()).runAsync();
        const content = form === "svg" ? blob(await view.toSVG(), "image/svg+xml") : await view.toImageURL("png", 3);
        await view.background(paper).runAsync();
        save(name, form, content);
      } catch (problem) { fail(problem); }
    });

    await draw();
    root.dataset.drawn = String(names.length);
  } catch (problem) {
    fail(problem);
  }
})();
