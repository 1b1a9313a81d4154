//! Components with state: everything that a reader can bring them to show is on the page, in its Markdown and in the
//! text for search, once each.

use crate::support::{TestSite, html_and_markdown};

const DOCS: &str = r##"{"theme": "mint", "name": "A", "colors": {"primary": "#000000"},
    "navigation": {"pages": ["page"]}}"##;

/// The HTML of the text of a page, and its Markdown.
fn page(component: &str, usage: &str) -> (String, String) {
    let page =
        format!("---\ntitle: Page\n---\n\nimport {{ C, D }} from '/snippets/c.jsx'\n\n{usage}\n");
    let site = TestSite::new(&[
        ("docs.json", DOCS),
        ("page.mdx", &page),
        ("snippets/c.jsx", component),
    ]);
    let (html, markdown) = html_and_markdown(&site, "/page");
    let (_, content) = html.split_once("id=\"content\">").expect("a text");
    let (content, _) = content.split_once("</article>").expect("its end");
    // Scripts of an author who is not trusted do not run, and nothing is left of what they would need.
    assert!(!html.contains("_islands") && !html.contains("quire:"));
    (content.to_owned(), markdown)
}

/// The words of HTML.
fn words(html: &str) -> String {
    let texts = html.split('<').map(|part| match part.split_once('>') {
        Some((_, text)) => text,
        None => part,
    });
    let whole: Vec<&str> = texts.flat_map(str::split_whitespace).collect();
    whole.join(" ")
}

/// Checks the words of a component on the page, which are texts between `|`. Each is in the Markdown too, but for the
/// labels of controls, in brackets: programs cannot press them.
#[track_caller]
fn check(component: &str, usage: &str, expected: &str) {
    let (html, markdown) = page(component, usage);
    let all = expected.split(['|', ' ', '[', ']']);
    let all: Vec<&str> = all.filter(|word| !word.is_empty()).collect();
    assert_eq!(words(&html), all.join(" "), "{component}\n{html}");
    for text in expected.split('|').map(str::trim) {
        let is_there = markdown.contains(text);
        assert_eq!(is_there, !text.starts_with('['), "{text} in {markdown}");
    }
}

#[test]
fn a_part_that_a_button_opens_is_a_disclosure() {
    let component = r#"export const C = ({ title, children }) => {
      const [open, setOpen] = useState(false);
      return <div className="box">
        <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>{open ? 'Hide' : 'Show'} {title}</button>
        {open && <p>The secret.</p>}
        {open && children}
      </div>
    }"#;
    check(
        component,
        "<C title=\"more\">\nInner *words*\n</C>",
        "Show more | The secret. | Inner | words",
    );
    let (html, _) = page(component, "<C title=\"more\" />");
    let html: String = html.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        html.contains(
            "<details><summary><span>Show more</span></summary><p>The secret.</p></details>"
        ),
        "{html}"
    );
}

#[test]
fn each_item_of_a_list_opens_by_itself() {
    check(
        r#"const Item = ({ q, a }) => {
          const [open, setOpen] = useState(false)
          return <li><div onClick={() => setOpen(o => !o)}><h4>{q}</h4></div>{open ? <p>{a}</p> : null}</li>
        }
        export const C = ({ items }) => <ul>{items.map((item, i) => <Item key={i} {...item} />)}</ul>"#,
        "<C items={[{ q: 'Why?', a: 'So.' }, { q: 'Who?', a: 'You.' }, { q: 'When?', a: 'Now.' }]} />",
        "Why? | So. | Who? | You. | When? | Now.",
    );
}

#[test]
fn one_open_item_of_several() {
    check(
        r#"export const C = () => {
          const [open, setOpen] = useState(null)
          const items = [['One', 'First.'], ['Two', 'Second.']]
          return <div>{items.map(([name, text], i) => (
            <div key={name}>
              <button onClick={() => setOpen(open === i ? null : i)}>{name}</button>
              {open === i && <p>{text}</p>}
            </div>
          ))}</div>
        }"#,
        "<C />",
        "[One] | First. | [Two] | Second.",
    );
}

#[test]
fn tabs_show_all_panels() {
    check(
        r#"export const C = () => {
          const [tab, setTab] = useState('npm')
          const content = { npm: <p>npm install</p>, yarn: <p>yarn add</p>, pnpm: <p>pnpm add</p> }
          return <div>
            <div role="tablist">{Object.keys(content).map(name => (
              <button key={name} className={tab === name ? 'on' : ''} onClick={() => setTab(name)}>{name}</button>
            ))}</div>
            <div>{content[tab]}</div>
          </div>
        }"#,
        "<C />",
        "[npm] | [yarn] | [pnpm] | npm install | yarn add | pnpm add",
    );
}

