// The tree of scores: each line is a button that opens it, its numbers, and a native range input for its weight.
function render({ model, el }) {
  el.classList.add("tk-tree");
  el.setAttribute("data-lm-suppress-shortcuts", "true"); // JupyterLab would take the arrow keys for itself
  const key = Math.random().toString(36).slice(2);
  const lines = new Map();
  let held = "";
  let frame = 0;
  let built = "";
  const make = (tag, name = "", text = "") =>
    Object.assign(document.createElement(tag), { className: name, textContent: text });

  const turn = (line, open) => {
    line.button.setAttribute("aria-expanded", `${open}`);
    line.inside.hidden = !open;
  };
  const paint = (input) => {
    input.style.setProperty("--tk-fill", `${(100 * input.value) / Math.max(1, input.max)}%`);
  };
  const move = (id, input) => {
    held = id;
    paint(input);
    model.set("held", id);
    model.set("places", { ...model.get("places"), [id]: Number(input.value) });
  };
  const send = () => {
    frame = 0;
    model.save_changes();
  };
  const letGo = () => {
    held = "";
    if (frame) cancelAnimationFrame(frame);
    model.set("released", model.get("released") + 1);
    send();
  };

  const grow = (row) => {
    const line = { item: make("li", `tk-node tk-${row.level}`), button: make("button", "tk-open"), list: make("ul") };
    line.name = make("span", "tk-name", row.name);
    line.status = make("span", "tk-state-of");
    line.button.type = "button";
    line.button.append(line.name, " ", line.status);
    line.number = make("b");
    line.meter = make("i");
    const score = make("span", "tk-score");
    const bar = make("span", "tk-meter");
    bar.setAttribute("aria-hidden", "true");
    bar.append(line.meter);
    score.append(line.number, bar);
    line.raw = make("span", "tk-raw");
    line.input = Object.assign(make("input"), { type: "range", min: 0, step: 1 });
    line.input.setAttribute("aria-label", row.weight);
    line.share = make("output");
    const weight = make("div", `tk-weight tk-weight-${row.id.replaceAll("/", "-")}`);
    weight.append(line.input, line.share);
    const head = make("div", "tk-line");
    head.append(line.button, score, line.raw, weight);
    line.inside = Object.assign(make("div", "tk-inside"), { id: `tk-${key}-${row.id}` });
    line.button.setAttribute("aria-controls", line.inside.id);
    line.about = make("dl");
    line.inside.append(line.about, line.list);
    line.item.append(head, line.inside);
    line.button.addEventListener("click", () => turn(line, line.inside.hidden));
    line.input.addEventListener("input", () => {
      move(row.id, line.input);
      if (!frame) frame = requestAnimationFrame(send);
    });
    line.input.addEventListener("change", () => {
      move(row.id, line.input);
      letGo();
    });
    turn(line, false);
    return line;
  };
  const build = () => {
    const rows = model.get("rows");
    const top = make("ul", "tk-top");
    lines.clear();
    for (const row of rows) {
      const line = grow(row);
      lines.set(row.id, line);
      (lines.get(row.parent)?.list ?? top).append(line.item);
    }
    const heads = make("div", "tk-line tk-heads");
    heads.setAttribute("aria-hidden", "true");
    const words = model.get("words");
    const titles = [words.heads, words.score, words.raw, words.share];
    heads.append(...titles.map((title) => make("span", "", title)));
    const all = make("div", "tk-all");
    for (const [text, open] of [[words.open, true], [words.close, false]]) {
      const button = Object.assign(make("button", "jupyter-button", text), { type: "button" });
      button.addEventListener("click", () => lines.forEach((line) => turn(line, open)));
      all.append(button);
    }
    const box = make("div", "tk-scroll");
    box.append(heads, top);
    el.replaceChildren(...(rows.length ? [all, box] : []));
  };
  const say = (line, about) => {
    const english = model.get("english");
    const said = JSON.stringify(about);
    if (said === line.said) return;
    line.said = said;
    line.about.replaceChildren(...about.flatMap(([name, text]) => {
      const lang = english.includes(name) ? "en" : ""; // formulas and sources are the library's
      return [make("dt", "", name), Object.assign(make("dd", "", text), lang ? { lang } : {})];
    }));
  };
  const fill = () => {
    const values = model.get("values");
    for (const row of model.get("rows")) {
      const line = lines.get(row.id);
      const value = values[row.id];
      if (!line || !value) continue;
      line.number.textContent = value.score;
      line.meter.style.width = `${100 * (value.part ?? 0)}%`;
      line.meter.parentElement.classList.toggle("tk-none", value.part === null);
      line.raw.textContent = value.raw;
      line.status.textContent = value.status;
      line.share.textContent = value.share;
      line.input.setAttribute("aria-valuetext", value.share);
      say(line, row.about ?? value.about);
    }
  };
  const place = () => {
    const places = model.get("places");
    for (const row of model.get("rows")) {
      const line = lines.get(row.id);
      if (!line || row.id === held) continue;
      line.input.max = row.stops - 1;
      line.input.value = places[row.id] ?? 0;
      paint(line.input);
    }
  };
  const follow = () => {
    const names = JSON.stringify(model.get("rows").map((row) => [row.id, row.parent, row.name]));
    if (names !== built) build();
    built = names;
    fill();
    place();
  };
  model.on("change:rows", follow);
  model.on("change:values", fill);
  model.on("change:places", place);
  follow();
}
export default { render };
