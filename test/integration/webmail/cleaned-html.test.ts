import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import type { APIResponse } from 'playwright-core';
import { messageFrames } from '../../../contract/deployment/webmail.ts';
import { describeWith } from '../deployment.ts';
import { findFirefox, openFirefoxPage } from '../firefox.ts';
import { hostileHtml, isAboveLimits, remainsIn } from './hostile-html.ts';
import { htmlMails } from './html-mails.ts';
import { sanitizerAttacks } from './sanitizer-attacks.ts';
import { webmailBrowser, webmailUrl } from './webmail-browser.ts';

/** Thirty newsletters by name, which MJML 5.4.1 made of its components, around random words. */
const newsletters = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'newsletters.json.gz'))).toString()) as Record<string, string>;

/** How many mails are shown at the same time, each in a frame of its own. */
const together = 100;

const cleaner = buildSync({
  stdin: {
    contents: `export { clean } from './clean.ts'; export { isWithinLimits } from './html-limits.ts'; export { quotedHtml, splitHtml } from '../compose/quoted-html.ts'; export { quoteOf } from '../compose/quote.ts';`,
    resolveDir: join(import.meta.dirname, '../../../webmail/message'),
  },
  bundle: true,
  write: false,
  format: 'iife',
  globalName: 'cleaner',
}).outputFiles[0]!.text;

/** Shows HTML in frames of the page as the web mail does. */
const frames = `
globalThis.ran = [];
globalThis.alert = () => ran.push('in the page');
globalThis.remainsIn = ${remainsIn};
globalThis.pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
globalThis.openFrame = async () => {
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-same-origin allow-popups allow-popups-to-escape-sandbox';
  frame.src = ${JSON.stringify(messageFrames.closed)};
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  return frame;
};
globalThis.parse = (html, window) => new window.DOMParser().parseFromString(html, 'text/html');
globalThis.isDangerous = (html, window) => {
  try {
    return remainsIn(parse(html, window)).length > 0;
  } catch {
    // Its elements have taken names of the document.
    return true;
  }
};
globalThis.show = (html, { contentWindow, contentDocument }) => {
  contentWindow.alert = () => ran.push(html);
  const cleaned = cleaner.clean(html, contentWindow, 'shown');
  contentDocument.replaceChild(contentDocument.adoptNode(cleaned.root), contentDocument.documentElement);
  return cleaned;
};
`;

/** @returns of each of the attacks what it leaves behind, and how many are dangerous unless they are cleaned. */
const attack = (attacks: readonly string[]): string => `(async () => {
  const attacks = ${JSON.stringify(attacks)};
  const left = [];
  let dangerous = 0;
  const shown = frames.slice(0, attacks.length);
  for (const [index, frame] of shown.entries()) {
    const html = attacks[index];
    if (isDangerous(html, frame.contentWindow)) dangerous += 1;
    for (const use of ['shownWithImages', 'sent']) {
      // HTML that is sent keeps its images, and is in no document that loads them.
      const found = remainsIn(cleaner.clean(html, frame.contentWindow, use).root).filter((each) => use !== 'sent' || !/^(?:src|background)=(?:http|cid):/.test(each));
      if (found.length > 0) left.push({ html, use, found });
    }
    show(html, frame);
  }
  await pause(200);
  for (const [index, { contentDocument, contentWindow }] of shown.entries()) {
    const found = remainsIn(contentDocument);
    const again = remainsIn(parse(contentDocument.documentElement.outerHTML, contentWindow));
    if (found.length > 0 || again.length > 0) left.push({ html: attacks[index], found, again });
  }
  return { left, ran: ran.splice(0), dangerous };
})()`;