#[test]
fn a_chain_of_conditions_shows_all_branches() {
    check(
        r#"export const C = () => {
          const [os, setOs] = useState('mac')
          return <div>
            <select value={os} onChange={(e) => setOs(e.target.value)}>
              <option value="mac">Mac</option><option value="win">Windows</option><option value="lin">Linux</option>
            </select>
            {os === 'mac' ? <p>Use brew.</p> : os === 'win' ? <p>Use winget.</p> : <p>Use apt.</p>}
          </div>
        }"#,
        "<C />",
        "[Mac] | [Windows] | [Linux] | Use brew. | Use winget. | Use apt.",
    );
}

#[test]
fn an_early_return_shows_what_comes_after_it() {
    check(
        r#"export const C = () => {
          const [mounted, setMounted] = useState(false)
          useEffect(() => { setMounted(true) }, [])
          if (!mounted) return null
          return <section><h3>Pricing</h3><p>Ten a month.</p></section>
        }"#,
        "<C />",
        "Pricing | Ten a month.",
    );
}

#[test]
fn what_waits_for_an_answer_is_shown_without_it() {
    check(
        r#"export const C = () => {
          const [loading, setLoading] = useState(true)
          const [items, setItems] = useState([])
          useEffect(() => {
            fetch('/list').then(r => r.json()).then(list => { setItems(list); setLoading(false) })
          }, [])
          if (loading) return <p>Loading</p>
          return <div><h4>Regions</h4>{items.map(item => <p>{item}</p>)}<p>More soon.</p></div>
        }"#,
        "<C />",
        "Loading | Regions | More soon.",
    );
}

#[test]
fn a_carousel_shows_its_slides_in_order() {
    check(
        r#"export const C = ({ slides }) => {
          const [at, setAt] = useState(0)
          const slide = slides[at]
          return <div>
            <button aria-label="Back" onClick={() => setAt((at - 1 + slides.length) % slides.length)}>‹</button>
            <h4>{slide.title}</h4>
            <p>{slide.text}</p>
            <button aria-label="On" onClick={() => setAt((at + 1) % slides.length)}>›</button>
          </div>
        }"#,
        "<C slides={[{ title: 'A', text: 'a1' }, { title: 'B', text: 'b2' }, { title: 'C', text: 'c3' }, { title: 'D', text: 'd4' }]} />",
        "[‹] | A | a1 | B | b2 | C | c3 | D | d4 | [›]",
    );
}

#[test]
fn slides_that_a_timer_moves() {
    check(
        r#"export const C = () => {
          const texts = ['Fast.', 'Small.', 'Free.']
          const [at, setAt] = useState(0)
          useEffect(() => {
            const timer = setInterval(() => setAt(i => (i + 1) % texts.length), 3000)
            return () => clearInterval(timer)
          }, [])
          return <p>{texts[at]}</p>
        }"#,
        "<C />",
        "Fast. / | Small. / | Free.",
    );
}

#[test]
fn prices_that_a_switch_changes_stand_side_by_side() {
    check(
        r#"const plans = [{ name: 'Team', month: '$10', year: '$8' }, { name: 'Firm', month: '$90', year: '$75' }]
        export const C = () => {
          const [yearly, setYearly] = useState(false)
          return <div>
            <label><input type="checkbox" checked={yearly} onChange={e => setYearly(e.target.checked)} /> Yearly</label>
            <ul>{plans.map(plan => <li key={plan.name}><b>{plan.name}</b> <span>{yearly ? plan.year : plan.month}</span></li>)}</ul>
          </div>
        }"#,
        "<C />",
        "Yearly | Team | $10 / $8 | Firm | $90 / $75",
    );
}

#[test]
fn the_results_of_sums_are_no_text() {
    check(
        r#"export const C = () => {
          const [seats, setSeats] = useState(3)
          return <div>
            <button onClick={() => setSeats(seats + 1)}>More seats</button>
            <p>{seats} seats cost ${seats * 12} a month.</p>
          </div>
        }"#,
        "<C />",
        "[More seats] | 3 seats cost $36 a month.",
    );
}

