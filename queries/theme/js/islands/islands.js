// Components of a site in the browser. The module of a page gives its uses; each is called over the HTML that shows it,
// which stands between two comments: `<!--quire:use 0-->…<!--/quire:use 0-->`. `vendor/islands.min.js` is made of this
// file and Preact.
import { Component, createContext, Fragment, h, options, render } from "preact";
import {
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from "preact/hooks";

// ---- React, as far as Preact alone is not

// Where the site is: the path in front of its addresses.
let base = "";

options.vnode = (vnode) => {
  const { type, props } = /** @type {any} */ (vnode);
  if (typeof type === "string") {
    for (const name in props) {
      const value = props[name];
      let other = { onFocus: "onFocusIn", onBlur: "onFocusOut", onDoubleClick: "onDblClick" }[name];
      if (name === "onChange" && /^(text|inp)/.test(type) && !/^(che|rad|file)/.test(props.type)) other = "onInput";
      if (other) {
        delete props[name];
        props[other] = value;
      }
      if (/^(href|src|poster)$/.test(name) && /^\/(?!\/)/.test(value) && !value.startsWith(`${base}/`))
        props[name] = base + value;
    }
  } else if (type === undefined) {
    throw new Error("no such component");
  } else if (type?.takesRef && vnode.ref) {
    props.ref = vnode.ref;
    vnode.ref = null;
  }
};

const api = {
  Component,
  Fragment,
  createContext,
  h,
  options,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
};

// ---- Islands

const modules = new Map();
let live = [];
// Comments of uses that were begun, whether they throw or not.
const begun = new WeakSet();

const bare = (props) => h("q-slot", { style: "display:contents", ...props });
// What throws shows what the page held.
class Guard extends Component {
  componentDidCatch(error) {
    reportError(error);
    this.setState({ isBroken: true });
  }
  render({ children, html }, { isBroken }) {
    return isBroken ? bare({ dangerouslySetInnerHTML: { __html: html() } }) : children;
  }
}

const marks = (root, what) => {
  const found = [];
  const walk = document.createTreeWalker(root, 128);
  /** @type {any} */
  let node = root.nodeType === 8 ? root : walk.nextNode();
  for (; node; node = walk.nextNode()) if (node.data.startsWith(`quire:${what}`)) found.push(node);
  return found;
};
// The nodes between a comment and the one that ends it.
const within = (mark) => {
  const nodes = [];
  for (let node = mark.nextSibling; node; node = node.nextSibling) {
    if (node.data === `/${mark.data}`) return { nodes, end: node };
    nodes.push(node);
  }
  return { nodes };
};

// What is in it is elements where the page was parsed apart from a window, and text otherwise.
const textOf = (noscript) => (noscript.firstElementChild ? noscript.innerHTML : noscript.textContent);

// Children that are not the component's own keep their nodes.
const Slot = ({ n, nodesOf }) => {
  const ref = useRef(/** @type {any} */ (null));
  useLayoutEffect(() => {
    // What was there stays together: an island in it may be wanted again.
    new DocumentFragment().append(...ref.current.childNodes);
    ref.current.append(...nodesOf(n));
    queueMicrotask(update);
    return () => queueMicrotask(update);
  }, [n, nodesOf]);
  return bare({ ref });
};

const mount = (mark, module, gone) => {
  const number = mark.data.slice(10);
  const { nodes, end } = within(mark);
  const use = module.uses[number];
  if (!use || !end) return;
  const key = module.page + number;
  // All that its states show, or a copy of what it shows: read when it is wanted.
  const next = /** @type {any} */ (end).nextSibling;
  const rest = document.createElement("template");
  let html = () => rest.innerHTML;
  if (next?.localName === "noscript") {
    next.remove();
    html = () => textOf(next);
  } else {
    rest.content.append(...nodes.map((node) => node.cloneNode(true)));
  }
  const slots = {};
  const gather = (place) => {
    for (const slot of marks(place, "slot")) slots[slot.data.slice(11)] ??= within(slot).nodes;
  };
  nodes.forEach(gather);
  const nodesOf = (n) => {
    if (!slots[n]) {
      rest.innerHTML = html();
      gather(rest.content);
    }
    return slots[n] ?? [];
  };
  // One of them: a part beside the text is on the page twice.
  const at = gone.findIndex((one) => one.key === key);
  const old = at < 0 ? null : gone.splice(at, 1)[0];
  // What Preact takes for the element that it renders to: the nodes in front of the end.
  const root = old?.root ?? {
    nodeType: 1,
    firstChild: nodes[0],
    childNodes: nodes,
    insertBefore(node, other) {
      const { end } = within(this.mark);
      end.parentNode.insertBefore(
        node,
        other?.parentNode === end.parentNode && other.compareDocumentPosition(end) & 4 ? other : end,
      );
    },
  };
  if (old) {
    for (const node of nodes) node.remove();
    end.before(...within(root.mark).nodes);
    globalThis.quireAdopt?.(root.__k, old.module, module);
  }
  root.mark = mark;
  root.namespaceURI = mark.parentNode.namespaceURI;
  live.push({ key, root, module });
  const slot = (n) => h(Slot, { n, nodesOf });
  render(h(Guard, { html }, use(slot)), root);
};

// A script that cannot be had hides nothing: what is for readers without one is for all of them.
const showAll = (error) => {
  for (const mark of marks(document.body, "use")) {
    const { nodes, end } = within(mark);
    const rest = /** @type {any} */ (end)?.nextSibling;
    if (rest?.localName !== "noscript") continue;
    for (const node of nodes) node.remove();
    rest.outerHTML = textOf(rest);
  }
  reportError(error);
};

// Begins what is on the page, and ends what is not any more.
const update = () => {
  /** @type {any} */
  const script = document.querySelector("[data-islands]");
  const address = script && new URL(script.dataset.islands, location.href).href;
  const module = modules.get(address);
  if (script && !module) return import(address).catch(showAll);
  const isHere = (one) => one.root.mark.isConnected;
  const gone = live.filter((one) => !isHere(one));
  live = live.filter(isHere);
  let isNew;
  if (module) {
    base = new URL(address).pathname.split("/_islands/")[0];
    // What is begun may bring others.
    let fresh;
    do {
      fresh = marks(document.querySelector("main"), "use").filter((mark) => !begun.has(mark));
      for (const mark of fresh) {
        // A component around it may have put it aside.
        if (!mark.isConnected) continue;
        begun.add(mark);
        isNew = true;
        try {
          mount(mark, module, gone);
        } catch (error) {
          reportError(error);
        }
      }
    } while (fresh.length);
  }
  for (const { root } of gone) {
    begun.delete(root.mark);
    render(null, root);
  }
  // Scripts of the theme look for what has come.
  if (isNew) document.dispatchEvent(new CustomEvent("quire:update"));
};
document.addEventListener("quire:update", update);

/** What the module at `address` needs. */
export const island = (address) => ({
  ...api,
  mount: (uses, scopes) => {
    modules.set(address, { uses, scopes, page: address.split("?")[0] });
    update();
  },
});

update();
