// The page around the app: the picture until the app is drawn, and a word when the connection or the kernel is lost.
// Voilà's own page says this in scripts inside the page; here the policy allows none.
const EVERY = 4000; // ms between looks at the kernel
const QUIET = 120; // ms without a change after which the app counts as drawn
const LATEST = 120_000; // ms after which it is shown as it is

// What Voilà's template leaves in the page: the kernel, and all sentences of this script, by language.
const told = () => JSON.parse(document.getElementById("jupyter-config-data")?.textContent || "{}");
const asked = new URLSearchParams(location.search);

function language() {
  const { sentences = {}, language: usual = "" } = told().trustkit ?? {};
  const wanted = asked.get("language")?.toLowerCase().split("-")[0];
  const codes = [document.querySelector(".tk-app")?.lang, wanted ? (wanted in sentences ? wanted : "en") : "", usual];
  return codes.find((code) => code && code in sentences) ?? "";
}

const say = (id) => told().trustkit?.sentences[language()]?.[id] ?? "";
const sockets = new Set();
let ended = false;

window.voila_heartbeat = () => {};
window.voila_process = () => {};
window.voila_finish = window.display_cells = () => {};

// Only the kernel's own socket tells at once that the connection is gone.
window.WebSocket = class extends WebSocket {
  constructor(...given) {
    super(...given);
    sockets.add(this);
    this.addEventListener("open", () => setTimeout(look, 200));
    this.addEventListener("close", () => {
      sockets.delete(this);
      setTimeout(look, 200);
    });
  }
};

function tell(id) {
  const notice = document.getElementById("tk-notice");
  if (!notice || notice.dataset.says === id) return;
  notice.dataset.says = id;
  notice.replaceChildren();
  document.body.classList.toggle("tk-lost", id !== "");
  if (id === "") return;
  const button = Object.assign(document.createElement("button"), { textContent: say("again") });
  button.addEventListener("click", () => location.reload());
  notice.append(say(id), " ", button);
}

async function look() {
  if (ended || document.hidden) return;
  const { baseUrl, kernelId } = told();
  if (!kernelId) return;
  try {
    const answer = await fetch(`${baseUrl}api/kernels/${kernelId}`, { cache: "no-store" });
    if (answer.status === 404) ended = true;
    const drawn = document.body.classList.contains("tk-ready"); // before that it is still to connect
    const connected = !drawn || [...sockets].some((socket) => socket.readyState === 1);
    if (answer.ok) tell(connected ? "" : "lost");
    else tell(ended ? "ended" : answer.status === 403 ? "refused" : "lost");
  } catch {
    tell("lost");
  }
}

function ready() {
  document.body.classList.add("tk-ready");
  document.getElementById("tk-picture")?.remove();
  document.getElementById("tk-loading")?.remove();
}

document.addEventListener("DOMContentLoaded", () => {
  document.documentElement.lang ||= language();
  document.getElementById("tk-loading").textContent = say("loading");
  const cells = document.getElementById("rendered_cells");
  let timer = 0;
  const seen = new MutationObserver(() => {
    if (!cells.querySelector(".tk-app .tk-view, .jp-RenderedText, .tk-failed")) return;
    clearTimeout(timer);
    timer = setTimeout(show, QUIET);
  });
  const show = () => {
    if (document.body.classList.contains("tk-ready")) return;
    seen.disconnect();
    clearTimeout(timer);
    ready();
  };
  seen.observe(cells, { subtree: true, childList: true });
  setTimeout(show, LATEST);
  setInterval(look, EVERY);
  for (const event of ["online", "offline", "pageshow"]) addEventListener(event, look);
  document.addEventListener("visibilitychange", look);
});

// The picture is of what everybody opens on; a link leads to another state or language, so it is not shown under one.
if (asked.has("s") || asked.has("language")) document.documentElement.classList.add("tk-linked");