#[test]
fn a_list_that_is_filtered_shows_all_items() {
    check(
        r#"const all = [{ name: 'Ruby', kind: 'lang' }, { name: 'Redis', kind: 'store' }, { name: 'Rust', kind: 'lang' }]
        export const C = () => {
          const [kind, setKind] = useState('store')
          const [typed, setTyped] = useState('')
          const found = all.filter(one => one.kind === kind && one.name.includes(typed))
          return <div>
            <input placeholder="Find" value={typed} onChange={e => setTyped(e.target.value)} />
            <button onClick={() => setKind('lang')}>Languages</button>
            <ul>{found.map(one => <li key={one.name}>{one.name}</li>)}</ul>
          </div>
        }"#,
        "<C />",
        "[Languages] | Ruby | Rust | Redis",
    );
}

#[test]
fn a_reducer_and_steps_of_a_wizard() {
    check(
        r#"const reduce = (state, action) => {
          switch (action.type) {
            case 'next': return { ...state, step: state.step + 1 }
            default: return state
          }
        }
        export const C = () => {
          const [{ step }, dispatch] = React.useReducer(reduce, { step: 1 })
          return <div>
            {step === 1 && <p>Make an account.</p>}
            {step === 2 && <p>Create a key.</p>}
            {step === 3 && <p>Send a request.</p>}
            <button onClick={() => dispatch({ type: 'next' })}>Next</button>
          </div>
        }"#,
        "<C />",
        "Make an account. | Create a key. | Send a request. | [Next]",
    );
}

#[test]
fn what_classes_and_styles_hide_is_shown() {
    let component = r#"export const C = () => {
      const [open, setOpen] = useState(false)
      return <div>
        <button onClick={() => setOpen(!open)}>Open</button>
        <div className={`panel ${open ? 'block' : 'hidden'}`}>By class.</div>
        <div style={{ display: open ? 'block' : 'none' }}>By style.</div>
        <div hidden={!open}>By attribute.</div>
      </div>
    }"#;
    check(
        component,
        "<C />",
        "[Open] | By class. | By style. | By attribute.",
    );
    let (html, _) = page(component, "<C />");
    assert!(html.contains("class=\"panel block\""), "{html}");
    assert!(
        !html.contains("display:none") && !html.contains(" hidden"),
        "{html}"
    );
}

#[test]
fn contexts_reach_across_components_of_a_page() {
    check(
        r#"const Ctx = createContext({ picked: '' })
        export const C = ({ children }) => {
          const [picked, setPicked] = useState('Python')
          return <Ctx.Provider value={{ picked, setPicked }}>
            {['Python', 'Go'].map(name => <button onClick={() => setPicked(name)}>{name}</button>)}
            {children}
          </Ctx.Provider>
        }
        export const D = ({ name, children }) => {
          const { picked } = useContext(Ctx)
          return picked === name ? <div>{children}</div> : null
        }"#,
        "<C>\n<D name=\"Python\">pip</D>\n<D name=\"Go\">go get</D>\n</C>",
        "[Python] | [Go] | pip | go get",
    );
}

#[test]
fn components_look_at_the_props_of_their_children() {
    check(
        r#"export const D = ({ children }) => <section>{children}</section>
        export const C = ({ children }) => {
          const all = React.Children.toArray(children)
          const [at, setAt] = useState(0)
          return <div>
            {all.map((child, i) => <button key={i} onClick={() => setAt(i)}>{child.props.title}</button>)}
            {all[at]}
          </div>
        }"#,
        "<C>\n<D title=\"First\">One *fine* day.</D>\n<D title=\"Second\">Another.</D>\n</C>",
        "[First] | [Second] | One | fine | day. | Another.",
    );
}

#[test]
fn a_parent_passes_handlers_on() {
    check(
        r#"const Tab = ({ name, onPick }) => <button onClick={() => onPick(name)}>{name}</button>
        const Panel = React.memo(({ name }) => <p>All about {name}.</p>)
        export const C = () => {
          const [name, setName] = useState('cats')
          return <><Tab name="cats" onPick={setName} /><Tab name="dogs" onPick={setName} /><Panel name={name} /></>
        }"#,
        "<C />",
        "[cats] | [dogs] | All about | cats / dogs.",
    );
}

#[test]
fn a_state_of_state_is_reached() {
    check(
        r#"export const C = () => {
          const [open, setOpen] = useState(false)
          const [deep, setDeep] = useState(false)
          return <div>
            <button onClick={() => setOpen(true)}>Open</button>
            {open && <div><p>Outer.</p><button onClick={() => setDeep(true)}>Deeper</button>{deep && <p>Inner.</p>}</div>}
          </div>
        }"#,
        "<C />",
        "Open | Outer. | Deeper | Inner.",
    );
}

