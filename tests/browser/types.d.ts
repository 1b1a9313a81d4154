// What the scripts of the theme find on a page, for the type checker. Elements are looser here than in browsers, as a selector
// does not tell which kind of element it finds; names, arguments and results of our own functions are checked in full.

/** What `name` says in the language of the page, about `what`. */
declare function quireSay(name: string, english: string, what?: unknown): string;
/** Templates of code samples, put before the scripts of the playground when the program is built. */
declare const sampleTable: string;

interface AnyElement {
  closest(selector: string): HTMLElement | null;
  matches(selector: string): boolean;
  readonly parentElement: HTMLElement | null;
  readonly offsetParent: Element | null;
  readonly offsetTop: number;
  readonly offsetLeft: number;
  readonly offsetWidth: number;
  readonly offsetHeight: number;
  readonly dataset: DOMStringMap;
  readonly style: CSSStyleDeclaration;
  readonly content: DocumentFragment;
  readonly complete: boolean;
  readonly contentWindow: WindowProxy | null;
  readonly sheet: CSSStyleSheet | null;
  inert: boolean;
  hidden: boolean;
  open: any;
  innerText: string;
  title: string;
  lang: string;
  dir: string;
  name: string;
  value: string;
  type: string;
  href: string;
  readonly hash: string;
  readonly elements: any;
  src: string;
  srcset: string;
  poster: string;
  checked: boolean;
  disabled: boolean;
  selectedIndex: number;
  nonce: string;
  returnValue: string;
  focus(options?: FocusOptions): void;
  blur(): void;
  click(): void;
  select(): void;
  load(): void;
  showModal(): void;
  close(value?: string): void;
  showPopover(): void;
  hidePopover(): void;
  togglePopover(force?: boolean): boolean;
}
interface EventTarget extends AnyElement {}
interface Event {
  readonly detail: any;
  readonly key: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly button: number;
  readonly relatedTarget: EventTarget | null;
  readonly persisted: boolean;
  readonly data: any;
  readonly clientX: number;
  readonly clientY: number;
  readonly newState: string;
}
/** Scripts of vendors put their functions there. */
interface Window {
  [name: string]: any;
}
interface Navigator {
  readonly connection?: { readonly saveData: boolean };
  readonly globalPrivacyControl?: boolean;
}
interface Node {
  readonly data: string;
  readonly length: number;
  contains(other: EventTarget | null): boolean;
}
/** A file has one. */
interface Blob {
  readonly name: string;
}
