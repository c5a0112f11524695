import { messageFrames } from '../../contract/deployment/webmail.ts';
import type { MailContext } from '../context/mail-context.ts';
import { showsImages } from '../context/preferences.ts';
import type { Email, EmailAddress, EmailBody } from '../jmap/types.ts';
import { octets, personName, printedTime, shownAddress, words } from '../words/words.ts';
import { rawHtmlOf } from './body-html.ts';
import { clean } from './clean.ts';
import { fileName } from './file-name.ts';
import { hasPolicy } from './frame-policy.ts';
import { isWithinLimits } from './html-limits.ts';
import { baseStyle } from './mail-style.ts';
import { cidsIn, failsDmarc, filesBeside, inlineImagesOf, isCut, textsOf, type ShownAs } from './shown-body.ts';
import { textBlocks } from './text-blocks.ts';

/**
 * What is printed is one document, not the page with its frames: browsers cut a frame at the end of a page, and its height is
 * that of the screen. The document is the one that shows a mail, so it has the same policy. Each HTML body is in a shadow
 * tree, whose styles reach nothing outside it, and in a box that keeps it away from what is said about other messages.
 */
const printStyle = `
:root { color-scheme: only light; background: #fff; color: #1b1d21; font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
body { margin: 0; }
h1 { font-size: 1.3rem; }
header { position: relative; z-index: 1; background: #fff; border-top: 1px solid #8a9099; padding: .5rem 0; break-after: avoid; }
dl { margin: 0; }
dl > div { display: flex; gap: .5rem; }
dt { flex: 0 0 4rem; color: #5b616b; }
dd { margin: 0; }
footer { position: relative; z-index: 1; background: #fff; }
.text { white-space: pre-wrap; }
.text blockquote { margin: 0; padding-left: .75rem; border-left: 3px solid #c8ccd3; }
.html { contain: layout; position: relative; z-index: 0; }
.html.is-bound { overflow-y: clip; }
`;

/** The style of each HTML body. The mail can't move the element that has its shadow tree, because an important layer wins. */
const shadowStyle = `${baseStyle}@layer marks { :host { all: initial !important; display: block !important; } }`;

/** Pixels of the document's width: what A4 has between its margins. */
const width = 700;

/** Maximum pixels that a mail takes for what it places below its own end. */
const maxPlaced = 30_000;

/** Bodies that are read with one request. */
const batch = 10;

/** Milliseconds for which images are waited for. */
const longestImages = 10_000;

type PrintDependencies = Pick<MailContext, 'account' | 'download' | 'acts' | 'wait'>;
type Printed = { readonly email: Email; readonly body: EmailBody; readonly withImages: boolean };

let running: AbortController | undefined;

/** Reads the bodies that are not there. They are taken at once, because the store keeps only some. */
const readBodies = async ({ store }: MailContext['account'], emails: readonly Email[], onProgress: (done: number) => void, signal: AbortSignal) => {
  const printed: Printed[] = [];
  for (let at = 0; at < emails.length && !signal.aborted; at += batch) {
    onProgress(at);
    const some = emails.slice(at, at + batch);
    await store.loadBodies(some.map(({ id }) => id));
    for (const email of some) {
      const body = store.body(email.id);
      if (body) printed.push({ email, body, withImages: showsImages(body, email.from?.[0]?.email ?? '') });
    }
  }
  return printed;
};

/**
 * Opens the empty document. It stays until the next one, because browsers print after `print` has returned, and WebKit tells
 * the page no event of it; it ends with the mail that is around it.
 */