#[test]
fn a_dialog_that_a_key_opens() {
    check(
        r#"export const C = () => {
          const [open, setOpen] = useState(false)
          useEffect(() => {
            const onKey = (e) => { if (e.key === 'k') setOpen(true) }
            window.addEventListener('keydown', onKey)
            return () => window.removeEventListener('keydown', onKey)
          }, [])
          return <div><p>Press K.</p>{open && <div role="dialog">All commands.</div>}</div>
        }"#,
        "<C />",
        "Press K. | All commands.",
    );
}

#[test]
fn a_copy_button_says_what_it_did_only_then() {
    check(
        r#"export const C = ({ text }) => {
          const [copied, setCopied] = useState(false)
          const copy = () => { navigator.clipboard.writeText(text); setCopied(true); setTimeout(() => setCopied(false), 2000) }
          return <div><code>{text}</code><button onClick={copy}>{copied ? 'Copied' : 'Copy'}</button></div>
        }"#,
        "<C text=\"quire dev\" />",
        "quire dev | [Copy]",
    );
}

#[test]
fn pictures_of_a_theme_stand_beside_each_other() {
    let component = r#"export const C = () => {
      const [dark, setDark] = useState(false)
      return <div><img src={dark ? '/dark.png' : '/light.png'} alt="Plan" /><button onClick={() => setDark(true)}>Dark</button></div>
    }"#;
    let (html, _) = page(component, "<C />");
    assert_eq!(html.matches("<img").count(), 2, "{html}");
}

#[test]
fn components_without_state_choose_by_their_props() {
    check(
        r#"export const C = ({ kind }) => {
          const box = useRef(null)
          return <div ref={box}>{kind === 'warn' ? <p>Careful.</p> : <p>Fine.</p>}</div>
        }"#,
        "<C kind=\"warn\" />",
        "Careful.",
    );
}

#[test]
fn a_component_without_an_end_stops() {
    let component = r#"export const C = () => {
      const [n, setN] = useState(0)
      return <div><button onClick={() => setN(n + 1)}>Next</button><p>Page {String.fromCharCode(97 + n)}</p></div>
    }"#;
    let (html, _) = page(component, "<C />");
    assert!(words(&html).starts_with("Next Page a / b / c"), "{html}");
}

#[test]
fn code_that_options_are_filled_into_is_shown_once() {
    check(
        r#"const code = (side) => `const widget = await load({ id: 'one', email: 'me@example.org', theme: 'system',
          accent: 'green', radius: 'large', side: '${side}', align: 'end', questions: 'how, why, where, when' })
          widget.show(document.body)`
        export const C = () => {
          const [side, setSide] = useState('left')
          return <div><button onClick={() => setSide('right')}>Right</button><pre><code>{code(side)}</code></pre></div>
        }"#,
        "<C />",
        "[Right] | const widget = await load({ id: 'one', email: 'me@example.org', theme: 'system', | \
         accent: 'green', radius: 'large', side: 'left', align: 'end', questions: 'how, why, where, when' }) | \
         widget.show(document.body)",
    );
}

#[test]
fn commands_of_a_choice_are_blocks_of_their_own() {
    let component = r#"export const C = () => {
      const [tool, setTool] = useState('npm install')
      return <div><button onClick={() => setTool('pnpm add')}>pnpm</button><pre><code>{tool} quire</code></pre></div>
    }"#;
    let (html, _) = page(component, "<C />");
    assert_eq!(
        words(&html),
        "pnpm npm install quire pnpm add quire",
        "{html}"
    );
}

#[test]
fn components_of_the_theme_are_members_of_an_object() {
    let component = r#"export const C = ({ children }) => {
      const { Note } = MintlifyComponents;
      return <Note>{children}<MintlifyComponents.Badge color="blue">New</MintlifyComponents.Badge></Note>;
    }"#;
    let usage = "<C>Text.</C>\n\n<MintlifyComponents.Card title=\"Inside\">Of a card.</MintlifyComponents.Card>";
    let (html, markdown) = page(component, usage);
    for part in ["class=\"callout", "class=\"badge", "class=\"card"] {
        assert!(html.contains(part), "{part} in {html}");
    }
    for text in ["Text.", "New", "Inside", "Of a card."] {
        assert!(markdown.contains(text), "{text} in {markdown}");
    }
}
