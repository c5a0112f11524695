import { useEffect, useRef, useState } from 'react';
import { messageFrames } from '../../contract/deployment/webmail.ts';
import { words } from '../words/words.ts';
import { stripColours } from './dark-colours.ts';
import { hasPolicy } from './frame-policy.ts';
import { baseStyle } from './mail-style.ts';

/** Maximum height of a message in pixels. A longer one scrolls within its frame. */
const maxHeight = 30_000;

/** What the dark scheme changes of it. The colours of the mail are taken out. */
const darkStyle = `
:root { color-scheme: only dark; background: #17191d; color: #e6e7ea; }
blockquote { border-left-color: #4a4f58; }
details > summary { color: #a3a9b4; }
@layer marks { a[data-leads-to]::after { color: #ff9aa5 !important; } a[href]:hover::after, a[href]:focus::after { color: #a3a9b4 !important; } }
`;

/** Whether the frame document has its policy. Without it no HTML is shown. */
export const hasFramePolicy = (): Promise<boolean> => hasPolicy(messageFrames.closed, ["default-src 'none'", 'sandbox']);

/** Folds the quoted original of a reply. */
const foldQuotes = (document: Document): void => {
  const quotes = document.querySelectorAll('blockquote[type="cite"], blockquote.gmail_quote, .gmail_quote');
  for (const quote of quotes) {
    if (quote.parentElement?.closest('details')) continue;
    const details = document.createElement('details');
    const summary = document.createElement('summary');
    summary.textContent = words.quoted;
    quote.replaceWith(details);
    details.append(summary, quote);
  }
};

/** Takes clicks on `mailto:` links. WebKit runs no listener in the frame, and opens the links itself. */
const takeMailTo = (document: Document, onMailTo: (to: string) => void): void => {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="mailto:" i]')) {
    const to = mailToOf(link.href);
    if (to === undefined) continue;
    link.addEventListener('click', (event) => {
      event.preventDefault();
      onMailTo(to);
    });
  }
};

/** The addresses of a `mailto:` URL (RFC 6068), without what else it asks to be written. */
const mailToOf = (href: string): string | undefined => {
  try {
    return decodeURIComponent(new URL(href).pathname) || undefined;
  } catch {
    return undefined;
  }
};

export type MessageFrameProps = {
  readonly html: string;
  readonly withImages: boolean;
  readonly isDark: boolean;
  /** Fetches an inline image by its Content-ID. @returns a `blob:` URL; undefined when there is none. */
  readonly inlineImage: (cid: string) => Promise<string | undefined>;
  readonly onRemoteImages: () => void;
  /** Takes the address of a `mailto:` link. Default: the browser opens it. */
  readonly onMailTo?: ((to: string) => void) | undefined;
  /** Whether HTML is shown that holds the page for seconds; else `onTooComplex` is called for it. */
  readonly isForced: boolean;
  readonly onTooComplex: () => void;
};

/** The height of what a document shows. It must not depend on the height of the frame, which follows it. */
const contentHeight = ({ documentElement, body }: Document): number => Math.ceil(Math.max(documentElement.getBoundingClientRect().height, body.scrollHeight));

/**
 * Shows the HTML of a mail in a document that runs no script and loads nothing of other servers. Its `key` changes with
 * `withImages` and `isDark`, because that is another document.
 */
export const MessageFrame = ({ html, withImages, isDark, inlineImage, onRemoteImages, onMailTo, isForced, onTooComplex }: MessageFrameProps) => {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(120);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    const target = frame.current?.contentDocument;
    const window = target?.defaultView;
    if (!isReady || !target || !window) return undefined;
    let isCurrent = true;
    let observer: ResizeObserver | undefined;
    const fill = async (): Promise<void> => {
      const { clean } = await import('./clean.ts');
      if (!isCurrent) return;
      const cleaned = clean(html, window, withImages ? 'shownWithImages' : 'shown', isForced);
      if (!cleaned) return onTooComplex();
      const { root, hasRemoteImages } = cleaned;
      const style = target.createElement('style');
      style.textContent = isDark ? `${baseStyle}${darkStyle}` : baseStyle;
      target.replaceChild(target.adoptNode(root), target.documentElement);
      // A mail of frames has no body.
      if (!target.querySelector('body')) target.documentElement.append(target.createElement('body'));
      if (isDark) stripColours(target);
      target.querySelector('head')?.prepend(style);
      foldQuotes(target);
      for (const element of [target.documentElement, target.body]) {
        for (const [property, value] of [
          ['height', 'auto'],
          ['min-height', '0'],
        ] as const)
          element.style.setProperty(property, value, 'important');
      }
      if (onMailTo) takeMailTo(target, onMailTo);
      if (hasRemoteImages && !withImages) onRemoteImages();
      observer = new ResizeObserver(() => setHeight(Math.min(maxHeight, contentHeight(target) + 4)));
      observer.observe(target.body);
      for (const image of target.querySelectorAll<HTMLImageElement>('img[data-cid]')) {
        const url = await inlineImage(image.dataset['cid'] ?? '');
        if (url !== undefined && isCurrent) image.src = url;
      }
      return undefined;
    };
    void fill();
    return () => {
      isCurrent = false;
      observer?.disconnect();
    };
    // oxlint-disable-next-line -- the functions are the same for the same message
  }, [isReady, html, withImages, isDark]);
  return (
    <iframe
      ref={frame}
      className="message-frame"
      title={words.body}
      src={withImages ? messageFrames.images : messageFrames.closed}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      style={{ height }}
      onLoad={() => setReady(true)}
    />
  );
};
