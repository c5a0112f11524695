import { messageFrames } from '../../contract/deployment/webmail.ts';
import { clean, type CleanUse } from '../message/clean.ts';
import { isWithinLimits } from '../message/html-limits.ts';
import { hasFramePolicy } from '../message/message-frame.tsx';

let opened: Promise<(Window & typeof globalThis) | undefined> | undefined;

const open = async (): Promise<(Window & typeof globalThis) | undefined> => {
  if (!(await hasFramePolicy())) return undefined;
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-same-origin');
  frame.src = messageFrames.closed;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  return frame.contentDocument?.defaultView ?? undefined;
};

/** Cleans HTML without showing it. @returns undefined for HTML above the limits, unless `isForced`. */
export type Cleaner = (html: string, use: CleanUse, isForced?: boolean) => Element | undefined;

/** Makes a cleaner with the parser of a document that runs nothing. Undefined where the server does not send that document's policy. */
export const createCleaner = async (): Promise<Cleaner | undefined> => {
  opened ??= open();
  const window = await opened;
  return window && ((html, use, isForced = false) => (isForced || isWithinLimits(html) ? clean(html, window, use, isForced)?.root : undefined));
};