const openDocument = async (path: string): Promise<HTMLIFrameElement> => {
  if (!(await hasPolicy(path, ["default-src 'none'", 'allow-modals']))) throw new Error(words.noPrinting);
  document.querySelector('.print-frame')?.remove();
  const frame = document.createElement('iframe');
  frame.className = 'print-frame';
  frame.title = words.print;
  frame.inert = true;
  frame.ariaHidden = 'true';
  frame.setAttribute('sandbox', 'allow-same-origin allow-modals');
  frame.src = path;
  // A frame that is not displayed prints nothing in some browsers.
  Object.assign(frame.style, { position: 'fixed', left: '-10000px', top: '0', width: `${width}px`, height: '600px', border: '0' });
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.querySelector('.mail')?.append(frame);
  if (!frame.isConnected) throw new Error(words.stopped);
  await loaded;
  return frame;
};

type Add = (parent: Element, name: string, text?: string) => HTMLElement;

/** Adds elements to a document. What mails say comes as text alone. */
const adder =
  (target: Document): Add =>
  (parent, name, text = '') => {
    const element = target.createElement(name);
    element.textContent = text;
    parent.append(element);
    return element;
  };

const addPeople = (add: Add, list: Element, label: string, addresses: readonly EmailAddress[] | null): void => {
  if (!addresses || addresses.length === 0) return;
  const line = add(list, 'div');
  add(line, 'dt', label);
  const people = add(line, 'dd');
  for (const [index, address] of addresses.entries()) {
    const [name, shown] = [personName(address), shownAddress(address.email)];
    if (index > 0) people.append(', ');
    add(people, 'bdi', name);
    if (name === shown) continue;
    people.append(' ');
    add(people, 'bdi', `<${shown}>`);
  }
};

const addHead = (add: Add, article: Element, { email, body }: Printed): void => {
  const list = add(add(article, 'header'), 'dl');
  addPeople(add, list, words.from, email.from);
  addPeople(add, list, words.to, email.to);
  addPeople(add, list, words.cc, body.cc);
  addPeople(add, list, words.bcc, body.bcc);
  const date = add(list, 'div');
  add(date, 'dt', words.date);
  add(date, 'dd', printedTime(body.sentAt ?? email.receivedAt));
  if (failsDmarc(body)) add(list.parentElement!, 'p', words.dmarcFailed);
};

const addTexts = (add: Add, article: Element, body: EmailBody): void => {
  for (const { value, format } of textsOf(body)) {
    const text = add(article, 'div');
    text.className = 'text';
    const { blocks, isCut: isLong } = textBlocks(value, format);
    for (const { depth, lines } of blocks) add(text, depth === 0 ? 'div' : 'blockquote', `${lines.join('\n')}\n`).dir = 'auto';
    if (isLong) add(article, 'p', words.cut);
  }
};

/** What would cut a mail at the end of a page, or keep it at the height of a window. */
const unbound = { height: 'auto', 'min-height': '0', 'max-height': 'none', overflow: 'visible', position: 'static', float: 'none' };

const addHtml = (add: Add, article: Element, root: Element): void => {
  const box = add(article, 'div');
  box.className = 'html';
  const shadow = add(box, 'div').attachShadow({ mode: 'open' });
  for (const element of [root.closest<HTMLElement>('html'), root.querySelector<HTMLElement>('body')]) {
    for (const [property, value] of Object.entries(unbound)) element?.style.setProperty(property, value, 'important');
  }
  for (const image of root.querySelectorAll('img')) image.removeAttribute('loading');
  for (const details of root.querySelectorAll('details')) details.setAttribute('open', '');
  const style = box.ownerDocument.createElement('style');
  style.textContent = shadowStyle;
  shadow.append(style, box.ownerDocument.adoptNode(root));
  // What the mail places below its end is printed too, and nothing that it places above its beginning. The ends of pages,
  // at which no line is divided, make it longer than it is here.
  if (box.scrollHeight > box.clientHeight + 1) box.style.minHeight = `${Math.min(maxPlaced, 1.1 * box.scrollHeight)}px`;
  box.classList.add('is-bound');
};

/** Waits for images. No event is needed, which WebKit would not tell. */
const untilLoaded = async (images: readonly HTMLImageElement[], wait: MailContext['wait'], signal: AbortSignal): Promise<void> => {
  const until = Date.now() + longestImages;
  while (Date.now() < until && !signal.aborted && images.some(({ complete }) => !complete)) await wait(50);
};

