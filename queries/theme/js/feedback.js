// Whether a page helped: a press of a thumb is sent at once, and what a reader adds to it afterwards. The service knows
// by the id that both are one.
(() => {
  const say = async (form, more) => {
    const { kind, path } = form.elements;
    const body = {
      kind: kind.value,
      path: path.value,
      id: form.dataset.id,
      helpful: form.dataset.helpful === "true",
      ...more,
    };
    const reply = await fetch(form.action, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${reply.status}`);
  };
  const become = (form, state) => {
    form.dataset.state = state;
    // What appears with its words is not announced unless somebody goes there.
    if (state === "thanks") form.querySelector(".page-feedback-thanks").focus({ preventScroll: true });
  };
  const attempt = async (form, state, more) => {
    try {
      await say(form, more);
      if (state) become(form, state);
    } catch {
      become(form, "failed");
    }
  };

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-page-feedback]");
    if (!form) return;
    event.preventDefault();
    const choice = event.submitter;
    if (choice?.name !== "helpful") return;
    for (const other of form.querySelectorAll("[aria-pressed]"))
      other.setAttribute("aria-pressed", String(other === choice));
    form.dataset.helpful = choice.value;
    form.dataset.id ??= Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    become(form, "more");
    attempt(form, null, {});
    form.elements.text.focus();
  });
  document.addEventListener("click", (event) => {
    const form = event.target.closest("[data-page-feedback]");
    if (!form) return;
    if (event.target.closest("[data-feedback-send]")) {
      const text = form.elements.text.value.trim();
      if (text) attempt(form, "thanks", { text });
      else become(form, "thanks");
    } else if (event.target.closest("[data-feedback-cancel]")) {
      form.elements.text.value = "";
      become(form, "thanks");
    }
  });
})();
