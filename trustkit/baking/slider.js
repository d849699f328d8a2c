const sliders = [...document.querySelectorAll("input[type=range]")];

function show() {
  let at = 0;
  for (const slider of sliders) {
    const labels = JSON.parse(slider.dataset.labels);
    const label = labels[Number(slider.value)];
    at = at * labels.length + Number(slider.value);
    slider.setAttribute("aria-valuetext", label);
    slider.labels[0].querySelector("output").textContent = label;
  }
  const frame = document.getElementById("frame-" + at).content.firstElementChild.cloneNode(true);
  document.getElementById("say").textContent = frame.dataset.say;
  document.getElementById("frame").replaceChildren(frame);
  document.querySelector("tr[aria-current]").removeAttribute("aria-current");
  document.querySelectorAll("tbody tr")[at].setAttribute("aria-current", "true");
}

sliders.forEach((slider) => slider.addEventListener("input", show));
document.getElementById("still").remove();
show();