/** @returns what a newsletter is before and after it is cleaned. */
const layouts = (html: string): string => `(async () => {
  const html = ${JSON.stringify(html)};
  const [frame] = frames;
  const layout = (document) => ({
    text: (() => {
      const body = document.body.cloneNode(true);
      for (const style of body.querySelectorAll('style')) style.remove();
      return body.textContent.replace(/\\s+/g, ' ').trim();
    })(),
    styles: [...document.querySelectorAll('style')].map(({ textContent }) => (/@(x-)?import|url\\(|x-none\\(/.test(textContent) ? 'loads' : textContent.replaceAll(/<!--|-->/g, ''))),
    elements: [...document.querySelectorAll('table,tbody,tr,td,th,div,p,a,h1,h2,ul,li,blockquote,img')].map((element) =>
      [element.localName, ...['width', 'height', 'align', 'valign', 'bgcolor', 'cellpadding', 'cellspacing', 'border', 'dir', 'class', 'style', 'alt', 'role']
        .map((name) => (element.getAttribute(name) ?? "").trim())
        .map((value) => (/url\\(|x-none\\(/.test(value) ? "loads" : value))].join('|')),
  });
  const before = parse(html, frame.contentWindow);
  const { hasRemoteImages } = show(html, frame);
  await pause(0);
  const quote = cleaner.quotedHtml(html, (each, use) => cleaner.clean(each, frame.contentWindow, use).root);
  const quoted = parse('<p>Own</p><blockquote class="webmail-quote">' + quote.html + '</blockquote>', frame.contentWindow);
  const inQuote = layout(quoted);
  const looks = () => [...frame.contentDocument.querySelectorAll('table,td,th,div,p,a,h1,h2,li,img,span')].map((element) => {
    const style = frame.contentWindow.getComputedStyle(element);
    return [element.localName, ...['color', 'backgroundColor', 'fontSize', 'fontWeight', 'fontFamily', 'textAlign', 'display', 'visibility'].map((name) => style[name])].join('|');
  });
  const shown = { layout: layout(frame.contentDocument), looks: looks() };
  const left = remainsIn(frame.contentDocument);
  show(quoted.documentElement.outerHTML, frame);
  await pause(0);
  const looksQuoted = looks();
  return {
    // Without the person's own paragraph, the quote and the element in place of its body.
    looks: { shown: shown.looks, quoted: looksQuoted.slice(2) },
    own: looksQuoted[0],
    quoted: { text: inQuote.text.replace(/^Own/, '').trim(), elements: inQuote.elements.slice(3) },
    text: quote.text,
    images: [...quoted.images].every(({ src }) => src === '' || /^(?:https?|data|cid):/.test(src)) && quoted.images.length,
    isWithinLimits: cleaner.isWithinLimits(html), hasRemoteImages, ran: ran.splice(0), left,
    before: layout(before), after: shown.layout,
  };
})()`;

/** A message of HTML alone, whose author has a name that is an attack. */
const hostileMessage = {
  email: {
    from: [{ name: 'Ann</div><img src=x onerror=alert(1)>\r\nBcc: eve@evil.example\u202e', email: 'ann@example.net' }],
    receivedAt: '2026-11-30T10:32:00Z',
  },
  body: { textBody: [{ partId: '1', type: 'text/html' }], bodyValues: {} },
  timeZone: 'UTC',
};

/** @returns the quotes of mails in replies to them: their text, what is around and left in their HTML, and what is pinned. */
const replies = (mails: readonly string[]): string => `(() => {
  const [{ contentWindow }] = frames;
  return ${JSON.stringify(mails)}.map((mail) => {
    const quoted = cleaner.quotedHtml(mail, (html, use) => cleaner.clean(html, contentWindow, use).root);
    const { html, text } = cleaner.quoteOf('reply', { ...${JSON.stringify(hostileMessage)}, html: quoted.html, htmlText: quoted.text });
    const { head, body } = parse('<p>Own</p>' + html, contentWindow);
    const names = (element) => [...element.children].map(({ localName }) => localName).join(' ');
    return {
      text,
      outside: [names(head), names(body), names(body.lastElementChild), body.children[0].textContent],
      attribution: body.querySelector('.webmail-original > div').textContent,
      left: remainsIn(body.ownerDocument).filter((each) => !/^(?:src|background)=cid:/.test(each)),
      pinned: [...body.querySelectorAll('[style]')].filter(({ style }) => /fixed|sticky/.test(style.position)).length,
    };
  });
})()`;

/** The look of a paragraph that nothing styles. */
const ownLooks = 'p|rgb(0, 0, 0)|rgba(0, 0, 0, 0)|16px|400|"Times New Roman"|start|block|visible';

