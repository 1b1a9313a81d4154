// Components as authors of documentation write them. `source` is a file of components, which exports `C` and what
// a use needs besides; `use` is how a page uses it. `still` are words that a reader without scripts has, in order;
// `drive` does what readers do, and says what they see.
import assert from "node:assert/strict";

const click = (main, name) => main.getByRole("button", { name, exact: true }).click();
/** Waits until the text of a page holds `words`, or does not. */
const says = (main, words) => main.getByText(words).first().waitFor();
const hides = (main, words) => main.getByText(words).first().waitFor({ state: "hidden" });

/**
 * @type {{
 *   name: string, source: string, use?: string, still: string[], drive: (main: any, page: any) => Promise<void>
 * }[]}
 */
export const components = [
  {
    name: "toggle",
    source: `export const C = () => {
      const [open, setOpen] = useState(false);
      return <div className="rounded-xl border p-4"><button onClick={() => setOpen(!open)} aria-expanded={open}>{open ? "Less" : "More"}</button>{open && <p>The rest of it.</p>}</div>;
    };`,
    still: ["More", "The rest of it."],
    async drive(main) {
      await click(main, "More");
      await says(main, "The rest of it.");
      await click(main, "Less");
      await hides(main, "The rest of it.");
    },
  },
  {
    name: "counter with typed props",
    source: `interface Props { start?: number; label: string }
    export const C = ({ start = 0, label }: Props) => {
      const [count, setCount] = useState<number>(start);
      return <button onClick={() => setCount((n: number) => n + 1)}>{label}: {count}</button>;
    };`,
    use: '<C label="Times" start={3} />',
    still: ["Times: 3"],
    async drive(main) {
      await click(main, "Times: 3");
      await says(main, "Times: 4");
    },
  },
  {
    name: "tabs",
    source: `const all = [["npm", "npm add a"], ["pnpm", "pnpm add a"], ["yarn", "yarn add a"]];
    export const C = () => {
      const [at, setAt] = useState(0);
      return <div><div role="tablist">{all.map(([name], i) => <button role="tab" key={name} aria-selected={i === at} onClick={() => setAt(i)}>{name}</button>)}</div><pre tabIndex={0}><code>{all[at][1]}</code></pre></div>;
    };`,
    still: ["npm add a", "pnpm add a", "yarn add a"],
    async drive(main) {
      await hides(main, "yarn add a");
      await main.getByRole("tab", { name: "yarn" }).click();
      await says(main, "yarn add a");
      await hides(main, "pnpm add a");
    },
  },
  {
    name: "accordion with one open item",
    source: `const items = [{ q: "Is it free?", a: "Yes, it is." }, { q: "Is it fast?", a: "It is." }];
    export const C = () => {
      const [open, setOpen] = useState(null);
      return <ul>{items.map((item, i) => <li key={i}><button onClick={() => setOpen(open === i ? null : i)}>{item.q}</button>{open === i && <p>{item.a}</p>}</li>)}</ul>;
    };`,
    still: ["Is it free?", "Yes, it is.", "Is it fast?", "It is."],
    async drive(main) {
      await click(main, "Is it free?");
      await says(main, "Yes, it is.");
      await click(main, "Is it fast?");
      await hides(main, "Yes, it is.");
    },
  },
  {
    name: "carousel",
    source: `const slides = ["First slide", "Second slide", "Third slide"];
    export const C = () => {
      const [at, setAt] = useState(0);
      const go = (by) => setAt((at + by + slides.length) % slides.length);
      return <section aria-label="Slides"><p>{slides[at]}</p><button onClick={() => go(-1)}>Back</button><button onClick={() => go(1)}>Forward</button></section>;
    };`,
    still: ["First slide", "Second slide", "Third slide"],
    async drive(main) {
      await click(main, "Back");
      await says(main, "Third slide");
      await click(main, "Forward");
      await says(main, "First slide");
    },
  },
  {
    name: "calculator",
    source: `export const C = () => {
      const [seats, setSeats] = useState(5);
      const [yearly, setYearly] = useState(false);
      const price = useMemo(() => seats * (yearly ? 8 : 10), [seats, yearly]);
      return <form><label>Seats <input type="number" value={seats} onChange={(e) => setSeats(Number(e.target.value))} /></label><label><input type="checkbox" checked={yearly} onChange={(e) => setYearly(e.target.checked)} /> Yearly</label><output>{price} a month</output></form>;
    };`,
    still: ["Seats", "Yearly", "50"],
    async drive(main) {
      await says(main, "50 a month");
      await main.getByLabel("Seats").fill("7");
      await says(main, "70 a month");
      await main.getByLabel("Yearly").check();
      await says(main, "56 a month");
    },
  },
  {
    name: "copy button",
    source: `export const C = ({ text }) => {
      const [done, setDone] = useState(false);
      const copy = async () => { window.copied = text; await Promise.resolve(); setDone(true); setTimeout(() => setDone(false), 100000); };
      return <span><code>{text}</code> <button onClick={copy}>{done ? "Copied" : "Copy it"}</button></span>;
    };`,
    use: 'Run <C text="make all" /> first.',
    still: ["make all", "Copy it"],
    async drive(main, page) {
      await click(main, "Copy it");
      await says(main, "Copied");
      assert.equal(await page.evaluate("window.copied"), "make all");
    },
  },
  {
    name: "filter over a list",
    source: `export const C = ({ items }) => {
      const [query, setQuery] = useState("");
      const shown = items.filter((item) => item.toLowerCase().includes(query.toLowerCase()));
      return <div><input aria-label="Filter" value={query} onChange={(event) => setQuery(event.target.value)} /><ul>{shown.map((item) => <li key={item}>{item}</li>)}</ul>{shown.length === 0 && <p>Nothing is left.</p>}</div>;
    };`,
    use: '<C items={["Oslo", "Rome", "Riga"]} />',
    still: ["Oslo", "Rome", "Riga"],
    async drive(main) {
      await main.getByLabel("Filter").fill("ri");
      await hides(main, "Oslo");
      await says(main, "Riga");
      await main.getByLabel("Filter").fill("x");
      await says(main, "Nothing is left.");
    },
  },
  {
    name: "fetched table",
    source: `export const C = ({ from }) => {
      const [rows, setRows] = useState(null);
      const [error, setError] = useState(null);
      useEffect(() => {
        const stop = new AbortController();
        fetch(from, { signal: stop.signal }).then((r) => r.json()).then(setRows).catch((e) => { if (!stop.signal.aborted) setError(e); });
        return () => stop.abort();
      }, [from]);
      if (error) return <p>It failed.</p>;
      if (!rows) return <p>It is coming.</p>;
      return <table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody>{rows.map((row) => <tr key={row.name}><td>{row.name}</td><td>{row.size}</td></tr>)}</tbody></table>;
    };`,
    use: '<C from="/rows.txt" />',
    still: ["It is coming."],
    async drive(main) {
      await says(main, "small");
      await says(main, "large");
    },
  },
  {
    name: "form",
    source: `export const C = () => {
      const [values, setValues] = useState({ name: "", plan: "a" });
      const [sent, setSent] = useState(null);
      const set = (event) => setValues({ ...values, [event.target.name]: event.target.value });
      if (sent) return <p>Thanks, {sent.name} of plan {sent.plan}.</p>;
      return <form onSubmit={(event) => { event.preventDefault(); setSent(values); }}><label>Name <input name="name" value={values.name} onChange={set} /></label><label>Plan <select name="plan" value={values.plan} onChange={set}><option value="a">A</option><option value="b">B</option></select></label><button type="submit">Send it</button></form>;
    };`,
    still: ["Name", "Plan", "Send it"],
    async drive(main) {
      await main.getByLabel("Name").fill("Ann");
      await main.getByLabel("Plan").selectOption("b");
      await click(main, "Send it");
      await says(main, "Thanks, Ann of plan b.");
    },
  },
  {
    name: "picture of the theme",
    source: `export const C = () => {
      const [dark, setDark] = useState(false);
      useEffect(() => {
        const look = () => setDark(document.documentElement.classList.contains("dark"));
        look();
        const seen = new MutationObserver(look);
        seen.observe(document.documentElement, { attributes: true, attributeFilter: ["class"] });
        return () => seen.disconnect();
      }, []);
      return <img src={dark ? "/dark.svg" : "/light.svg"} alt={dark ? "By night" : "By day"} width={40} height={40} />;
    };`,
    still: [],
    async drive(main, page) {
      await main.getByAltText("By day").waitFor();
      await page.evaluate(() => document.documentElement.classList.add("dark"));
      await main.getByAltText("By night").waitFor();
      await page.evaluate(() => document.documentElement.classList.remove("dark"));
    },
  },
  {
    name: "context across components",
    source: `const Tone = createContext("plain");
    const Word = () => <b>{useContext(Tone)}</b>;
    export const C = () => {
      const [tone, setTone] = useState("warm");
      return <Tone.Provider value={tone}><p>It is <Word />.</p><button onClick={() => setTone("cool")}>Cool it</button></Tone.Provider>;
    };`,
    still: ["It is", "warm"],
    async drive(main) {
      await says(main, "warm");
      await click(main, "Cool it");
      await says(main, "cool");
      await hides(main, "warm");
    },
  },
  {
    name: "context across Markdown",
    source: `const Choice = createContext({ at: "", set: () => {} });
    export const C = ({ children, first }) => { const [at, set] = useState(first); return <Choice.Provider value={{ at, set }}>{children}</Choice.Provider>; };
    export const D = ({ name, children }) => { const { at, set } = useContext(Choice); return <section><button onClick={() => set(name)}>Take {name}</button>{at === name && <div>{children}</div>}</section>; };`,
    use: '<C first="a">\n<D name="a">\nThe *first* text.\n</D>\n<D name="b">\nThe `second` text.\n</D>\n</C>',
    still: ["Take a", "The first text.", "Take b", "The second text."],
    async drive(main) {
      await main.locator("code", { hasText: "second" }).waitFor({ state: "detached" });
      await click(main, "Take b");
      await main.locator("code", { hasText: "second" }).waitFor();
      await main.locator("em", { hasText: "first" }).waitFor({ state: "detached" });
    },
  },
  {
    name: "render prop",
    source: `const Toggle = ({ render }) => { const [on, set] = useState(false); return render(on, () => set(!on)); };
    export const C = () => <Toggle render={(on, flip) => <p><button onClick={flip}>Flip</button> It is {on ? "on" : "off"}.</p>} />;`,
    still: ["Flip", "It is"],
    async drive(main) {
      await says(main, "It is off.");
      await click(main, "Flip");
      await says(main, "It is on.");
    },
  },
  {
    name: "children as a function",
    source: `const Each = ({ items, children }) => <ol>{items.map((item, i) => <li key={item}>{children(item, i)}</li>)}</ol>;
    export const C = () => { const [n, setN] = useState(1); return <div><Each items={["a", "b", "c"].slice(0, n)}>{(item, i) => <span>{i + 1}: {item}</span>}</Each><button onClick={() => setN(n + 1)}>One more</button></div>; };`,
    still: ["1: a", "2: b", "3: c"],
    async drive(main) {
      await click(main, "One more");
      await says(main, "2: b");
    },
  },
  {
    name: "reducer of a wizard",
    source: `const steps = ["Sign up", "Make a key", "Call it"];
    const reduce = (state, action) => ({ next: { ...state, at: Math.min(state.at + 1, 2) }, back: { ...state, at: Math.max(state.at - 1, 0) } })[action.type] ?? state;
    export const C = () => {
      const [state, dispatch] = useReducer(reduce, { at: 0 });
      return <div><h2>{steps[state.at]}</h2><button disabled={state.at === 0} onClick={() => dispatch({ type: "back" })}>Before</button><button disabled={state.at === 2} onClick={() => dispatch({ type: "next" })}>After</button></div>;
    };`,
    still: ["Sign up", "Make a key", "Call it"],
    async drive(main) {
      assert.ok(await main.getByRole("button", { name: "Before" }).isDisabled());
      await click(main, "After");
      await click(main, "After");
      await says(main, "Call it");
      assert.ok(await main.getByRole("button", { name: "After" }).isDisabled());
    },
  },
  {
    name: "timer",
    source: `export const C = () => {
      const [at, setAt] = useState(0);
      useEffect(() => { const timer = setInterval(() => setAt((n) => (n + 1) % 3), 30); return () => clearInterval(timer); }, []);
      return <p>{["Ready", "Steady", "Go"][at]}</p>;
    };`,
    still: ["Ready", "Steady", "Go"],
    async drive(main) {
      await says(main, "Steady");
      await says(main, "Go");
    },
  },
  {
    name: "memory of the browser",
    source: `export const C = () => {
      const [name, setName] = useState("nobody");
      useEffect(() => { const known = localStorage.getItem("who"); if (known) setName(known); }, []);
      return <p>Hello, {name}. <button onClick={() => { localStorage.setItem("who", "Ada"); setName("Ada"); }}>I am Ada</button></p>;
    };`,
    still: ["Hello, nobody"],
    async drive(main, page) {
      await click(main, "I am Ada");
      await says(main, "Hello, Ada.");
      await page.reload();
      await says(main, "Hello, Ada.");
    },
  },
  {
    name: "focus by a ref",
    source: `export const C = () => { const field = useRef(null); return <div><input aria-label="Field" ref={field} /><button onClick={() => field.current.focus()}>Go there</button></div>; };`,
    still: ["Go there"],
    async drive(main, page) {
      await click(main, "Go there");
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Field");
    },
  },
  {
    name: "ref that is passed on",
    source: `const Field = React.forwardRef(({ label }, ref) => <input aria-label={label} ref={ref} />);
    export const C = () => { const field = React.useRef(); return <div><Field label="Inner" ref={field} /><button onClick={() => { field.current.value = "filled"; }}>Fill it</button></div>; };`,
    still: ["Fill it"],
    async drive(main) {
      await click(main, "Fill it");
      assert.equal(await main.getByLabel("Inner").inputValue(), "filled");
    },
  },
  {
    name: "drawing with attributes of React",
    source: `export const C = () => {
      const [on, set] = useState(false);
      return <div><svg viewBox="0 0 10 10" width="40" height="40" role="img" aria-label="A line" strokeWidth={2} strokeLinecap="round"><path d="M1 1 9 9" stroke="currentColor" strokeDasharray={on ? "1 1" : undefined} fillOpacity=".5" /></svg><button onClick={() => set(true)}>Dash it</button></div>;
    };`,
    still: ["Dash it"],
    async drive(main) {
      await click(main, "Dash it");
      const drawing = main.getByRole("img", { name: "A line" });
      assert.equal(await drawing.getAttribute("stroke-width"), "2");
      assert.equal(await drawing.getAttribute("viewBox"), "0 0 10 10");
      assert.equal(await drawing.locator("path").getAttribute("stroke-dasharray"), "1 1");
      assert.equal(await drawing.locator("path").evaluate((path) => path.namespaceURI), "http://www.w3.org/2000/svg");
    },
  },
  {
    name: "styles as objects",
    source: `export const C = () => {
      const [wide, set] = useState(false);
      return <div><div data-box style={{ width: wide ? 200 : 100, backgroundColor: "rgb(1, 2, 3)", opacity: 0.5, "--own": "x" }}>Box</div><button onClick={() => set(!wide)}>Widen</button></div>;
    };`,
    still: ["Box"],
    async drive(main) {
      const style = (name) =>
        main.locator("[data-box]").evaluate((box, name) => getComputedStyle(box).getPropertyValue(name), name);
      assert.equal(await style("width"), "100px");
      await click(main, "Widen");
      assert.equal(await style("width"), "200px");
      assert.equal(await style("opacity"), "0.5");
      assert.equal(await style("--own"), "x");
    },
  },
  {
    name: "block in a line of text",
    source: `export const C = () => {
      const [on, set] = useState(false);
      return <div><button onClick={() => set(!on)}>Press</button> {on ? <p>Pressed</p> : <p>Not yet</p>}</div>;
    };`,
    use: "Words before <C /> and after.",
    still: ["Words before", "Press", "Not yet", "Pressed", "and after."],
    async drive(main) {
      await says(main, "Not yet");
      await click(main, "Press");
      await says(main, "Pressed");
      await hides(main, "Not yet");
    },
  },
  {
    name: "classes that change",
    source: `export const C = () => {
      const [on, set] = useState(false);
      return <div><p className={"p-2 " + (on ? "bg-emerald-200 text-[13px]" : "bg-rose-200")}>Colored</p><p className={\`hidden \${on ? "!block" : ""}\`}>Now and then</p><button onClick={() => set(!on)}>Color it</button></div>;
    };`,
    still: ["Colored", "Now and then"],
    async drive(main) {
      await hides(main, "Now and then");
      await click(main, "Color it");
      assert.equal(await main.getByText("Colored").evaluate((p) => getComputedStyle(p).fontSize), "13px");
      await says(main, "Now and then");
    },
  },
  {
    name: "cards of the theme over a list",
    source: `export const C = ({ items }) => {
      const [all, set] = useState(false);
      return <div><CardGroup cols={2}>{(all ? items : items.slice(0, 1)).map((item) => <Card key={item.name} title={item.name} icon="rocket" href={item.to}>{item.text}</Card>)}</CardGroup><button onClick={() => set(true)}>Show all</button></div>;
    };`,
    use: '<C items={[{ name: "One", to: "/one", text: "The first" }, { name: "Two", to: "/two", text: "The second" }]} />',
    still: ["One", "The first", "Two", "The second"],
    async drive(main) {
      await click(main, "Show all");
      const card = main.locator(".card", { hasText: "The second" });
      assert.equal(await card.locator("a").getAttribute("href"), "/two");
      assert.equal(await card.locator("svg").count(), 1);
    },
  },
  {
    name: "cards of the theme with words of an answer",
    source: `export const C = () => {
      const [items, set] = useState([{ name: "Sample", text: "Of the build" }]);
      useEffect(() => { fetch("/rows.txt").then((r) => r.json()).then((rows) => set(rows.map((row) => ({ name: row.name, text: "Size " + row.size })))); }, []);
      return <div>{items.map((item) => <Card key={item.name} title={item.name} icon="star">{item.text}</Card>)}</div>;
    };`,
    still: ["Sample", "Of the build"],
    async drive(main) {
      const card = main.locator(".card", { hasText: "Size 9" });
      await card.waitFor();
      assert.equal(await card.locator(".card-title").innerText(), "large");
    },
  },
  {
    name: "callout of the theme that is put away",
    source: `export const C = () => { const [shown, set] = useState(true); return shown ? <Warning>Mind the gap. <button onClick={() => set(false)}>Put away</button></Warning> : <p>It is away.</p>; };`,
    still: ["Mind the gap.", "It is away."],
    async drive(main) {
      await says(main, "Mind the gap.");
      await click(main, "Put away");
      await says(main, "It is away.");
      await hides(main, "Mind the gap.");
    },
  },
  {
    name: "Markdown as children",
    source: `export const C = ({ children }) => { const [open, set] = useState(false); return <div><button onClick={() => set(!open)}>Answer</button><div style={{ display: open ? "block" : "none" }}>{children}</div></div>; };`,
    use: "<C>\n## A heading inside\n\n```js\nconst a = 1\n```\n\n- one\n- two\n</C>",
    still: ["Answer", "A heading inside", "one", "two"],
    async drive(main) {
      await hides(main, "A heading inside");
      await click(main, "Answer");
      await says(main, "A heading inside");
      assert.equal(await main.locator("pre code").innerText(), "const a = 1");
    },
  },
  {
    name: "component within the children of another",
    source: `export const C = ({ children }) => { const [open, set] = useState(true); return <div><button onClick={() => set(!open)}>Fold</button>{open && <div>{children}</div>}</div>; };
    export const D = () => { const [n, set] = useState(0); return <button onClick={() => set(n + 1)}>Inner {n}</button>; };`,
    use: "<C>\nSome text.\n\n<D />\n</C>",
    still: ["Fold", "Some text.", "Inner 0"],
    async drive(main) {
      await click(main, "Inner 0");
      await says(main, "Inner 1");
      await click(main, "Fold");
      await hides(main, "Some text.");
      await click(main, "Fold");
      await click(main, "Inner 0");
      await says(main, "Inner 1");
    },
  },
  {
    name: "children that a component looks at",
    source: `export const C = ({ children }) => {
      const all = React.Children.toArray(children);
      const [at, set] = useState(0);
      return <div>{all.map((one, i) => <button key={i} aria-pressed={i === at} onClick={() => set(i)}>{one.props.title}</button>)}{all[at]}</div>;
    };
    export const D = ({ children }) => <div>{children}</div>;`,
    use: '<C>\n<D title="Left">\nThe *left* one.\n</D>\n<D title="Right">\nThe *right* one.\n</D>\n</C>',
    still: ["Left", "The left one.", "Right", "The right one."],
    async drive(main) {
      await click(main, "Right");
      await main.locator("em", { hasText: "right" }).waitFor();
      await main.locator("em", { hasText: "left" }).waitFor({ state: "detached" });
      await click(main, "Left");
      await main.locator("em", { hasText: "left" }).waitFor();
    },
  },
  {
    name: "elements that are cloned",
    source: `const Row = ({ name, index }) => <li>{index}: {name}</li>;
    const Numbered = ({ children }) => <ul>{React.Children.map(children, (child, i) => child && React.cloneElement(child, { index: i + 1 }))}</ul>;
    export const C = () => { const [more, set] = useState(false); return <div><Numbered><Row name="ant" />{more && <Row name="bee" />}</Numbered><button onClick={() => set(true)}>Add a row</button></div>; };`,
    still: ["1: ant", "2: bee"],
    async drive(main) {
      await says(main, "1: ant");
      await click(main, "Add a row");
      await says(main, "2: bee");
    },
  },
  {
    name: "keys of the keyboard",
    source: `export const C = () => {
      const [open, set] = useState(false);
      useEffect(() => { const onKey = (event) => { if (event.key === "Escape") set(false); }; window.addEventListener("keydown", onKey); return () => window.removeEventListener("keydown", onKey); }, []);
      return <div><button onClick={() => set(true)}>Open it</button>{open && <div role="dialog" aria-label="Box">In the box.</div>}</div>;
    };`,
    still: ["Open it", "In the box."],
    async drive(main, page) {
      await click(main, "Open it");
      await says(main, "In the box.");
      await page.keyboard.press("Escape");
      await hides(main, "In the box.");
    },
  },
  {
    name: "hook of one's own",
    source: `const useToggle = (first) => { const [on, set] = useState(first); const flip = useCallback(() => set((v) => !v), []); return { on, flip }; };
    export const C = () => { const { on, flip } = useToggle(true); return <p><button onClick={flip}>Switch</button> {on ? "Lights on" : "Lights off"}</p>; };`,
    still: ["Switch", "Lights on"],
    async drive(main) {
      await click(main, "Switch");
      await says(main, "Lights off");
    },
  },
  {
    name: "ids of labels",
    source: `export const C = () => { const id = useId(); const [text, set] = useState(""); return <div><label htmlFor={id}>Your text</label><textarea id={id} value={text} onChange={(e) => set(e.target.value)} /><p>{text.length} signs</p></div>; };`,
    still: ["Your text", "0 signs"],
    async drive(main) {
      await main.getByLabel("Your text").fill("four");
      await says(main, "4 signs");
    },
  },
  {
    name: "class component",
    source: `export class C extends React.Component {
      state = { n: 1 };
      render() { return <button onClick={() => this.setState({ n: this.state.n * 2 })}>Twice: {this.state.n}</button>; }
    }`,
    still: [],
    async drive(main) {
      await click(main, "Twice: 1");
      await says(main, "Twice: 2");
    },
  },
  {
    name: "enumeration and generics",
    source: `enum Plan { Free = "free", Paid = "paid" }
    function pick<T extends string>(all: readonly T[], at: number): T { return all[at % all.length]!; }
    const plans = Object.values(Plan) as Plan[];
    export const C: React.FC<{ first?: number }> = ({ first = 0 }) => { const [at, set] = useState<number>(first); return <button onClick={() => set(at + 1)}>{pick(plans, at)}</button>; };`,
    still: [],
    async drive(main) {
      await click(main, "free");
      await says(main, "paid");
    },
  },
  {
    name: "default export under another name",
    source: `export default function Whatever({ from }) { const [n, set] = useState(from); return <button onClick={() => set(n - 1)}>Down: {n}</button>; }
    export { Whatever as C };`,
    use: "<Other from={9} />",
    still: ["Down: 9"],
    async drive(main) {
      await click(main, "Down: 9");
      await says(main, "Down: 8");
    },
  },
  {
    name: "expression of a page",
    source: `export const C = ({ name }) => { const [n, set] = useState(0); return <button onClick={() => set(n + 1)}>{name} {n}</button>; };`,
    use: 'export const names = ["ant", "bee"]\n\n{names.map((name) => <C key={name} name={name} />)}',
    still: ["ant 0", "bee 0"],
    async drive(main) {
      await click(main, "bee 0");
      await says(main, "bee 1");
      await says(main, "ant 0");
    },
  },
  {
    name: "component of the page itself",
    source: "export const Unused = 1;",
    use: "export const Here = () => {\n  const [n, setN] = useState(0)\n  return <button onClick={() => setN(n + 1)}>Here {n}</button>\n}\n\n<Here />",
    still: ["Here 0"],
    async drive(main) {
      await click(main, "Here 0");
      await says(main, "Here 1");
    },
  },
  {
    name: "HTML from a string",
    source: `export const C = () => { const [bold, set] = useState(false); return <div><p dangerouslySetInnerHTML={{ __html: bold ? "<strong>Loud</strong>" : "<i>Low</i>" }} /><button onClick={() => set(true)}>Louder</button></div>; };`,
    still: ["Low"],
    async drive(main) {
      await click(main, "Louder");
      await main.locator("strong", { hasText: "Loud" }).waitFor();
    },
  },
  {
    name: "video that plays on a click",
    source: `export const C = ({ src }) => { const [plays, set] = useState(false); return plays ? <video src={src} controls aria-label="Film" /> : <button onClick={() => set(true)}>Play the film</button>; };`,
    use: '<C src="/film.mp4" />',
    still: ["Play the film"],
    async drive(main) {
      await click(main, "Play the film");
      await main.getByLabel("Film").waitFor();
    },
  },
];
