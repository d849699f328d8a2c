// A native range input with a linked label: keyboard, touch and screen readers work without further help.
function render({ model, el }) {
  const id = `tk-${Math.random().toString(36).slice(2)}`;
  el.classList.add("tk-slider");
  const label = Object.assign(document.createElement("label"), { htmlFor: id });
  const symbol = document.createElement("b");
  const name = document.createElement("span");
  label.append(symbol, " ", name);
  const value = Object.assign(document.createElement("output"), { htmlFor: id });
  const input = Object.assign(document.createElement("input"), { type: "range", id, min: 0, step: 1 });
  const hint = Object.assign(document.createElement("small"), { id: `${id}-hint` });
  input.setAttribute("aria-describedby", hint.id);
  // JupyterLab would take the arrow keys for itself; this tells it that the page's controls need them.
  input.setAttribute("data-lm-suppress-shortcuts", "true");
  requestAnimationFrame(() => el.closest(".tk-app")?.setAttribute("data-lm-suppress-shortcuts", "true"));
  const ticks = Object.assign(document.createElement("div"), { className: "tk-ticks" });
  ticks.setAttribute("aria-hidden", "true");
  el.replaceChildren(label, value, input, ticks, hint);

  let held = false;
  let frame = 0;
  let sent = 0;
  const show = (index) => {
    const texts = model.get("texts");
    value.textContent = texts[index] ?? "";
    input.setAttribute("aria-valuetext", `${texts[index] ?? ""}`);
    input.style.setProperty("--tk-fill", `${texts.length > 1 ? (100 * index) / (texts.length - 1) : 0}%`);
  };
  const mark = () => {
    const texts = model.get("texts");
    const places = model.get("marks").map((text) => [text, texts.indexOf(text)]).filter(([, at]) => at >= 0);
    ticks.replaceChildren(...places.map(([text, at]) => {
      const tick = Object.assign(document.createElement("span"), { textContent: String(Number(text)) });
      tick.style.setProperty("--tk-at", `${at / Math.max(1, texts.length - 1)}`);
      return tick;
    }));
  };
  const draw = () => {
    mark();
    symbol.textContent = model.get("symbol");
    name.textContent = model.get("label");
    hint.textContent = model.get("hint");
    const about = model.get("about");
    hint.classList.toggle("tk-tip", about !== "");
    hint.dataset.tip = about;
    hint.tabIndex = about === "" ? -1 : 0;
    input.max = model.get("texts").length - 1;
    input.disabled = !model.get("enabled");
    el.classList.toggle("tk-off", input.disabled);
    if (!held) {
      input.value = model.get("index");
      show(Number(input.value));
    }
  };
  const send = () => {
    frame = 0;
    sent = performance.now();
    model.set("index", Number(input.value));
    model.save_changes();
  };
  input.addEventListener("input", () => {
    held = true;
    show(Number(input.value));
    if (frame) return;
    if (performance.now() - sent > 16) send(); // the first move goes at once, quick ones together with the next frame
    else frame = requestAnimationFrame(send);
  });
  input.addEventListener("change", () => {
    held = false;
    if (frame) cancelAnimationFrame(frame);
    frame = 0;
    model.set("index", Number(input.value));
    model.set("released", model.get("released") + 1);
    model.save_changes();
  });
  for (const trait of ["symbol", "label", "hint", "about", "texts", "marks", "index", "enabled"]) model.on(`change:${trait}`, draw);
  draw();
}
export default { render };