/** Styles of a mail that would change the words of whoever answers it. */
const reachingStyles: readonly string[] = [
  ...[
    'p',
    'body p',
    'body > p',
    ':root p',
    '* + *, + *',
    '~ *',
    'a, p',
    'a[title=","], p',
    ':is(a, b), p',
    ':where(:root) p',
    '} p',
    'a{} } p',
    'a["]{"], p',
    'a[x="*/], p',
    '/* } */ p',
    '<!-- p --> p',
    '@media all { p } p',
    String.raw`\70`,
    String.raw`a\,b, p`,
    'a:not(p, b), p',
    'a:has(~ p), :root:has(a) p',
    'body:has(a), p',
  ].map((selector) => `${selector} { display: none }`),
  '@media all { p { display: none } }',
  '@media all { @supports (color: red) { p { display: none } } }',
  '@layer a { p { display: none } }',
  '@scope (:root) { p { display: none } }',
  '@container (width > 0) { p { display: none } }',
  'a { :root:has(&) p { display: none } }',
  'a { color: red; } a { & + p, :root & ~ p { display: none } }',
  'a { b: "} p { display: none }',
  'a { b: url(x") } p { display: none } a["] { }',
  String.raw`a { b: u\72l(x") } p { display: none } a["] { }`,
  'a { /* } a[x="*/ } p { display: none } a["] { }',
  'a { b: ( } p { display: none }',
  'body::before { content: "I agree"; position: fixed; inset: 0; background: red }',
  'div { position: var(--x); --x: fixed; inset: 0; margin: -1000px }',
  'div { position: -webkit-sticky; top: 0 } * { position: fixed !important }',
  String.raw`a::before { content: "\3c/style>\3cimg src=x onerror=alert(1)>\3c!--" }`,
  '@font-face { font-family: "Times New Roman"; src: url(data:font/woff2;base64,AAAA) }',
  '@property --x { syntax: "*"; inherits: true; initial-value: none }',
];

/** HTML that a mail has around its words, so that they are taken for the original of a draft. */
const claims: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'our quote': ['<div class="webmail-original"><div style="position:fixed;top:0">z</div><div class="webmail-quote" style="position:fixed">', '</div></div>'],
  'our quote without its inner part': ['<div class="webmail-original" style="position:fixed;margin-top:-900px">', '</div>'],
  'a quote of another program': ['<blockquote type="cite" style="position:fixed">', '</blockquote>'],
  'a quote of Gmail': ['<div class="gmail_quote"><div style="position:fixed">z</div><blockquote style="position:fixed">', '</blockquote></div>'],
};

/** @returns what a style in a quote does to the words above it: that of a reply, or of a mail that is edited as a new one. */
const reach = (style: string, claim?: string): string => `(async () => {
  const [frame] = frames;
  const mail = '<html><head><style></style></head><body><p>Quoted</p><a title=",">x</a><p>y</p><div style="POSITION:/**/fixed">z</div></body></html>';
  const html = mail.replace('<style>', () => '<style>' + ${JSON.stringify(style)});
  const clean = (each, use) => cleaner.clean(each, frame.contentWindow, use).root;
  const replied = () => {
    const quoted = cleaner.quotedHtml(html, clean);
    return cleaner.quoteOf('reply', { ...${JSON.stringify(hostileMessage)}, html: quoted.html, htmlText: quoted.text }).html;
  };
  const edited = ([before, after]) => {
    const [, head, content] = /<head>(.*)<\\/head><body>(.*)<\\/body>/s.exec(html);
    const claimed = '<p>Own</p>' + before + head + content + after;
    // A second time, as a draft that is opened again.
    const { quote } = cleaner.splitHtml(claimed, clean);
    return cleaner.splitHtml('<p>Own</p>' + quote, clean).quote;
  };
  const quote = ${claim === undefined ? 'replied()' : `edited(${JSON.stringify(claims[claim])})`};
  // As a mail program shows it that cleans nothing.
  frame.contentDocument.replaceChild(frame.contentDocument.adoptNode(parse('<p>Own</p><div>words</div>' + quote, frame.contentWindow).documentElement), frame.contentDocument.documentElement);
  const { body } = frame.contentDocument;
  const look = (element) => { const { display, position, marginTop, backgroundColor, fontFamily, color } = frame.contentWindow.getComputedStyle(element); return [display, position, marginTop, backgroundColor, color].join(' '); };
  const bounds = [...body.querySelectorAll('.webmail-quote')].map((element) => { const { position, overflowX, display } = frame.contentWindow.getComputedStyle(element); return [position, overflowX, display].join(' '); });
  const placed = [...body.querySelectorAll('.webmail-quote *')].filter((element) => !['static', 'relative', 'absolute'].includes(frame.contentWindow.getComputedStyle(element).position)).length;
  return {
    own: [look(body.children[0]), look(body.children[1]), ...['::before', '::after'].map((name) => frame.contentWindow.getComputedStyle(body, name).content)],
    bounds, placed, left: remainsIn(frame.contentDocument), elements: body.querySelectorAll('img, script').length, ran: ran.splice(0),
  };
})()`;

