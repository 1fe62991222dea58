
"use strict";
(() => {
  const main = document.querySelector("main");
  const svg = main.querySelector("svg");
  const [width, height] = svg.getAttribute("viewBox").split(" ").slice(2).map(Number);
  // What is seen: the left upper corner and the width, in the drawing's units.
  let view;

  const ratio = () => main.clientHeight / main.clientWidth;
  const show = () => {
    svg.setAttribute("viewBox", [view.x, view.y, view.width, view.width * ratio()].join(" "));
  };
  const whole = () => {
    const wide = Math.max(width, height / ratio());
    view = { x: (width - wide) / 2, y: (height - wide * ratio()) / 2, width: wide };
    show();
  };
  // The point under the mouse stays where it is.
  const zoom = (factor, x = 0.5, y = 0.5) => {
    const wide = Math.min(Math.max(view.width * factor, 50), 20 * Math.max(width, height));
    view.x += (view.width - wide) * x;
    view.y += (view.width - wide) * ratio() * y;
    view.width = wide;
    show();
  };
  const look = (box) => {
    const place = box.getBBox();
    const wide = Math.max(place.width * 4, 600);
    view = {
      x: place.x + place.width / 2 - wide / 2,
      y: place.y + place.height / 2 - (wide * ratio()) / 2,
      width: wide,
    };
    show();
  };

  document.body.classList.add("script");
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  main.addEventListener("wheel", (event) => {
    event.preventDefault();
    const frame = main.getBoundingClientRect();
    zoom(
      event.deltaY < 0 ? 0.85 : 1 / 0.85,
      (event.clientX - frame.left) / frame.width,
      (event.clientY - frame.top) / frame.height,
    );
  }, { passive: false });
  main.addEventListener("pointerdown", (event) => {
    main.setPointerCapture(event.pointerId);
    main.classList.add("moving");
  });
  main.addEventListener("pointermove", (event) => {
    if (!main.classList.contains("moving")) return;
    const unit = view.width / main.clientWidth;
    view.x -= event.movementX * unit;
    view.y -= event.movementY * unit;
    show();
  });
  main.addEventListener("pointerup", () => main.classList.remove("moving"));
  main.addEventListener("pointercancel", () => main.classList.remove("moving"));
  document.getElementById("in").addEventListener("click", () => zoom(0.7));
  document.getElementById("out").addEventListener("click", () => zoom(1 / 0.7));
  document.getElementById("all").addEventListener("click", whole);
  window.addEventListener("resize", show);

  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const boxes = [...svg.querySelectorAll("g")];
  let hits = [];
  let at = 0;
  search.addEventListener("input", () => {
    const text = search.value.toLowerCase();
    hits = text ? boxes.filter((box) => box.querySelector("title").textContent.toLowerCase().includes(text)) : [];
    boxes.forEach((box) => box.classList.toggle("hit", hits.includes(box)));
    svg.classList.toggle("searched", hits.length > 0);
    found.textContent = text ? `${hits.length} found` : "";
    at = 0;
    if (hits.length > 0) look(hits[0]);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || hits.length === 0) return;
    at = (at + (event.shiftKey ? hits.length - 1 : 1)) % hits.length;
    found.textContent = `${at + 1} of ${hits.length}`;
    look(hits[at]);
  });
  whole();
})();
