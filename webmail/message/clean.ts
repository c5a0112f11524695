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

const linkTarget = (href: string): URL | undefined => {
  const url = URL.parse(href.trim());
  return url && linkSchemes.has(url.protocol) ? url : undefined;
};

/** Whether the text of a link names another host than the link leads to. */
const namesAnotherHost = (text: string, { protocol, hostname }: URL): boolean => {
  if (!protocol.startsWith('http')) return false;
  const named = /^\s*(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24})(?:[/?#:\s]|$)/i.exec(text.slice(0, 300))?.[1]?.toLowerCase();
  if (named === undefined) return false;
  const bare = (host: string): string => host.replace(/^www\./, '');
  return bare(named) !== bare(hostname) && !hostname.endsWith(`.${bare(named)}`);
};

const mayLoad = (src: string): boolean => src.startsWith('blob:') || rasterData.test(src);

/** Whether style loads something, or may hide that it does by an escape. The policy of the frame refuses it in any case. */
const loads = (style: string): boolean => /url\s*\(|image-set|@import|src\s*\(|\\/i.test(style);

const withoutLoads = (style: string): string =>
  style
    .replaceAll('\\', '')
    .replaceAll(/@import/gi, '@x-import')
    .replaceAll(/(?:url|image-set|src)\s*\(/gi, 'x-none(');

const cleanLink = (link: Element): void => {
  const url = linkTarget(link.getAttribute('href') ?? '');
  if (!url) return link.removeAttribute('href');
  link.setAttribute('href', url.href);
  link.setAttribute('target', '_blank');
  link.setAttribute('rel', 'noopener noreferrer');
  if (namesAnotherHost(link.textContent ?? '', url)) link.setAttribute('data-leads-to', url.hostname);
  return undefined;
};

/**
 * Makes the HTML of a mail safe to show, with the browser's own parser in the frame that shows it. Links lead to new
 * windows, inline images have their Content-ID in `data-cid`, and nothing of another server is loaded unless `withImages`.
 */
export const clean = (html: string, frame: Window & typeof globalThis, withImages: boolean): CleanMail => {
  const purify = createDOMPurify(frame);
  let hasRemoteImages = false;
  const style = (text: string): string => {
    if (!loads(text)) return text;
    hasRemoteImages = true;
    return withImages ? text.replaceAll(/@import/gi, '@x-import') : withoutLoads(text);
  };
  purify.addHook('uponSanitizeElement', (node, { tagName }) => {
    if (tagName === 'style' && node.textContent) node.textContent = style(node.textContent);
  });
  purify.addHook('afterSanitizeAttributes', (node) => {
    if (node.hasAttribute('style')) node.setAttribute('style', style(node.getAttribute('style') ?? ''));
    if (node.hasAttribute('href')) cleanLink(node);
    if (node.hasAttribute('background')) {
      hasRemoteImages = true;
      if (!withImages) node.removeAttribute('background');
    }
    const src = node.getAttribute('src');
    if (src === null) return;
    if (/^cid:/i.test(src)) node.setAttribute('data-cid', src.slice(4));
    else if (mayLoad(src)) return;
    else if (/^https:/i.test(src)) {
      hasRemoteImages = true;
      if (withImages) return;
    }
    node.removeAttribute('src');
  });
  const root = purify.sanitize(html, {
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