/** Whether the text of a link to www.phish.example names another host. */
const leadsElsewhere: Readonly<Record<string, boolean>> = {
  'Read more': false,
  'phish.example': false,
  'www.phish.example/a': false,
  'https://phish.example': false,
  'ph&shy;ish.example': false,
  'e.g. this': false,
  'bank.example': true,
  'HTTPS://www.Bank.example/login': true,
  'phish.example.bank.example': true,
  '&#8203;bank.example': true,
  'ba&shy;nk.exa&#8203;mple': true,
  '&rlm;https://bank.example': true,
  'bänk.example': true,
  'phіsh.example': true,
  [`${' '.repeat(400)}bank.example`]: true,
};

describeWith('webmail')('HTML that the web mail cleans', () => {
  const browser = webmailBrowser();
  const requests: string[] = [];
  const faults: string[] = [];

  /** Gives a page of the web mail as many frames as mails are shown at the same time. */
  const withFrames = async (page: { evaluate(expression: string): Promise<unknown> }, count: number): Promise<void> => {
    await page.evaluate(`${cleaner};globalThis.cleaner=cleaner`);
    await page.evaluate(`${frames};Promise.all(Array.from({ length: ${count} }, openFrame)).then((opened) => { globalThis.frames = opened; })`);
  };

  const pageWithFrames = async (count: number) => {
    const page = await (await browser.newContext()).newPage();
    await page.goto(webmailUrl);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    // The server is asked for the document of a frame once.
    let served: Promise<APIResponse> | undefined;
    await page.route(`**${messageFrames.closed}`, async (route) => route.fulfill({ response: await (served ??= route.fetch()) }));
    await withFrames(page, count);
    page.on('request', (request) => requests.push(request.url()));
    page.on('dialog', (dialog) => faults.push(dialog.message()));
    page.on('popup', (popup) => faults.push(popup.url()));
    return page;
  };

  test('leaves nothing of any attack on a sanitizer', async () => {
    const page = await pageWithFrames(together);
    let dangerous = 0;
    for (let start = 0; start < sanitizerAttacks.length; start += together) {
      const result = await page.evaluate<{ left: unknown[]; ran: string[]; dangerous: number }>(attack(sanitizerAttacks.slice(start, start + together)));
      dangerous += result.dangerous;
      expect(result).toMatchObject({ left: [], ran: [] });
    }
    expect([requests, faults]).toEqual([[], []]);
    // Those that are harmless in a document itself load something, or do so only after they are serialized and parsed again.
    expect(dangerous).toBeGreaterThan(sanitizerAttacks.length / 2);
    await page.context().close();
  });

  // Another parser and another DOM: what is clean in one browser may not be in the other.
  const firefox = findFirefox();
  (firefox === undefined ? test.skip : test)('leaves nothing of any attack in Firefox, where one is found', async () => {
    const page = await openFirefoxPage(firefox!, webmailUrl);
    try {
      await withFrames(page, together);
      const before = page.requests.length;
      const attacks = [...sanitizerAttacks, ...Object.entries(hostileHtml).flatMap(([name, html]) => (isAboveLimits(name) ? [] : [html]))];
      for (let start = 0; start < attacks.length; start += together) {
        const result = await page.evaluate<{ left: unknown[]; ran: string[] }>(attack(attacks.slice(start, start + together)));
        expect(result).toMatchObject({ left: [], ran: [] });
      }
      expect(page.requests.slice(before)).toEqual([]);
    } finally {
      page.close();
    }
  });

  test('keeps the layout of newsletters, also where they are quoted', async () => {
    const page = await pageWithFrames(1);
    for (const [name, html] of Object.entries(newsletters)) {
      type Layout = { text: string; styles: string[]; elements: string[] };
      const { before, after, quoted, looks, own, text, images, ...result } = await page.evaluate<{
        before: Layout;
        after: Layout;
        quoted: Omit<Layout, 'styles'>;
        looks: { shown: string[]; quoted: string[] };
        own: string;
        text: string;
        images: number;
      }>(layouts(html));
      expect({ name, ...result }).toEqual({ name, isWithinLimits: true, hasRemoteImages: true, ran: [], left: [] });
      expect({ name, ...after }).toEqual({ name, ...before });
      expect({ name, ...quoted }).toEqual({ name, text: before.text, elements: before.elements });
      expect({ name, looks: looks.quoted, own }).toEqual({ name, looks: looks.shown, own: ownLooks });
      expect(images).toBeGreaterThan(0);
      expect({ name, text }).toEqual({ name, text: expect.not.stringMatching(/\n\n\n|[{}]|<!|mso-|[ \t]$|[\u00ad\u200b\ufeff]/m) });
    }
    expect([requests, faults]).toEqual([[], []]);
    await page.context().close();
  });

  test('keeps the layout of mails of other programs where they are quoted', async () => {
    const page = await pageWithFrames(1);
    const mails = Object.entries(htmlMails).filter(([, { isHostile }]) => !isHostile);
    for (const [name, { html }] of mails) {
      type Layout = { text: string; elements: string[] };
      const { before, after, quoted, looks, own } = await page.evaluate<{
        before: Layout;
        after: Layout;
        quoted: Layout;
        looks: { shown: string[]; quoted: string[] };
        own: string;
      }>(layouts(html));
      expect({ name, ...after }).toEqual({ name, ...before });
      expect({ name, ...quoted }).toEqual({ name, text: before.text, elements: before.elements });
      expect({ name, looks: looks.quoted, own }).toEqual({ name, looks: looks.shown, own: ownLooks });
    }
    expect([requests, faults]).toEqual([[], []]);
    await page.context().close();
  });

  test('replies to mails of other programs with all of their text and nothing that is hostile', async () => {
    const page = await pageWithFrames(1);
    const mails = Object.entries(htmlMails);
    const found = await page.evaluate<{ text: string }[]>(replies(mails.map(([, { html }]) => html)));
    const wrote = 'On 30 November 2026 at 10:32, Ann</div><img src=x onerror=alert(1)>  Bcc: eve@evil.example <ann@example.net> wrote:';
    const marked = (line: string): string => (line === '' || line.startsWith('>') ? `>${line}` : `> ${line}`);
    const quotes = mails.map(([name, { lines }]) => [name, [wrote, ...lines.map(marked)]]);
    expect(mails.map(([name], index) => [name, found[index]!.text.split('\n')])).toEqual(quotes);
    const clean = { outside: ['', 'p div', 'div blockquote', 'Own'], attribution: wrote, left: [], pinned: 0 };
    expect(mails.map(([name], index) => ({ name, ...found[index] }))).toEqual(mails.map(([name], index) => ({ name, text: found[index]!.text, ...clean })));
    expect([requests, faults]).toEqual([[], []]);
    await page.context().close();
  });

  test('keeps the words of whoever answers from the style of what they quote', async () => {
    const page = await pageWithFrames(1);
    const untouched = await page.evaluate(reach(''));
    expect(untouched).toMatchObject({ bounds: ['relative auto block'], placed: 0, left: [], elements: 0, ran: [] });
    for (const claim of [undefined, ...Object.keys(claims)])
      for (const style of reachingStyles)
        expect({ claim, style, ...(await page.evaluate<object>(reach(style, claim))) }).toEqual({ claim, style, ...(untouched as object) });
    expect([requests, faults]).toEqual([[], []]);
    await page.context().close();
  });

  test('tells where a link leads whose text names another host', async () => {
    const page = await pageWithFrames(1);
    const texts = Object.keys(leadsElsewhere);
    const html = texts.map((text) => `<a href="https://www.phish.example/login">${text}</a>`).join('');
    const marked = await page.evaluate<boolean[]>(
      `show(${JSON.stringify(html)}, frames[0]), [...frames[0].contentDocument.links].map((link) => link.hasAttribute('data-leads-to'))`,
    );
    expect(Object.fromEntries(texts.map((text, index) => [text, marked[index]]))).toEqual(leadsElsewhere);
    await page.context().close();
  });
});
