// What few components need: the rest of React, and components of the theme in what a component shows.

// Attributes of SVG that React names otherwise.
const named =
  /^(align|base|clip(?!PathU)|color|domin|fill|flood|font|letter|light|marker[EMS]|paint|point|shape|stop|stroke|text(?!L)|vector|word)[a-z]*[A-Z]/;
let isNaming = false;
const nameDrawings = (options) => {
  if (isNaming) return;
  isNaming = true;
  const before = options.vnode;
  options.vnode = (vnode) => {
    const { type, props } = vnode;
    for (const name in typeof type === "string" ? props : {}) {
      if (!named.test(name)) continue;
      props[name.replace(/[A-Z]/g, "-$&").toLowerCase()] = props[name];
      delete props[name];
    }
    before(vnode);
  };
};

export const island = (start, address, list) => {
  const core = start(address);
  const { h, Fragment, Component, options, useLayoutEffect, useState, mount } = core;
  nameDrawings(options);

  const same = (value) => value;
  const now = (call) => call();
  const isValidElement = (value) => value != null && value.constructor === undefined;
  // What shows nothing is `null`.
  const each = (children) =>
    children == null
      ? []
      : [children].flat(Number.POSITIVE_INFINITY).map((child) => (typeof child === "boolean" ? null : (child ?? null)));
  const flat = (children) => each(children).filter((child) => child !== null);
  let count = 0;

  const React = {
    ...core,
    Children: {
      map: (children, call) => each(children).map((child, at) => call(child, at)),
      forEach: (children, call) => each(children).forEach((child, at) => call(child, at)),
      count: (children) => each(children).length,
      toArray: flat,
      only: same,
    },
    PureComponent: Component,
    cloneElement: (vnode, props, ...children) => {
      const { type, key, ref } = vnode;
      return h(
        type,
        { ...vnode.props, key, ref, ...props },
        ...(children.length ? children : flat(vnode.props.children)),
      );
    },
    createElement: h,
    createRef: () => ({ current: null }),
    forwardRef: (call) => {
      const taken = ({ ref, ...props }) => call(props, ref);
      taken.takesRef = true;
      return taken;
    },
    isValidElement,
    memo: same,
    startTransition: now,
    useDebugValue: same,
    useDeferredValue: same,
    useId: () => useState(() => `q${++count}`)[0],
    useImperativeHandle: (ref, make, inputs) =>
      useLayoutEffect(() => {
        if (typeof ref === "function") ref(make());
        else if (ref) ref.current = make();
      }, inputs),
    useInsertionEffect: useLayoutEffect,
    useTransition: () => [false, now],
  };

  // Elements of HTML as a component returns them, with `children` where the HTML has room for them.
  const html = (text, children) => {
    const vnode = (node) => {
      if (node.nodeType !== 1) return node.nodeType === 3 ? node.data : null;
      if (node.localName === "q-fill") return children;
      const props = {};
      // A property that is true or false is set as one: an empty string would be false.
      for (const { name, value } of node.attributes) props[name] = typeof node[name] === "boolean" ? node[name] : value;
      return h(node.localName, props, ...[...node.childNodes].map(vnode));
    };
    const template = document.createElement("template");
    template.innerHTML = text;
    return h(Fragment, null, ...[...template.content.childNodes].map(vnode));
  };

  // What names a part of the theme: JSON of its props and children (`mdx/src/js/part.rs`).
  const json = (value) => {
    if (typeof value === "function") throw value;
    if (Array.isArray(value)) return `[${value.map(json)}]`;
    if (value && typeof value === "object")
      return isValidElement(value)
        ? `${startOf(value.type.part ?? value.type, value.props)},[${all(value.props.children)}]]`
        : `{${members(value)}}`;
    return JSON.stringify(value ?? null);
  };
  const members = (value) =>
    Object.keys(value)
      .filter((name) => value[name] !== undefined && name !== "children")
      .sort()
      .map((name) => `${JSON.stringify(name)}:${json(value[name])}`);
  const startOf = (name, props) => `[${json(name)},{${members(props)}}`;
  // Texts that stand together are one.
  const all = (children) => {
    const list = [];
    const gather = (child) => {
      if (child?.type === Fragment) flat(child.props.children).forEach(gather);
      else if (isValidElement(child)) list.push(child);
      else if (typeof list.at(-1) === "string") list.push(list.pop() + child);
      else list.push(String(child));
    };
    flat(children).forEach(gather);
    return list.map(json);
  };
  const escaped = (text) => {
    const box = document.createElement("i");
    box.textContent = text;
    return box.innerHTML;
  };

  const parts = new Map(list);
  const known = (name, { children, ...props }) => {
    let key;
    try {
      key = startOf(name, props);
      const whole = parts.get(`${key},[${all(children)}]]`);
      if (whole !== undefined) return whole;
    } catch {
      // What holds a function has no name.
    }
    if (parts.has(`${key}]`)) return parts.get(`${key}]`);
    // One with other words: where these stand in its HTML, those that are wanted do.
    for (const [other, text] of parts) {
      const [of, had, inner] = JSON.parse(other);
      if (of !== name || inner?.length) continue;
      const put = (text, prop) =>
        typeof had[prop] === "string" && had[prop]
          ? text.replaceAll(escaped(had[prop]), escaped(props[prop] ?? ""))
          : text;
      return Object.keys(had).reduce(put, text);
    }
  };
  const theme = (name) => {
    const part = (props) => {
      const text = known(name, props);
      return text === undefined ? h(Fragment, null, props.title, props.children) : html(text, props.children);
    };
    part.part = name;
    return part;
  };

  return {
    ...React,
    React,
    MintlifyComponents: new Proxy({}, { get: (_, name) => theme(name) }),
    html,
    theme,
    mount,
  };
};