/** Adds the body and the names of the files of a message, and loads its images. */
const addBody = async (window: Window & typeof globalThis, article: Element, printed: Printed, { download, wait }: PrintDependencies, signal: AbortSignal) => {
  const { body, withImages } = printed;
  const add = adder(window.document);
  const html = rawHtmlOf(body);
  const cleaned = html !== '' && isWithinLimits(html) ? clean(html, window, withImages ? 'shownWithImages' : 'shown') : undefined;
  const how: ShownAs = cleaned ? 'html' : 'text';
  const inline = inlineImagesOf(body, download);
  if (cleaned) {
    addHtml(add, article, cleaned.root);
    const images = [...cleaned.root.querySelectorAll('img')];
    for (const image of images) {
      const cid = image.dataset['cid'];
      const url = cid !== undefined && !signal.aborted ? await inline.url(cid) : undefined;
      if (url !== undefined) image.src = url;
    }
    await untilLoaded(images, wait, signal);
  } else {
    if (html !== '') add(article, 'p', words.tooComplex);
    addTexts(add, article, body);
  }
  inline.drop();
  const footer = add(article, 'footer');
  if (isCut(body, how)) add(footer, 'p', words.cut);
  const files = filesBeside(body, how, cidsIn(html));
  if (files.length === 0) return;
  add(footer, 'p', words.attachments);
  const list = add(footer, 'ul');
  for (const { name, size } of files) {
    const item = add(list, 'li');
    add(item, 'bdi', fileName(name));
    item.append(` (${octets(size)})`);
  }
};

/** Takes away the permission to load images of other servers. What is loaded remains. */
const closeDocument = ({ document: target }: Window): void => {
  const meta = target.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = 'img-src data: blob:';
  target.head.append(meta);
};

/** Prints messages as they are shown, with everything that is folded. Bodies that are not there are read first. */
export const printMessages = async (dependencies: PrintDependencies, emails: readonly Email[]): Promise<void> => {
  const { account, acts } = dependencies;
  running?.abort();
  const stopping = new AbortController();
  const { signal } = stopping;
  running = stopping;
  const onProgress = (done: number): void =>
    acts.say({ text: words.preparing(done, emails.length), progress: { done, total: emails.length, stop: () => stopping.abort() } });
  const all = await readBodies(account, emails, onProgress, signal);
  const hasImages = all.some(({ withImages }) => withImages);
  if (signal.aborted) return acts.say({ text: words.stopped });
  const frame = await openDocument(hasImages ? messageFrames.images : messageFrames.closed);
  const target = frame.contentDocument;
  const window = target?.defaultView;
  if (!target || !window) throw new Error(words.stopped);
  const add = adder(target);
  add(target.head, 'style', printStyle);
  target.title = emails.find(({ subject }) => subject)?.subject ?? words.noSubject;
  add(target.body, 'h1', target.title).dir = 'auto';
  const articles = all.map((printed) => {
    const article = add(target.body, 'article');
    addHead(add, article, printed);
    return { printed, article };
  });
  // Messages whose images may load come first. Then the document is closed, so that no other message can load any.
  const [open, closed] = [articles.filter(({ printed }) => printed.withImages), articles.filter(({ printed }) => !printed.withImages)];
  let done = 0;
  const addBodies = async (some: typeof articles): Promise<void> => {
    for (const { printed, article } of some) {
      if (signal.aborted || !frame.isConnected) return;
      onProgress(done);
      done += 1;
      await addBody(window, article, printed, dependencies, signal);
    }
  };
  await addBodies(open);
  closeDocument(window);
  await addBodies(closed);
  if (signal.aborted || !frame.isConnected) return acts.say({ text: words.stopped });
  acts.say({ text: '' });
  return window.print();
};
