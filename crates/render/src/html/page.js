
"use strict";
(function () {
  // Cards stay within the window, close on Escape, and open on a first touch.
  var gap = 12;

  var root = document.documentElement;
  root.classList.add("placed");

  function place(cite) {
    var card = cite.querySelector(".card");
    card.style.marginLeft = "0";
    card.classList.remove("above");
    if (getComputedStyle(card).position !== "absolute") {
      return;
    }
    var box = card.getBoundingClientRect();
    var over = box.right + gap - root.clientWidth;
    if (over > 0) {
      card.style.marginLeft = -Math.min(over, box.left - gap) + "px";
    }
    if (box.bottom + gap > root.clientHeight && box.height + gap < cite.getBoundingClientRect().top) {
      card.classList.add("above");
    }
  }

  document.querySelectorAll(".cite").forEach(function (cite) {
    var link = cite.querySelector("a");
    var touched = false;
    function show() {
      cite.classList.remove("closed");
      place(cite);
    }
    cite.addEventListener("mouseenter", show);
    cite.addEventListener("focusin", show);
    link.addEventListener("pointerdown", function (event) {
      touched = event.pointerType === "touch" && document.activeElement !== link;
    });
    link.addEventListener("click", function (event) {
      if (touched) {
        event.preventDefault();
        link.focus();
        touched = false;
      }
    });
    cite.addEventListener("keydown", function (event) {
      if (event.key === "Escape") {
        cite.classList.add("closed");
      }
    });
  });

  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) {
      part.open = true;
    });
  });
})();
