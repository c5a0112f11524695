import createDOMPurify from 'dompurify';

/** A mail whose HTML is safe to show, as the root of a document, and what was left out of it. */
export type CleanMail = {
  readonly root: Element;
  /** Whether the mail names images or styles of other servers, which are not loaded. */
  readonly hasRemoteImages: boolean;
};

const forbidden = (
  'script link base meta form input button select option textarea iframe frame frameset object embed applet ' +
  'svg math video audio source track picture dialog noscript template title portal marquee'
).split(' ');

/** The only schemes of links. */
const linkSchemes = new Set(['https:', 'http:', 'mailto:', 'tel:']);

/** Values of attributes: those of our schemes, and what has no scheme, such as a width. DOMPurify tests every attribute. */
const allowedValue = /^(?:(?:https?|mailto|tel|cid):|data:image\/|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

/** Raster images in the mail itself. SVG is a document, and never shown. */
const rasterData = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z0-9+/=\s]*$/i;

/** Attributes that load an image. */
const sources = ['src', 'background'];

const linkTarget = (href: string): URL | undefined => {
  const url = URL.parse(href.trim());
  return url && linkSchemes.has(url.protocol) ? url : undefined;
};

/** Whether the text of a link names another host than the link leads to. Characters that nobody sees do not hide the name. */
const namesAnotherHost = (text: string, { protocol, hostname }: URL): boolean => {
  if (!protocol.startsWith('http')) return false;
  const host = /^[\s\p{Cf}]*(?:https?:\/\/)?((?:[\p{L}\p{N}-][\p{L}\p{N}\p{Cf}-]{0,62}\.){1,8}[\p{L}\p{Cf}]{2,24})(?:[/?#:\s]|$)/iu.exec(text)?.[1];
  if (host === undefined) return false;
  const bare = (name: string): string => name.replace(/^www\./, '');
  const named = bare(URL.parse(`http://${host.replaceAll(/\p{Cf}/gu, '')}`)?.hostname ?? '');
  return named !== bare(hostname) && !hostname.endsWith(`.${named}`);
};

const loading = /url\s*\(|image-set|@import|src\s*\(/i;

/** CSS with its escapes (CSS Syntax §4.3.7) read, however they are meant. */
const unescaped = (style: string): string =>
  style.replaceAll(/\\(?:([\da-f]{1,6})(?:\r\n|\s)?|\r\n|([^]))/gi, (_, hex: string | undefined, character = '') =>
    hex === undefined ? character.trim() : String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10_ff_ff)),
  );

/** Whether style loads something, also by an escape. The policy of the frame refuses it in any case. */
const loads = (style: string): boolean => loading.test(style) || (style.includes('\\') && loading.test(unescaped(style)));

const withoutLoads = (style: string): string =>
  style
    .replaceAll('\\', '')
    .replaceAll(/@import/gi, '@x-import')
    .replaceAll(/(?:url|image-set|src)\s*\(/gi, 'x-none(');

/** Heights in parts of the frame's own height, which follows its content and would grow without end. */
const frameUnits = /(\d{1,6}(?:\.\d{1,6})?)[sld]?v(?:h|b|min|max)\b/gi;

/** Pixels of a hundredth of a window of 600. */
const withoutFrameUnits = (style: string): string => style.replaceAll(frameUnits, (_, number: string) => `${6 * Number(number)}px`);

/**
 * The use of a cleaned mail: to be shown, with or without images of other servers, or to be sent on, with links and images as
 * they were.
 */
export type CleanUse = 'shown' | 'shownWithImages' | 'sent';

const cleanLink = (link: Element, use: CleanUse): void => {
  const url = linkTarget(link.getAttribute('href') ?? '');
  if (!url) return link.removeAttribute('href');
  link.setAttribute('href', url.href);
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer');
  if (use !== 'sent' && namesAnotherHost(link.textContent ?? '', url)) link.setAttribute('data-leads-to', url.hostname);
  return undefined;
};

/** Limits of a document, above which the sanitizer holds the page for seconds. */
const limits = { elements: 30_000, attributesOfElement: 2_000, attributes: 200_000 };

/** The elements of a document, whose own names a mail may take: `<form name=getElementsByTagName>`. */
const elementsOf = (document: Document): HTMLCollectionOf<Element> => Document.prototype.getElementsByTagName.call(document, '*');

const isWithinLimits = (elements: HTMLCollectionOf<Element>): boolean => {
  if (elements.length > limits.elements) return false;
  let sum = 0;
  for (const { attributes } of elements) {
    sum += attributes.length;
    if (attributes.length > limits.attributesOfElement || sum > limits.attributes) return false;
  }
  return true;
};

/**
 * Makes the HTML of a mail safe to show, with the browser's own parser in the frame that shows it. Links lead to new
 * windows, inline images have their Content-ID in `data-cid`, and nothing of another server is loaded unless the use is
 * `shownWithImages`. HTML that is sent keeps all of these, and must not come into a document that loads them.
 *
 * @param isForced whether HTML is shown that holds the page for seconds.
 * @returns undefined for HTML above the limits.
 */
export const clean = (html: string, frame: Window & typeof globalThis, use: CleanUse, isForced = false): CleanMail | undefined => {
  const elements = elementsOf(new frame.DOMParser().parseFromString(html, 'text/html'));
  if (!isForced && !isWithinLimits(elements)) return undefined;
  const purify = createDOMPurify(frame);
  let hasRemoteImages = false;
  const style = (given: string): string => {
    const text = use === 'sent' ? given : withoutFrameUnits(given);
    if (!loads(text)) return text;
    hasRemoteImages = true;
    return use !== 'shown' ? text.replaceAll(/@import/gi, '@x-import') : withoutLoads(text);
  };
  purify.addHook('uponSanitizeElement', (node, { tagName }) => {
    // CSS ignores the ends of a comment of HTML, in which Outlook has its styles. DOMPurify removes a style with them.
    if (tagName === 'style' && node.textContent) node.textContent = style(node.textContent.replaceAll(/<!--|-->/g, ''));
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.hasAttribute('style')) node.setAttribute('style', style(node.getAttribute('style') ?? ''));
    if (node.hasAttribute('href')) cleanLink(node, use);
    if (use === 'sent') {
      for (const name of sources) {
        const url = node.getAttribute(name);
        if (url !== null && !rasterData.test(url) && !/^(?:https?|cid):/i.test(url)) node.removeAttribute(name);
      }
      return;
    }
    for (const name of sources) {
      const url = node.getAttribute(name);
      if (url === null || rasterData.test(url)) continue;
      const isRemote = /^https?:/i.test(url);
      if (isRemote) hasRemoteImages = true;
      else if (name === 'src' && /^cid:/i.test(url)) node.setAttribute('data-cid', url.slice(4));
      // The policy of the frame permits https alone.
      if (isRemote && use === 'shownWithImages') node.setAttribute(name, url.replace(/^http:/i, 'https:'));
      else node.removeAttribute(name);
    }
  });
  const root = purify.sanitize(elements[0]!, {
    WHOLE_DOCUMENT: true,
    RETURN_DOM: true,
    FORBID_TAGS: forbidden,
    FORBID_ATTR: ['srcset', 'ping', 'autofocus', 'tabindex', 'contenteditable', 'popover', 'popovertarget', 'usemap', 'accesskey'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: true,
    SANITIZE_NAMED_PROPS: true,
    ALLOWED_URI_REGEXP: allowedValue,
    ADD_ATTR: ['target', 'background'],
  });
  return { root, hasRemoteImages };
};
